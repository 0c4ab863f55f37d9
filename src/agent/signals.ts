import { joinSignals } from "../async/join-signals.ts";

/** {@link joinSignals} of those that there are; undefined where there is none. */
export function joinGiven(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length === 0 ? undefined : joinSignals(given);
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
