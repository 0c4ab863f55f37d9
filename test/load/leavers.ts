import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { callBytes, startLoadedService } from "./loaded-service.ts";
import { type LoadRow, milliseconds, percentile } from "./load-report.ts";

const callsOfPipeliner = 4;
/** So many leave together, and the next so many so long after them. */
const wave = 50;
const waveMs = 25;
const limitMs = 100;
const patienceMs = 10_000;

/**
 * Clients that leave in the middle of a call within half a second: half of them wait for one call, half have sent
 * several; half close, half reset. Every call that was started must see its signal, and soon.
 */
export async function checkLeavers({ clients }: { readonly clients: number }): Promise<LoadRow[]> {
  const service = await startLoadedService();
  const sockets: Socket[] = [];
  const socketOf = new Map<number, number>();
  for (let client = 0; client < clients; client++) {
    const socket = await open(service.port);
    sockets.push(socket);
    const calls = client % 2 === 0 ? 1 : callsOfPipeliner;
    for (let call = 0; call < calls; call++) {
      const id = socketOf.size;
      socketOf.set(id, client);
      socket.write(callBytes("wait", { ms: 50_000, id }));
    }
  }
  await until(async () => (await service.metric("toolhost_calls_in_flight")) === socketOf.size);

  const leftAt: number[] = [];
  for (const [client, socket] of sockets.entries()) {
    // Not in one instant: how long the last of them waits would then be how long all of them take.
    if (client % wave === 0) await sleep(waveMs);
    leftAt.push(performance.timeOrigin + performance.now());
    if (client % 4 < 2) socket.destroy();
    else socket.resetAndDestroy();
  }
  const abortedAt = async (): Promise<[number, number][]> => {
    const { calls } = await service.call("left");
    return calls as [number, number][];
  };
  await until(async () => (await abortedAt()).length >= socketOf.size).catch(() => undefined);
  const aborted = await abortedAt();
  const delays = aborted.map(([id, at]) => at - leftAt[socketOf.get(id)!]!).sort((a, b) => a - b);
  const inFlight = await service.metric("toolhost_calls_in_flight");
  await service.stop();

  const slowest = percentile(delays, 1);
  return [
    {
      check: `${clients} clients leave, half of them pipelining`,
      limit: `${socketOf.size} of ${socketOf.size} signals`,
      measured: `${aborted.length} of ${socketOf.size} signals, ${inFlight} in flight after`,
      holds: aborted.length === socketOf.size && inFlight === 0,
    },
    {
      check: "from leaving to the signal",
      limit: `at most ${milliseconds(limitMs)}`,
      measured: `median ${milliseconds(percentile(delays, 0.5))}, worst ${milliseconds(slowest)}`,
      holds: slowest <= limitMs,
    },
  ];
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("error", reject).once("connect", () => resolve(socket));
  });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`It did not happen within ${patienceMs} ms.`);
    await sleep(20);
  }
}
