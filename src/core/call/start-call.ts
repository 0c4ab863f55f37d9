import type { Outcome } from "../outcome.ts";
import type { Registry } from "../registry/registry.ts";
import type { Call } from "./call.ts";
import { startCall } from "./invoke.ts";
import type { PreparedCall } from "./prepared-call.ts";

/**
 * Starts a call, and passes its outcome to `done`: once, in the same turn if the tool does not return a promise. It
 * never throws.
 *
 * With `ready`, the call is only prepared: `ready` gets it once its arguments are checked, in the same turn, and may run
 * it later. `done` then gets only a refusal. Neither function may throw.
 *
 * All doors of a registry share one value. A function that must see every call, such as idempotency or a queue, takes a
 * StartCall and returns another, which the doors get instead. It passes `ready` on, or calls it itself.
 */
export type StartCall = (
  call: Call,
  done: (outcome: Outcome) => void,
  ready?: (prepared: PreparedCall) => void,
) => void;

/** Binds {@link startCall} to a registry. */
export function createStartCall(registry: Registry): StartCall {
  return (call, done, ready) => startCall(registry, call, done, ready);
}

/** The outcome of a call as a promise, for doors that can afford a promise. */
export function outcomeOf(startCall: StartCall, call: Call): Promise<Outcome> {
  return new Promise((resolve) => startCall(call, resolve));
}
