import type { Socket } from "node:net";
import { type Cancellation, cancel } from "../core/running-call.ts";
import type { Exchange } from "./exchange.ts";

// One listener a socket, not one a request: with pipelining a request's own events tell of the first one only.
const calls = Symbol("calls in flight");
type WatchedSocket = Socket & { [calls]?: Set<Cancellation> };

/** A cancellation that happens when the client leaves. */
export function watchDeparture(exchange: Exchange): Cancellation {
  const cancellation: Cancellation = { cancelled: false, onCancel: undefined };
  const socket: WatchedSocket | undefined = exchange.incoming?.socket;
  if (socket === undefined) {
    exchange.request?.signal.addEventListener("abort", () => cancel(cancellation), { once: true });
    cancellation.cancelled = exchange.request?.signal.aborted === true;
    return cancellation;
  }
  if (socket.destroyed) cancellation.cancelled = true;
  let inFlight = socket[calls];
  if (inFlight === undefined) {
    const watched = new Set<Cancellation>();
    inFlight = watched;
    socket[calls] = watched;
    socket.once("close", () => watched.forEach(cancel));
  }
  inFlight.add(cancellation);
  return cancellation;
}

export function unwatchDeparture(exchange: Exchange, cancellation: Cancellation): void {
  const socket: WatchedSocket | undefined = exchange.incoming?.socket;
  socket?.[calls]?.delete(cancellation);
}
