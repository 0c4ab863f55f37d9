import type { Outcome } from "../outcome.ts";
import type { Registry } from "../registry/registry.ts";
import type { Call } from "./call.ts";
import { startCall } from "./invoke.ts";

/**
 * Starts a call, and passes its outcome to `done`: once, in the same turn if the tool does not return a promise. It
 * never throws.
 *
 * All doors of a registry share one value. A function that must see every call, such as idempotency or a queue, takes a
 * StartCall and returns another, which the doors get instead.
 */
export type StartCall = (call: Call, done: (outcome: Outcome) => void) => void;

/** Binds {@link startCall} to a registry. */
export function createStartCall(registry: Registry): StartCall {
  return (call, done) => startCall(registry, call, done);
}

/** The outcome of a call as a promise, for doors that can afford a promise. */
export function outcomeOf(startCall: StartCall, call: Call): Promise<Outcome> {
  return new Promise((resolve) => startCall(call, resolve));
}
