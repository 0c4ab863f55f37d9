// Generates a client from the live document of the built service, type-checks a program that uses it, and runs the
// program against the service. Before it: npm run build, and npm --prefix test/generated-client ci
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const modules = join(here, "node_modules");
const startMs = 20_000;

const work = mkdtempSync(join(tmpdir(), "toolhost-client-"));
const { service, url } = await startService();
try {
  await check(url);
  const code = await stop(service);
  if (code !== 0) throw new Error(`the service ended with ${code}`);
  console.log("ok: the generated client and the service agree");
} catch (error) {
  console.error(`FAILED: ${error.message}`);
  process.exitCode = 1;
  await stop(service);
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function check(url) {
  await save(`${url}/openapi.json`, "openapi.json");
  await save(`${url}/openapi.json?only=tools`, "tools.json");
  symlinkSync(modules, join(work, "node_modules"));

  for (const [file, title] of [
    [join(work, "openapi.json"), "the live document"],
    [join(work, "tools.json"), "the document of the tools alone"],
    [join(root, "openapi.yaml"), "openapi.yaml"],
  ]) {
    run("@redocly/cli/bin/cli.js", ["lint", "--extends=recommended", "--max-problems=20", file], `lint ${title}`);
  }
  run("openapi-typescript/bin/cli.js", ["openapi.json", "-o", "types.d.ts"], "generate types");
  run("openapi-typescript/bin/cli.js", ["tools.json", "-o", "tools.d.ts"], "generate types of the tools alone");

  copyFileSync(join(here, "client.ts.txt"), join(work, "client.ts"));
  writeFileSync(join(work, "package.json"), '{"type":"module"}');
  writeFileSync(join(work, "globals.d.ts"), "declare const process: { readonly argv: readonly string[] };\n");
  const flags = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "es2022"];
  const files = ["--module", "nodenext", "--lib", "es2023,dom,dom.iterable", "client.ts", "globals.d.ts"];
  run("typescript/bin/tsc", [...flags, ...files], "type-check the program");

  console.log("run the program");
  execFileSync(process.execPath, ["client.js", url], { cwd: work, stdio: "inherit" });
}

async function save(url, file) {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`GET ${url} answered ${answer.status}`);
  const document = await answer.json();
  writeFileSync(join(work, file), JSON.stringify(document, null, 2));
  console.log(`read ${url}: ${Object.keys(document.paths).length} paths`);
}

function run(script, args, title) {
  console.log(title);
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };
  try {
    execFileSync(process.execPath, [join(modules, script), ...args], {
      cwd: work,
      env,
      encoding: "utf8",
      stdio: "pipe",
    });
  } catch (error) {
    throw new Error(`${title}\n${error.stdout ?? ""}${error.stderr ?? ""}`, { cause: error });
  }
}

async function startService() {
  const main = join(root, "dist/src/main.js");
  if (!existsSync(main)) throw new Error("dist is not there: run npm run build first");
  const env = {
    ...process.env,
    HOST: "127.0.0.1",
    PORT: "0",
    TOOLHOST_TOOLS: join(here, "tools"),
    TOOLHOST_API_KEYS: "",
  };
  const service = spawn(process.execPath, [main, "serve"], { cwd: work, env, stdio: ["ignore", "ignore", "pipe"] });
  const timer = setTimeout(() => service.kill("SIGKILL"), startMs);
  const lines = [];
  // The log is read to its end: a pipe that nobody empties would stop the service.
  const url = await new Promise((resolve, reject) => {
    createInterface(service.stderr).on("line", (line) => {
      lines.push(line);
      if (line.includes('"msg":"listening"')) resolve(JSON.parse(line).url);
    });
    service.once("exit", (code) => reject(new Error(`the service did not start (${code})\n${lines.join("\n")}`)));
  });
  clearTimeout(timer);
  return { service, url };
}

function stop(service) {
  if (service.exitCode !== null) return service.exitCode;
  service.kill("SIGTERM");
  return new Promise((resolve) => service.once("exit", resolve));
}
