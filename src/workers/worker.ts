import type { Skipped } from "../core/registry/tool-groups.ts";
import type { Offer, Share } from "./offer.ts";
import { createRecentIds, type RecentIds } from "./recent-ids.ts";
import type { WaitingPoll } from "./poll.ts";
import type { WorkerCall } from "./worker-call.ts";

/** A registered worker. */
export interface Worker {
  /** Cannot be guessed. */
  readonly id: string;
  readonly name: string;
  /** The hash of its token. */
  readonly tokenId: string;
  /** How many calls it runs at once; `Infinity` if it did not say. */
  readonly concurrency: number;
  /** What it offers. Empty after it has left. */
  readonly shares: Map<Offer, Share>;
  /** Tools that it may not offer. */
  refused: readonly Skipped[];
  /** The calls that were handed out to it and are not over, by their ids. */
  readonly calls: Map<string, WorkerCall>;
  /** Ids of calls that were handed out to it and are over. */
  readonly ended: RecentIds;
  /** Calls that are over before it answered, of which it was not told yet. */
  cancelled: string[];
  poll: WaitingPoll | undefined;
  /** How many calls it took at most by its last poll. */
  asked: number;
  /** When its last request came, in Unix time. */
  seenAt: number;
  /** Its lease ends then, on the clock of `now`. */
  leaseEndsAt: number;
  /** It has left, or must register again: it gets no calls, and may answer those that run. */
  isLeaving: boolean;
  /** Whether the end of its lease ends its calls. After it has left, only if it polls: it may as well send nothing until a call ends. */
  hasLease: boolean;
  /** Its progress reports and log entries of the second that began at `since`, on the clock of `now`. */
  readonly reports: { since: number; count: number };
}

/** How many ids of ended calls are remembered, to tell a late answer from one for a call of somebody else. */
const endedCalls = 1000;

export function createWorker(given: Pick<Worker, "id" | "name" | "tokenId" | "concurrency" | "refused">): Worker {
  return {
    ...given,
    shares: new Map(),
    calls: new Map(),
    ended: createRecentIds(endedCalls),
    cancelled: [],
    poll: undefined,
    asked: 1,
    seenAt: Date.now(),
    leaseEndsAt: Infinity,
    isLeaving: false,
    hasLease: true,
    reports: { since: 0, count: 0 },
  };
}

/** How many more calls it can take. */
export function freeOf({ concurrency, calls }: Worker): number {
  return concurrency - calls.size;
}
