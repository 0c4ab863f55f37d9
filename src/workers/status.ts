import type { Registry } from "../core/registry/registry.ts";
import type { Skipped } from "../core/registry/tool-groups.ts";
import type { SourceStatus, WorkerStatus } from "../core/source.ts";
import type { Offers } from "./offers.ts";
import { freeOf, type Worker } from "./worker.ts";

/** The sources of workers, for `/status`: one for each name. */
export function describeWorkers(registry: Registry, offers: Offers, workers: readonly Worker[]): SourceStatus[] {
  const names = new Set([...offers.owners(), ...workers.map(({ name }) => name)]);
  const tools = new Map<string, number>();
  for (const { source } of registry.list()) tools.set(source, (tools.get(source) ?? 0) + 1);
  return [...names].sort().map((name) => {
    const own = workers.filter((worker) => worker.name === name);
    const isServed = own.some(({ isLeaving }) => !isLeaving);
    return {
      name,
      kind: "workers",
      state: isServed ? "ready" : "connecting",
      ...(!isServed && { reason: "no worker of this name is registered" }),
      isRead: true,
      tools: tools.get(name) ?? 0,
      skipped: distinct([...own.flatMap(({ refused }) => refused), ...registry.skipped(name)]),
      warnings: offers.warningsOf(name),
      workers: own.map(describeWorker),
    };
  });
}

/** All workers of a name usually have the same problems. */
function distinct(skipped: readonly Skipped[]): Skipped[] {
  return [...new Map(skipped.map((each) => [JSON.stringify([each.name, each.reason]), each])).values()];
}

function describeWorker(worker: Worker): WorkerStatus {
  const { name, shares, seenAt, calls, isLeaving } = worker;
  const free = isLeaving ? 0 : freeOf(worker);
  return {
    name,
    tools: shares.size,
    lastSeen: new Date(seenAt).toISOString(),
    inFlight: calls.size,
    free: free === Infinity ? null : Math.max(0, free),
  };
}
