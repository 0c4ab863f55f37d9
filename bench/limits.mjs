import { median, ratio } from "./statistics.mjs";

/**
 * @typedef {{ limit: string, measured: string, pass: boolean }} Verdict
 */

/**
 * What Toolhost promises about its speed, each as a ratio to a peer of the same run or as an absolute cost.
 * The ratios are medians of per-round ratios.
 * @returns {Verdict[]}
 */
export function checkLimits({ rounds, starts, manyTools, burst }) {
  const verdicts = [];
  const atMost = (limit, value, most, unit = "") => {
    verdicts.push({ limit: `${limit} <= ${most}${unit}`, measured: `${value.toFixed(2)}${unit}`, pass: value <= most });
  };

  for (const connections of [16, 64]) {
    const cpu = (id) => rounds.samples[id][connections].map((sample) => sample.cpuUs);
    const times = (id) => ratio(cpu("toolhost-warn"), cpu(id)).median;
    atMost(`CPU per invoke at ${connections} connections, times (b) the limit's`, times("limit"), 1.25);
    atMost(`CPU per invoke at ${connections} connections, times (c) Fastify's`, times("fastify"), 1);
    atMost(`CPU per invoke at ${connections} connections, times (d) Express + zod's`, times("express"), 0.25);
  }

  const toolhost = starts["toolhost-warn"];
  const overLimitMB = (median(toolhost.idleRss) - median(starts.limit.idleRss)) / 1e6;
  atMost("start with the bundled tools", median(toolhost.cpuSeconds), 0.6, " CPU s");
  atMost("idle RSS over (b)", overLimitMB, 40, " MB");

  atMost("GET /tools of 1,000 tools by ETag, times an invoke", manyTools.toInvoke.etag.median, 3);
  atMost("GET /tools of 1,000 tools by gzip, times an invoke", manyTools.toInvoke.gzip.median, 3);

  atMost("GET /tools?format=openai of 1,000 tools, times the plain list", manyTools.openaiToPlain.median, 2);
  atMost("POST /calls with ten calls, times an invoke", manyTools.toInvoke.tenCalls.median, 6);

  const { answered, count } = burst["toolhost-warn"];
  verdicts.push({
    limit: `${count.toLocaleString("en")} calls of a one-second tool at once: all answered`,
    measured: `${answered.toLocaleString("en")} answered`,
    pass: answered === count,
  });
  return verdicts;
}
