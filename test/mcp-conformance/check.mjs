// Runs the scenarios of the conformance suites that a server of tools has to pass, none as an expected failure. Ends with 1 if
// one fails. The suites need Node 22: node test/mcp-conformance/check.mjs NODE
import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const node = resolve(process.argv[2] ?? process.execPath);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const dist = here("../../dist");
const stable = here("node_modules/@modelcontextprotocol/conformance/dist/index.js");
const next = here("node_modules/conformance-next/dist/index.js");

const calls = ["simple-text", "image", "audio", "embedded-resource", "mixed-content", "error", "with-progress"];
const common = ["tools-list", ...calls.map((name) => `tools-call-${name}`), "dns-rebinding-protection"];
const legacy = ["server-initialize", "ping", ...common, "json-schema-2020-12"];
const modern = [
  "server-stateless",
  ...common,
  "server-sse-multiple-streams",
  "json-schema-2020-12",
  "http-header-validation",
  "http-custom-header-server-validation",
];
const suites = [
  { name: "0.1.16, 2025-11-25", file: stable, flags: [], scenarios: legacy },
  { name: "0.2.0-alpha.12, 2025-11-25", file: next, flags: ["--spec-version", "2025-11-25"], scenarios: legacy },
  { name: "0.2.0-alpha.12, 2026-07-28", file: next, flags: ["--spec-version", "2026-07-28"], scenarios: modern },
];

const service = await listen([`${dist}/src/main.js`, "serve", "--tools", here("tools"), "--no-bundled"]);
const capabilityServer = await listen([here("capability-server.mjs"), dist]);
let failed = 0;
for (const { name, file, flags, scenarios } of suites) {
  const failures = scenarios.filter((scenario) => !passes(file, scenario, flags));
  failed += failures.length;
  const rest = failures.length === 0 ? "" : `; failed: ${failures.join(", ")}`;
  console.log(`conformance ${name}: ${scenarios.length - failures.length} of ${scenarios.length}${rest}`);
}
service.child.kill();
capabilityServer.child.kill();
process.exitCode = failed === 0 ? 0 : 1;

function passes(file, scenario, flags) {
  const { url } = scenario === "server-stateless" ? capabilityServer : service;
  const args = [file, "server", "--url", `${url}/mcp`, "--scenario", scenario, ...flags];
  const { status, stdout, stderr } = spawnSync(node, args, { encoding: "utf8", timeout: 60_000, cwd: tmpdir() });
  const isPassed = status === 0;
  if (!isPassed || process.env.VERBOSE) console.log(`--- ${scenario}\n${stdout}${stderr}`);
  return isPassed;
}

async function listen(args) {
  const env = { PATH: process.env.PATH, PORT: "0" };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  process.on("exit", () => child.kill());
  let log = "";
  for await (const chunk of child.stderr) {
    log += chunk;
    const url = /"url":"([^"]+)","msg":"listening"/.exec(log)?.[1];
    if (url === undefined) continue;
    return { child, url };
  }
  throw new Error(`It ended before it answered: ${log}`);
}
