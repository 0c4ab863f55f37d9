import { joinSignals } from "../async/join-signals.ts";

/** {@link joinSignals} of those that are defined; undefined if none is. */
export function joinGiven(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length === 0 ? undefined : joinSignals(given);
}

/** The result of the work, or a rejection with the signal's reason as soon as it aborts. */
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
