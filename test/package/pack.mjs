// Installs the package as its users do, from the tarball into an empty folder, and uses it: the command, the exports
// and their types. `node test/package/pack.mjs`
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkMounted } from "./mounted.mjs";
import { checkWithOneSdk, checkWithoutSdk } from "./only-one-sdk.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = mkdtempSync(join(tmpdir(), "toolhost-package-"));
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

// What a consumer writes; without its types it is also what runs.
const consumer = `
import { type App, createApp, createRegistry, defineTool, invoke, type Outcome, type Tool, ToolError } from "toolhost";
import { createAgent, type Model } from "toolhost/agent";

const greet: Tool = defineTool({
  name: "greet",
  description: "Greets.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  execute({ name }) {
    if (name === "nobody") throw new ToolError("There is nobody to greet: name somebody.");
    return \`Hello, \${String(name)}\`;
  },
});
const registry = createRegistry({ tools: [greet] });

const ok: Outcome = await invoke(registry, { name: "greet", arguments: { name: "you" } });
if (ok.status !== "ok" || ok.result !== "Hello, you") throw new Error(JSON.stringify(ok));
const failed = await invoke(registry, { name: "greet", arguments: { name: "nobody" } });
if (failed.status !== "error" || failed.error.code !== "tool_failed") throw new Error(JSON.stringify(failed));

const app: App = createApp({ registry });
const response = await app.request("/tools/greet/invoke", {
  method: "POST",
  headers: { host: "localhost", "content-type": "application/json" },
  body: JSON.stringify({ name: "you" }),
});
const answer = (await response.json()) as Outcome;
if (answer.status !== "ok") throw new Error(JSON.stringify(answer));

// No SDK is installed here: the agent loads none, and its types name none.
const model: Model = {
  generate: async () => ({ choices: [{ message: { role: "assistant", content: "Hello" } }] }),
  async *stream() {},
};
const { text } = await createAgent({ model, tools: registry }).chat("Greet me.");
if (text !== "Hello") throw new Error(text);
`;

try {
  const { tarball, files } = pack();
  checkContent(files);
  install(tarball);
  await checkCommand();
  checkExports();
  checkWithoutSdk({ folder, run, say });
  checkTypes();
  checkWithOneSdk({ folder, run, say, compiler });
  await checkMounted({ folder, run, say });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function run(file, args, cwd) {
  return execFileSync(file, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function pack() {
  const printed = run("npm", ["pack", "--json", "--pack-destination", folder], root);
  // What `prepack` prints stands before it.
  const [{ filename, size, files }] = JSON.parse(printed.slice(printed.search(/^\[/m)));
  say(`packed ${filename}: ${files.length} files, ${Math.round(size / 1024)} KiB`);
  return { tarball: join(folder, filename), files: files.map(({ path }) => path) };
}

function checkContent(files) {
  const needed = [
    "package.json",
    "README.md",
    "LICENSE",
    "openapi.yaml",
    "dist/src/main.js",
    "dist/src/index.js",
    "dist/src/index.d.ts",
    "dist/src/agent/index.js",
    "dist/src/agent/index.d.ts",
    ...["get_current_time", "get_weather", "show_effect", "web_search"].flatMap((tool) =>
      ["tool.js", "parameters.json", "response.json", "examples.json"].map((file) => `dist/tools/${tool}/${file}`),
    ),
  ];
  assert.deepEqual(
    needed.filter((file) => !files.includes(file)),
    [],
    "the tarball lacks files",
  );
  const isSource = (file) => file.endsWith(".ts") && !file.endsWith(".d.ts") && !file.startsWith("examples/");
  const unwanted = files.filter((file) => /^(?:src|tools|test|bench|scripts|\.)/.test(file) || isSource(file));
  assert.deepEqual(unwanted, [], "the tarball holds what users have no use for");
  say("it holds what it should, and no sources, tests or benchmarks");
}

function install(tarball) {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  run("npm", ["install", "--no-audit", "--no-fund", tarball], folder);
  say("it installs into an empty folder");
}

async function checkCommand() {
  const env = { ...process.env, PORT: "0", HOST: "", UNIX_SOCKET: "", TOOLHOST_API_KEYS: "", TOOLHOST_TOOLS: "" };
  // A group of its own: a signal to npx alone would leave the service behind.
  const service = spawn("npx", ["--no-install", "toolhost", "serve"], {
    cwd: folder,
    env,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise((resolve) => service.once("close", resolve));
  try {
    const url = await Promise.race([
      listeningUrl(service),
      ended.then((code) => assert.fail(`toolhost serve ended with ${code}`)),
    ]);
    const { tools } = await (await fetch(`${url}/tools`)).json();
    const names = tools.map(({ name }) => name);
    for (const name of ["get_current_time", "get_weather", "show_effect"]) assert.ok(names.includes(name), name);
    const called = await fetch(`${url}/tools/show_effect/invoke`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"effect":"confetti"}',
    });
    const outcome = await called.json();
    assert.equal(outcome.status, "ok", JSON.stringify(outcome));
    assert.equal((await fetch(`${url}/openapi.json`)).status, 200);
    say(`npx toolhost serve answers with ${names.join(", ")}`);
  } finally {
    if (service.pid !== undefined && service.exitCode === null) process.kill(-service.pid, "SIGTERM");
  }
  await ended;
}

function listeningUrl(service) {
  let written = "";
  return new Promise((resolve) => {
    service.stderr.setEncoding("utf8").on("data", (text) => {
      written += text;
      const url = /"url":"([^"]+)","msg":"listening"/.exec(written)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

function checkExports() {
  const script = consumer.replaceAll(/\btype \w+, |, type \w+/g, "").replaceAll(/const (\w+): \w+ =/g, "const $1 =");
  writeFileSync(join(folder, "consumer.mjs"), script.replace(" as Outcome", ""));
  run(process.execPath, ["consumer.mjs"], folder);
  say("its exports work: defineTool, ToolError, createRegistry, invoke, createApp, and createAgent without an SDK");
}

function checkTypes() {
  writeFileSync(join(folder, "consumer.ts"), consumer);
  const wrong = `${consumer}\n// @ts-expect-error: a tool has a description\ndefineTool({ name: "x", parameters: {}, execute: () => 1 });\n`;
  writeFileSync(join(folder, "wrong.ts"), wrong);
  const options = { strict: true, noEmit: true, target: "ES2023", module: "NodeNext", types: ["node"] };
  // Declarations of dependencies are theirs to get right; ours are what the consumer is checked against.
  const config = { compilerOptions: { ...options, skipLibCheck: true }, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  for (const name of ["@types/node", "undici-types"]) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  try {
    run(process.execPath, [compiler, "-p", folder], folder);
  } catch (error) {
    throw new Error(`its types do not fit a consumer:\n${error.stdout}`, { cause: error });
  }
  say("its types fit a consumer in TypeScript");
}
