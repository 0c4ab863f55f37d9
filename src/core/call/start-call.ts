import type { Outcome } from "../outcome.ts";
import type { Registry } from "../registry/registry.ts";
import type { Call } from "./call.ts";
import { startCall } from "./invoke.ts";

/**
 * Starts a call, and passes its outcome to `done`: once, in the same turn if the tool returns no promise. It never throws.
 *
 * One value for all doors of a registry. A function that must see every call, as for idempotency or a queue, takes a
 * StartCall and returns another, which the doors are given in its place.
 */
export type StartCall = (call: Call, done: (outcome: Outcome) => void) => void;

/** Binds the way of a call to a registry. */
export function createStartCall(registry: Registry): StartCall {
  return (call, done) => startCall(registry, call, done);
}

/** The outcome of a call as a promise, for doors to which a promise more is no cost. */
export function outcomeOf(startCall: StartCall, call: Call): Promise<Outcome> {
  return new Promise((resolve) => startCall(call, resolve));
}
