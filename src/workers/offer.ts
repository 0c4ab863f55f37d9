import type { ToolWarning } from "../core/observer.ts";
import type { Tool } from "../tool/tool.ts";
import type { Worker } from "./worker.ts";
import type { WorkerCall } from "./worker-call.ts";

/** One declaration of a tool, and the workers that offer it. */
export interface Offer {
  /** Equal for equal declarations with equal settings and equal trust: such tools are shared. */
  readonly key: string;
  /** As the registry gets it. */
  readonly tool: Tool;
  /** How many calls of it one worker runs at once; `Infinity` if it did not say. */
  readonly concurrency: number;
  readonly trustsAnnotations: boolean;
  readonly warnings: readonly ToolWarning[];
  readonly shares: Set<Share>;
  /** Calls that any of its workers may take, the oldest first. */
  readonly waiting: Set<WorkerCall>;
}

/** One worker's part in an offer. */
export interface Share {
  readonly worker: Worker;
  readonly offer: Offer;
  /** Calls of the offer that the worker runs. */
  running: number;
  /** Calls that only this worker may take, because of their session. */
  readonly waiting: Set<WorkerCall>;
}

/** Adds a worker to those that offer a declaration. */
export function join(worker: Worker, offer: Offer): void {
  const share: Share = { worker, offer, running: 0, waiting: new Set() };
  worker.shares.set(offer, share);
  offer.shares.add(share);
}
