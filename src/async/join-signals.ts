import { setMaxListeners } from "node:events";

/** AbortSignal.any holds its sources weakly: one that nobody else holds, as AbortSignal.timeout, would be collected before it fires. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/** A signal that is aborted with the first of these, and keeps them. */
export function joinSignals(given: readonly AbortSignal[]): AbortSignal {
  const joined = AbortSignal.any([...given]);
  sources.set(joined, given);
  setMaxListeners(0, joined); // As many may wait for it as like.
  return joined;
}
