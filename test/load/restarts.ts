import { setTimeout as sleep } from "node:timers/promises";
import { callBalanced } from "./balanced-calls.ts";
import { type LoadedService, startLoadedService } from "./loaded-service.ts";
import type { LoadRow } from "./load-report.ts";

const shutdownDelayMs = 300;
const clients = 32;

/**
 * Two replicas behind a balancer, restarted in turn under load. A balancer needs a moment to see that a replica leaves:
 * that is what `SHUTDOWN_DELAY_MS` is for. Whatever was sent must be answered, and none of it with a 503.
 */
export async function checkRestarts({ restarts }: { readonly restarts: number }): Promise<LoadRow[]> {
  const start = (): Promise<LoadedService> =>
    startLoadedService({ env: { SHUTDOWN_DELAY_MS: String(shutdownDelayMs) } });
  const replicas = [await start(), await start()];
  const calls = callBalanced({ clients });
  replicas.forEach((service, index) => calls.place(index, service));
  const exits: (number | null)[] = [];
  for (let restart = 0; restart < restarts; restart++) {
    const index = restart % replicas.length;
    // The other one must be taken for ready before this one leaves.
    await sleep(200);
    exits.push(await replicas[index]!.stop());
    replicas[index] = await start();
    calls.place(index, replicas[index]);
  }
  await sleep(200);
  await calls.end();
  await Promise.all(replicas.map((service) => service.stop()));

  const { sent, ok, refused, lost, unsent } = calls.counts;
  return [
    {
      check: `${restarts} restarts under load, ${shutdownDelayMs} ms of shutdown delay`,
      limit: "0 of the calls lost or refused",
      measured: `${lost} lost and ${refused} refused of ${sent}; ${unsent} found a closed door`,
      holds: lost === 0 && refused === 0 && ok === sent && sent > restarts * clients,
    },
    {
      check: "exits with 0",
      limit: `${restarts} of ${restarts}`,
      measured: `${exits.filter((code) => code === 0).length} of ${restarts}`,
      holds: exits.every((code) => code === 0),
    },
  ];
}
