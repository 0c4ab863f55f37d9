import { fileURLToPath } from "node:url";
import { invokeCall } from "./candidates.mjs";
import { outputOf, withManyFiles } from "./children.mjs";
import { cpuUs, peakRssBytes, rssBytes, settle } from "./measure.mjs";
import { pinned } from "./pin.mjs";
import { startServer } from "./start.mjs";

const client = fileURLToPath(new URL("burst-client.mjs", import.meta.url));

/**
 * Many calls of a one-second tool at once, against a server that was only just started: nothing is warm.
 * @param {import('./candidates.mjs').Candidate} candidate
 * @param {{ count: number, port: number }} options
 */
export async function measureBurst(candidate, { count, port }) {
  const server = await startServer(candidate, { port });
  await settle();
  const idle = { cpu: cpuUs(server.pid), rss: rssBytes(server.pid) };
  const url = server.url + invokeCall("bench_sleep")({}).path;
  const output = await outputOf(withManyFiles(pinned("load", [process.execPath, client, url, `${count}`])), {
    PATH: process.env.PATH,
  });
  await settle();
  const result = {
    ...JSON.parse(output),
    cpuSeconds: (cpuUs(server.pid) - idle.cpu) / 1e6,
    idleRss: idle.rss,
    rss: rssBytes(server.pid),
    peakRss: peakRssBytes(server.pid),
  };
  await server.stop();
  return result;
}
