import { sendLoad } from "./load.mjs";
import { cpuUs, rssBytes, settle } from "./measure.mjs";
import { startServer } from "./start.mjs";

/**
 * @typedef {{ cpuUs: number, perSecond: number, core: number }} Sample one round of one subject:
 *   CPU microseconds a request, requests a second, and the share of a core that the server used
 */

/** V8 optimises by calls, not by time: a slow server that is warmed by the clock would be measured half interpreted. */
const warmUpRequests = 5000;

/**
 * Short rounds of all candidates in turn, in another order each time, so that none has the quiet minute to itself.
 * Every candidate is a new process a few times over: one process instance can be 40 % off for its whole life.
 * @param {import('./candidates.mjs').Candidate[]} candidates
 * @param {{ connectionCounts: number[], rounds: number, starts: number, seconds: number, port: number, say: (text: string) => void }} options
 * @returns {Promise<{ samples: Record<string, Record<number, Sample[]>>, rssAfterLoad: Record<string, number> }>}
 */
export async function measureRounds(candidates, { connectionCounts, rounds, starts, seconds, port, say }) {
  const samples = {};
  const rssAfterLoad = {};
  for (const { id } of candidates) {
    samples[id] = Object.fromEntries(connectionCounts.map((connections) => [connections, []]));
    rssAfterLoad[id] = 0;
  }

  let round = 0;
  for (let start = 0; start < starts; start++) {
    say(`start ${start + 1} of ${starts}: warm-up`);
    const servers = {};
    for (const [index, candidate] of candidates.entries()) {
      servers[candidate.id] = await startServer(candidate, { port: port + index });
    }
    for (const connections of connectionCounts) {
      for (const { id } of candidates) await warmUp(servers[id].request(), { connections });
    }

    for (const lastRound = Math.round((rounds * (start + 1)) / starts); round < lastRound; round++) {
      say(`round ${round + 1} of ${rounds}`);
      for (const connections of connectionCounts) {
        for (const { id } of rotate(candidates, round)) {
          const sample = await sampleOf(servers[id].pid, servers[id].request(), { connections, seconds });
          samples[id][connections].push(sample);
        }
      }
    }

    for (const { id } of candidates) {
      rssAfterLoad[id] = Math.max(rssAfterLoad[id], rssBytes(servers[id].pid));
      await servers[id].stop();
    }
  }
  return { samples, rssAfterLoad };
}

export async function warmUp(request, { connections, requests = warmUpRequests }) {
  let sent = 0;
  while (sent < requests) sent += (await sendLoad(request, { connections, seconds: 1 })).requests;
}

/**
 * One round. Requests that were in the server when the load stopped are work without an answer: at most one a
 * connection, so below 1 % for fast servers and several per cent for those under 1,000 requests a second.
 * @returns {Promise<Sample>}
 */
export async function sampleOf(pid, request, { connections, seconds }) {
  await settle();
  const before = cpuUs(pid);
  const load = await sendLoad(request, { connections, seconds });
  await settle();
  const used = cpuUs(pid) - before;
  if (load.requests === 0 || Object.values(load.failures).some((count) => count > 0)) {
    throw new Error(`${request.method} ${request.url} failed at ${connections} connections: ${JSON.stringify(load)}`);
  }
  return {
    cpuUs: used / load.requests,
    perSecond: load.requests / load.seconds,
    core: used / 1e6 / load.seconds,
  };
}

export function rotate(list, by) {
  const first = by % list.length;
  return [...list.slice(first), ...list.slice(0, first)];
}
