import { bounds } from "./bounds.ts";
import type { Offer, Share } from "./offer.ts";
import type { Worker } from "./worker.ts";

/** Which worker has the calls of a session. The sessions that were used last are remembered. */
export interface Sessions {
  /** The share of the worker that has the session's calls of this offer, if it still takes calls. */
  shareOf(session: string, offer: Offer): Share | undefined;
  /** The worker got a call of the session: it gets the later ones too. */
  bind(session: string, worker: Worker): void;
}

export function createSessions(): Sessions {
  /** Several workers of a session if no one of them has all the tools that the session calls. */
  const workers = new Map<string, Worker[]>();
  return {
    shareOf(session, offer) {
      for (const worker of workers.get(session) ?? []) {
        const share = worker.shares.get(offer);
        if (share !== undefined) return share;
      }
      return undefined;
    },
    bind(session, worker) {
      const known = workers.get(session) ?? [];
      workers.delete(session);
      const serving = known.includes(worker) ? known : [...known.filter(({ shares }) => shares.size > 0), worker];
      workers.set(session, serving);
      if (workers.size <= bounds.sessions) return;
      for (const oldest of workers.keys()) return void workers.delete(oldest);
    },
  };
}
