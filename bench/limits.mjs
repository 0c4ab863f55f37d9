import { median, ratio } from "./statistics.mjs";

/**
 * @typedef {{ limit: string, measured: string, pass: boolean }} Verdict
 */

/**
 * What Toolhost promises about its speed on one Node, each as a ratio to a peer of the same run or as an absolute cost.
 * The ratios are medians of per-round ratios.
 * @returns {Verdict[]}
 */
export function checkLimits({ node, rounds, starts, manyTools, openApi, mcp, mcpSource, burst }) {
  const verdicts = [];
  const atMost = (limit, value, most, unit = "") => {
    verdicts.push({ limit: `${limit} <= ${most}${unit}`, measured: `${value.toFixed(2)}${unit}`, pass: value <= most });
  };

  for (const connections of [16, 64]) {
    const cpu = (id) => rounds.samples[id][connections].map((sample) => sample.cpuUs);
    for (const [level, peer, most] of invokeLimits(node.major)) {
      const value = ratio(cpu(`toolhost-${level}`), cpu(peer)).median;
      atMost(`CPU per invoke at \`${level}\`, ${connections} connections, times ${peerNames[peer]}`, value, most);
    }
    if (rounds.samples["before-warn"] === undefined) continue;
    const change = ratio(cpu("toolhost-warn"), cpu("before-warn")).median;
    atMost(`CPU per invoke at \`warn\`, ${connections} connections, times before the change`, change, 1.03);
  }

  const toolhost = starts["toolhost-warn"];
  const overLimitMB = (median(toolhost.idleRss) - median(starts.limit.idleRss)) / 1e6;
  atMost("start with the bundled tools", median(toolhost.cpuSeconds), 0.6, " CPU s");
  atMost("idle RSS over (b)", overLimitMB, 40, " MB");

  atMost("GET /tools of 1,000 tools by ETag, times an invoke", manyTools.toInvoke.etag.median, 3);
  atMost("GET /tools of 1,000 tools by gzip, times an invoke", manyTools.toInvoke.gzip.median, 3);

  atMost("GET /tools?format=openai of 1,000 tools, times the plain list", manyTools.openaiToPlain.median, 2);
  atMost("POST /calls with ten calls, times an invoke", manyTools.toInvoke.tenCalls.median, 6);

  atMost("a call through an OpenAPI tool, times the same request by hand", openApi.toHand.median, 1.5);

  atMost("tools/call over /mcp, 2025-06-18, times an invoke", mcp.toInvoke.legacy.median, 2);
  atMost("tools/call over /mcp, 2026-07-28, times an invoke", mcp.toInvoke.modern.median, 2);

  atMost("a call of an MCP server over stdin, times the official client's", mcpSource.toClient.median, 1.5);

  const { answered, count } = burst["toolhost-warn"];
  verdicts.push({
    limit: `${count.toLocaleString("en")} calls of a one-second tool at once: all answered`,
    measured: `${answered.toLocaleString("en")} answered`,
    pass: answered === count,
  });
  return verdicts;
}

const peerNames = { limit: "(b) the limit's", fastify: "(c) Fastify's", express: "(d) Express + zod's" };

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
