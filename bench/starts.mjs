import { setTimeout as sleep } from "node:timers/promises";
import { rssBytes } from "./measure.mjs";
import { startServer } from "./start.mjs";

const idleAfterMs = 2000;

/**
 * What a start costs, and what an idle process holds two seconds later.
 * @param {import('./candidates.mjs').Candidate[]} candidates
 * @param {{ starts: number, port: number, say: (text: string) => void }} options
 * @returns {Promise<Record<string, { cpuSeconds: number[], idleRss: number[] }>>}
 */
export async function measureStarts(candidates, { starts, port, say }) {
  const results = Object.fromEntries(candidates.map(({ id }) => [id, { cpuSeconds: [], idleRss: [] }]));
  for (let start = 0; start < starts; start++) {
    say(`start ${start + 1} of ${starts}`);
    // One after another, because two starts at once would share the core; only the idle wait is common.
    const servers = [];
    for (const [index, candidate] of candidates.entries()) {
      const server = await startServer(candidate, { port: port + index });
      results[candidate.id].cpuSeconds.push(server.startCpuUs / 1e6);
      servers.push({ ...server, id: candidate.id, idleAt: Date.now() + idleAfterMs });
    }
    for (const { id, pid, idleAt, stop } of servers) {
      await sleep(Math.max(0, idleAt - Date.now()));
      results[id].idleRss.push(rssBytes(pid));
      await stop();
    }
  }
  return results;
}
