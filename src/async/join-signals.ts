import { setMaxListeners } from "node:events";

/**
 * AbortSignal.any references its sources weakly: a signal without another reference, such as AbortSignal.timeout, would
 * be collected before it fires.
 */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/** A signal that aborts with the first of these, and keeps references to them. */
export function joinSignals(given: readonly AbortSignal[]): AbortSignal {
  const joined = AbortSignal.any([...given]);
  sources.set(joined, given);
  setMaxListeners(0, joined); // No listener limit: any number may wait on it.
  return joined;
}
