import { median, ratio } from "./statistics.mjs";

/**
 * @typedef {{ limit: string, measured: string, pass: boolean }} Verdict
 */

/**
 * What Toolhost promises about its speed on one Node, each as a ratio to a peer of the same run or as an absolute cost.
 * The ratios are medians of per-round ratios.
 * @returns {Verdict[]}
 */
export function checkLimits({
  node,
  rounds,
  starts,
  manyTools,
  openApi,
  mcp,
  mcpSource,
  workerCalls,
  pythonWorker,
  burst,
}) {
  const verdicts = [];
  const atMost = (limit, value, most, unit = "") => {
    verdicts.push({ limit: `${limit} <= ${most}${unit}`, measured: `${value.toFixed(2)}${unit}`, pass: value <= most });
  };
  const atLeast = (limit, value, least) => {
    verdicts.push({ limit: `${limit} >= ${least}`, measured: value.toFixed(2), pass: value >= least });
  };

  for (const connections of [16, 64]) {
    const cpu = (id) => rounds.samples[id][connections].map((sample) => sample.cpuUs);
    for (const [level, peer, most] of invokeLimits(node.major)) {
      const value = ratio(cpu(`toolhost-${level}`), cpu(peer)).median;
      atMost(
        `CPU time of a call at \`${level}\`, ${connections} connections, ratio to ${peerNames[peer]}`,
        value,
        most,
      );
    }
    if (rounds.samples["before-warn"] === undefined) continue;
    const change = ratio(cpu("toolhost-warn"), cpu("before-warn")).median;
    atMost(
      `CPU time of a call at \`warn\`, ${connections} connections, ratio to the version before the change`,
      change,
      1.03,
    );
  }

  const toolhost = starts["toolhost-warn"];
  const overLimitMB = (median(toolhost.idleRss) - median(starts.limit.idleRss)) / 1e6;
  atMost("CPU time of the start with the bundled tools", median(toolhost.cpuSeconds), 0.6, " CPU s");
  atMost("memory (RSS) without load, in addition to (b)", overLimitMB, 40, " MB");

  atMost("GET /tools of 1,000 tools with ETag, ratio to a call", manyTools.toInvoke.etag.median, 3);
  atMost("GET /tools of 1,000 tools with gzip, ratio to a call", manyTools.toInvoke.gzip.median, 3);

  atMost("GET /tools?format=openai of 1,000 tools, ratio to the plain list", manyTools.openaiToPlain.median, 2);
  atMost("POST /calls with ten calls, ratio to a call", manyTools.toInvoke.tenCalls.median, 6);

  atMost("a call through an OpenAPI tool, ratio to the same request by hand", openApi.toHand.median, 1.5);

  atMost("tools/call over /mcp, 2025-06-18, ratio to a call", mcp.toInvoke.legacy.median, 2);
  atMost("tools/call over /mcp, 2026-07-28, ratio to a call", mcp.toInvoke.modern.median, 2);

  atMost("a call of an MCP server over stdin, ratio to the official client", mcpSource.toClient.median, 1.5);

  atMost("a call of a batching worker, 64 connections, ratio to an invoke", workerCalls.toInvoke.median, 3);

  if (pythonWorker !== undefined) {
    const { connections, perSecond, toClient } = pythonWorker;
    atLeast(`Python worker, ${connections} connections: calls a second`, perSecond.worker.median, 2000);
    atLeast(
      "Python worker: calls a second, compared with a loop that uses Python's own HTTP client, ratio",
      toClient.median,
      0.4,
    );
  }

  const { answered, count } = burst["toolhost-warn"];
  verdicts.push({
    limit: `${count.toLocaleString("en")} calls of a one-second tool at once: all answered`,
    measured: `${answered.toLocaleString("en")} answered`,
    pass: answered === count,
  });
  return verdicts;
}

const peerNames = { limit: "(b)", fastify: "(c)", express: "(d)" };

/**
 * Log level, peer, and how many times the peer's CPU an invoke may cost. Node 24 made the AbortController of (b) cheap,
 * which is most of what Toolhost saves on Node 20; from there on the default log level has limits of its own.
 * @param {number} major of the Node that all of them run on
 * @returns {[level: 'warn' | 'info', peer: keyof typeof peerNames, most: number][]}
 */
function invokeLimits(major) {
  if (major < 24) {
    return [
      ["warn", "limit", 1.25],
      ["warn", "fastify", 1],
      ["warn", "express", 0.25],
    ];
  }
  return [
    ["warn", "limit", 0.95],
    ["info", "limit", 1.05],
    ["warn", "fastify", 0.9],
    ["info", "fastify", 1],
  ];
}
