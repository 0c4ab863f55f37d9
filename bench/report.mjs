import os from "node:os";
import { spawnSync } from "node:child_process";
import { loadGenerator } from "./load.mjs";
import { cpuSource } from "./measure.mjs";
import { canPin } from "./pin.mjs";
import { median, ratio, spread } from "./statistics.mjs";

const megabytes = (bytes) => (bytes === undefined ? "unknown" : (bytes / 1e6).toFixed(0));
const whole = (number) => Math.round(number).toLocaleString("en");
const range = ({ median, min, max }, digits) =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;

export function loadAverage() {
  return os
    .loadavg()
    .map((load) => load.toFixed(2))
    .join(" ");
}

/** @param {{ loadAtStart: string, options: { rounds: number, seconds: number, starts: number }, nodes: import('./nodes.mjs').Node[] }} run */
export function machineSection({ loadAtStart, options, nodes }) {
  const version =
    loadGenerator === "wrk"
      ? /wrk \S+/.exec(spawnSync("wrk", ["-v"], { encoding: "utf8" }).stdout)?.[0]
      : loadGenerator;
  return [
    `- ${os.cpus().length} cores, ${os.cpus()[0]?.model.trim() ?? "unknown model"}, ${(os.totalmem() / 2 ** 30).toFixed(0)} GiB, ${os.type()} ${os.release()}`,
    `- servers on Node ${nodes.map(({ version }) => version).join(" and ")}, load by ${version ?? loadGenerator}`,
    canPin
      ? "- servers pinned to core 0; the load generator and the benchmark to core 1"
      : "- NOT pinned (no taskset, or fewer than two cores to use): server and load disturb each other",
    `- server CPU from ${cpuSource}`,
    `- ${options.rounds} rounds of ${options.seconds} s per candidate and connection count, order rotated, over ${options.starts} process(es) per candidate`,
    `- load average at the start ${loadAtStart}, at the end ${loadAverage()}`,
  ].join("\n");
}

export function invokeTable({ candidates, samples, connections }) {
  const cpu = (id) => samples[id][connections].map((sample) => sample.cpuUs);
  const rows = candidates.map(({ id, name }) => {
    const perSecond = samples[id][connections].map((sample) => sample.perSecond);
    const core = samples[id][connections].map((sample) => sample.core);
    return [
      name,
      range(spread(cpu(id)), 1),
      range(ratio(cpu(id), cpu("limit")), 2),
      whole(median(perSecond)),
      median(core).toFixed(2),
    ];
  });
  return table(
    [
      `${connections} connections`,
      "CPU µs/request, median (min–max)",
      "ratio to (b), median (min–max) of rounds",
      "requests/s, median",
      "core used",
    ],
    rows,
  );
}

export function startSection({ candidates, starts, rssAfterLoad }) {
  const base = median(starts.limit.idleRss);
  const rows = candidates.map(({ id, name }) => {
    const idle = median(starts[id].idleRss);
    return [
      name,
      range(spread(starts[id].cpuSeconds), 2),
      megabytes(idle),
      megabytes(idle - base),
      megabytes(rssAfterLoad[id]),
    ];
  });
  const costs = table(
    ["candidate", "start, CPU s, median (min–max)", "idle RSS, MB", "over (b), MB", "RSS after load, MB"],
    rows,
  );
  if (!starts["toolhost-warn"]) return costs;
  return `${costs}\n\nToolhost starts here with its bundled tools; the RSS after load is of the instance above, without them.`;
}

export function manyToolsSection({ listed, connections, startCpuSeconds, bytes, cpuUs, toInvoke }) {
  const names = {
    plain: "GET /tools",
    gzip: "GET /tools, gzip",
    etag: "GET /tools, If-None-Match → 304",
    openai: "GET /tools?format=openai",
    tenCalls: "POST /calls, ten calls",
  };
  const rows = Object.entries(names).map(([id, name]) => [
    name,
    bytes[id] === undefined ? "" : whole(bytes[id]),
    range(cpuUs[id], 1),
    range(toInvoke[id], 2),
  ]);
  return [
    `${whole(listed)} tools listed; start ${startCpuSeconds.toFixed(2)} CPU s; ${connections} connections.`,
    "",
    table(
      ["request", "bytes", "CPU µs/request, median (min–max)", "ratio to a call, median (min–max) of rounds"],
      [["POST /tools/bench_weather/invoke", "", range(cpuUs.invoke, 1), "1"], ...rows],
    ),
  ].join("\n");
}

export function mcpSection({ connections, cpuUs, toInvoke }) {
  const names = {
    invoke: "POST /tools/bench_weather/invoke",
    legacy: "POST /mcp, tools/call, 2025-06-18",
    modern: "POST /mcp, tools/call, 2026-07-28",
    sdk: "(e) the MCP SDK's own server, 2025-06-18",
  };
  const rows = Object.entries(names).map(([id, name]) => [name, range(cpuUs[id], 1), range(toInvoke[id], 2)]);
  return [
    `${connections} connections; the same tool and arguments.`,
    "",
    table(["request", "CPU µs/request, median (min–max)", "ratio to a call, median (min–max) of rounds"], rows),
  ].join("\n");
}

export function mcpSourceSection({ cpuUs, toClient }) {
  return [
    "A server over stdin and stdout, 16 calls at once; what a call costs the process that calls.",
    "",
    table(
      ["caller", "CPU µs/call, median (min–max)", "times the client, median (min–max) of rounds"],
      [
        ["the official client's callTool", range(cpuUs.client, 1), "1"],
        ["a tool of an MCP source", range(cpuUs.source, 1), range(toClient, 2)],
      ],
    ),
  ].join("\n");
}

export function openApiSection({ connections, cpuUs, toHand }) {
  return [
    `${connections} connections; the API behind both tools answers at once, on the load's core.`,
    "",
    table(
      ["tool", "CPU µs/call, median (min–max)", "times by hand, median (min–max) of rounds"],
      [
        ["the request by hand, with context.fetch", range(cpuUs.hand, 1), "1"],
        ["the operation of a document", range(cpuUs.openapi, 1), range(toHand, 2)],
      ],
    ),
  ].join("\n");
}

export function workerSection({ connections, cpuUs, perSecond, toInvoke }) {
  const rowOf = (id, name, times) => [name, range(cpuUs[id], 1), times, whole(perSecond[id].median)];
  return [
    `${connections} connections; the worker answers at once and many calls at a time, on the load's core.`,
    "",
    table(
      ["call", "CPU µs/call, median (min–max)", "ratio to a call, median (min–max) of rounds", "calls/s, median"],
      [
        rowOf("invoke", "POST /tools/bench_weather/invoke", "1"),
        rowOf("worker", "the same tool of a worker", range(toInvoke, 2)),
      ],
    ),
  ].join("\n");
}

export function pythonSection({ connections, perSecond, toClient }) {
  return [
    `${connections} connections call a function that does nothing; worker and client run on the load's core.`,
    "",
    table(
      ["", "requests/s, median (min–max)", "times the client, median (min–max) of rounds"],
      [
        ["http.client, one connection, to (a)", range(perSecond.client, 0), "1"],
        ["calls of the Python worker", range(perSecond.worker, 0), range(toClient, 2)],
      ],
    ),
  ].join("\n");
}

export function burstTable({ candidates, burst }) {
  const rows = candidates
    .filter(({ id }) => burst[id])
    .map(({ id, name }) => {
      const { answered, failed, failures, peakInFlight, openMs, callsMs, cpuSeconds, idleRss, rss, peakRss } =
        burst[id];
      const reasons = Object.entries(failures)
        .map(([reason, times]) => `${reason}: ${times}`)
        .join(", ");
      return [
        name,
        whole(answered),
        reasons ? `${whole(failed)} (${reasons})` : whole(failed),
        whole(peakInFlight),
        (openMs / 1000).toFixed(2),
        (callsMs / 1000).toFixed(2),
        cpuSeconds.toFixed(2),
        `${megabytes(idleRss)} / ${megabytes(rss)} / ${megabytes(peakRss)}`,
      ];
    });
  return table(
    [
      "candidate",
      "answered",
      "failed",
      "in flight at once",
      "opening, s",
      "calls, wall s",
      "server CPU s",
      "RSS before / after / peak, MB",
    ],
    rows,
  );
}

/** @param {import('./limits.mjs').Verdict[]} verdicts */
export function limitsTable(verdicts) {
  return table(
    ["", "limit", "measured"],
    verdicts.map(({ pass, limit, measured }) => [pass ? "PASS" : "FAIL", limit, measured]),
  );
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(head),
    `|${head.map((_, column) => (column === 0 ? "---|" : "---:|")).join("")}`,
    ...rows.map(line),
  ].join("\n");
}
