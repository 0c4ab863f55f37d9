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
  /**
   * The shares of the session's workers: of several if none of them has all the tools that the session calls. They are
   * empty after their worker has left, so that no worker is kept in memory by its sessions.
   */
  const sharesOf = new Map<string, Worker["shares"][]>();
  return {
    shareOf(session, offer) {
      for (const shares of sharesOf.get(session) ?? []) {
        const share = shares.get(offer);
        if (share !== undefined) return share;
      }
      return undefined;
    },
    bind(session, { shares }) {
      const known = sharesOf.get(session) ?? [];
      sharesOf.delete(session);
      const serving = known.includes(shares) ? known : [...known.filter(({ size }) => size > 0), shares];
      sharesOf.set(session, serving);
      if (sharesOf.size <= bounds.sessions) return;
      for (const oldest of sharesOf.keys()) return void sharesOf.delete(oldest);
    },
  };
}
