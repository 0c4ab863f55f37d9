import { setMaxListeners } from "node:events";

/** A signal that is aborted with the first of these; undefined where there is none. */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  if (given.length === 0) return undefined;
  const joined = AbortSignal.any(given);
  setMaxListeners(0, joined); // One for each call that runs.
  return joined;
}

/** What comes of the work, or the signal's reason as soon as it is given. */
export function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): PromiseLike<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    const stay = (): void => signal.removeEventListener("abort", leave);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).then(stay, stay);
  });
}
