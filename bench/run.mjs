// The side-by-side benchmark. `npm run bench`, or `npm run bench -- --quick` for a look.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureBurst } from "./burst.mjs";
import { createPeers, toolhost } from "./candidates.mjs";
import { killChildrenAtExit } from "./children.mjs";
import { checkLimits } from "./limits.mjs";
import { measureManyTools, writeTools } from "./many-tools.mjs";
import { measureMcpCalls } from "./mcp-calls.mjs";
import { measureMcpSource } from "./mcp-source.mjs";
import { measureOpenApiCalls } from "./openapi-calls.mjs";
import { findNodes } from "./nodes.mjs";
import { pinSelf } from "./pin.mjs";
import {
  burstTable,
  invokeTable,
  limitsTable,
  loadAverage,
  machineSection,
  manyToolsSection,
  mcpSection,
  mcpSourceSection,
  openApiSection,
  pythonSection,
  startSection,
  workerSection,
} from "./report.mjs";
import { measureRounds } from "./rounds.mjs";
import { measureStarts } from "./starts.mjs";
import { measurePythonWorker, measureWorkerCalls } from "./worker-calls.mjs";

const usage = `node bench/run.mjs [options]
  --rounds N       rounds per candidate and connection count (10)
  --seconds N      length of a round, whole seconds (1)
  --starts N       processes per candidate that the rounds are spread over (5)
  --connections N  comma between; 16 and 64, which the limits speak of, are always in (16,64)
  --quick          3 rounds over one process and 2 starts: a look, not a result
  --peers-only     without Toolhost, and so without limits
  --node FILE      a Node to measure on; repeatable (this one, and the active LTS of bench/node-lts)
  --toolhost FILE  the main.js to measure (dist/src/main.js)
  --before FILE    another main.js, measured in turn with it: what a change costs
  --port N         first of ten ports (21400; from 32768 on they would meet the clients' own)
  --out FILE       write the report there too`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    seconds: { type: "string", default: "1" },
    starts: { type: "string" },
    connections: { type: "string", default: "16,64" },
    quick: { type: "boolean", default: false },
    "peers-only": { type: "boolean", default: false },
    toolhost: { type: "string", default: fileURLToPath(new URL("../dist/src/main.js", import.meta.url)) },
    node: { type: "string", multiple: true },
    before: { type: "string" },
    port: { type: "string", default: "21400" },
    out: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}

const main = resolve(values.toolhost);
const withToolhost = !values["peers-only"];
if (withToolhost && !existsSync(main)) {
  console.error(`There is no ${values.toolhost}: run \`npm run build\` first, or measure with --peers-only.`);
  process.exit(1);
}
const options = {
  rounds: count("rounds", values.quick ? 3 : 10),
  seconds: count("seconds"),
  starts: count("starts", values.quick ? 1 : 5),
  port: count("port"),
  connectionCounts: [...new Set([...values.connections.split(",").map(Number), 16, 64])].toSorted((a, b) => a - b),
};
const before = values.before && resolve(values.before);
const nodes = findNodes(values.node);
const startRepeats = values.quick ? 2 : 5;
const toolCount = 1000;
const burstCount = 10_000;

killChildrenAtExit();
pinSelf();
const scratch = mkdtempSync(join(tmpdir(), "toolhost-bench-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
process.exitCode = await bench();

async function bench() {
  const loadAtStart = loadAverage();
  const manyFolder = join(scratch, "many", "tools");
  if (withToolhost) await writeTools(manyFolder, toolCount);

  const reports = [];
  for (const node of nodes) reports.push(await measureOn(node, manyFolder));

  const sections = [
    "# Toolhost beside its peers",
    machineSection({ loadAtStart, options, nodes }),
    busyNote(loadAtStart),
    ...reports.flatMap(({ sections }) => sections),
  ];
  const report = `${sections.filter(Boolean).join("\n\n")}\n`;
  process.stdout.write(report);
  if (values.out) await writeFile(values.out, report);
  return reports.every(({ verdicts }) => verdicts.every(({ pass }) => pass)) ? 0 : 1;
}

/** Everything that is measured, with all servers on one Node. */
async function measureOn(node, manyFolder) {
  const say = (section) => (text) => console.error(`Node ${node.version}: ${section}: ${text}`);
  // Each instance has a data folder of its own, as two processes would in production.
  const instance = async (settings) => {
    const dataFolder = await mkdtemp(join(scratch, "data-"));
    return toolhost({ node: node.file, main, dataFolder, ...settings });
  };
  const peers = createPeers(node.file);
  const candidates = [...peers];
  if (withToolhost) candidates.push(await instance({}), await instance({ logLevel: "info" }));
  if (before) candidates.push(await instance({ main: before, isBefore: true }));
  const rounds = await measureRounds(candidates, { ...options, say: say("invoke") });

  // A start is measured as people start it: with the bundled tools.
  const started = withToolhost ? [...peers, await instance({ bundled: true })] : peers;
  const starts = await measureStarts(started, { starts: startRepeats, port: options.port, say: say("starts") });

  let manyTools;
  if (withToolhost) {
    const candidate = await instance({});
    candidate.env.TOOLHOST_TOOLS += `:${manyFolder}`;
    manyTools = await measureManyTools(candidate, {
      count: toolCount,
      connections: 16,
      rounds: options.rounds,
      seconds: options.seconds,
      port: options.port,
      say: say("1,000 tools"),
    });
  }

  let openApi;
  if (withToolhost) {
    openApi = await measureOpenApiCalls(await instance({}), {
      folder: await mkdtemp(join(scratch, "openapi-")),
      node: node.file,
      connections: 16,
      rounds: options.rounds,
      seconds: options.seconds,
      port: options.port,
      say: say("OpenAPI calls"),
    });
  }

  let mcp;
  if (withToolhost) {
    mcp = await measureMcpCalls(
      await instance({}),
      peers.find(({ id }) => id === "mcp"),
      {
        connections: 16,
        rounds: options.rounds,
        seconds: options.seconds,
        port: options.port,
        say: say("MCP calls"),
      },
    );
  }

  let mcpSource;
  if (withToolhost) {
    mcpSource = await measureMcpSource({ node: node.file, rounds: options.rounds, say: say("MCP source") });
  }

  let workerCalls;
  if (withToolhost) {
    workerCalls = await measureWorkerCalls(await instance({}), {
      folder: await mkdtemp(join(scratch, "workers-")),
      node: node.file,
      connections: 64,
      rounds: options.rounds,
      seconds: options.seconds,
      port: options.port,
      say: say("worker calls"),
    });
  }

  let pythonWorker;
  if (withToolhost) {
    pythonWorker = await measurePythonWorker(
      await instance({}),
      peers.find(({ id }) => id === "floor"),
      {
        folder: await mkdtemp(join(scratch, "python-")),
        connections: 32,
        rounds: options.rounds,
        seconds: options.seconds,
        port: options.port,
        say: say("Python worker"),
      },
    );
  }

  const burst = {};
  const limit = peers.find(({ id }) => id === "limit");
  for (const candidate of withToolhost ? [limit, await instance({})] : [limit]) {
    say("burst")(candidate.name);
    burst[candidate.id] = await measureBurst(candidate, { count: burstCount, port: options.port });
  }

  const verdicts = withToolhost
    ? checkLimits({ node, rounds, starts, manyTools, openApi, mcp, mcpSource, workerCalls, pythonWorker, burst })
    : [];
  const sections = [
    `## Node ${node.version}`,
    "### Invoke: one tool, the same everywhere",
    ...options.connectionCounts.map((connections) => invokeTable({ candidates, samples: rounds.samples, connections })),
    "### Start and memory",
    startSection({ candidates: started, starts, rssAfterLoad: rounds.rssAfterLoad }),
    "### 1,000 tools",
    manyTools ? manyToolsSection(manyTools) : "Skipped: --peers-only.",
    "### A call through an OpenAPI tool",
    openApi ? openApiSection(openApi) : "Skipped: --peers-only.",
    "### A call over MCP",
    mcp ? mcpSection(mcp) : "Skipped: --peers-only.",
    "### A call of an MCP server",
    mcpSource ? mcpSourceSection(mcpSource) : "Skipped: --peers-only.",
    "### A call of a worker",
    workerCalls ? workerSection(workerCalls) : "Skipped: --peers-only.",
    "### Calls of a Python worker",
    pythonWorker ? pythonSection(pythonWorker) : "Skipped: --peers-only, or no python3.",
    "### 10,000 calls of a one-second tool at once",
    burstTable({ candidates, burst }),
    "### Limits",
    withToolhost ? limitsTable(verdicts) : "Skipped: --peers-only.",
  ];
  return { sections, verdicts };
}

function busyNote(loadAtStart) {
  const busy = Number(loadAtStart.split(" ")[0]) > cpus().length / 2;
  return (
    busy &&
    "The machine was busy with other work at the start: the ratios are more reliable than the times, and both are inaccurate."
  );
}

function count(name, fallback) {
  const number = Number(values[name] ?? fallback);
  if (!Number.isInteger(number) || number < 1) {
    console.error(`--${name} must be a whole number from 1 on.\n\n${usage}`);
    process.exit(2);
  }
  return number;
}
