import type { Observer } from "../core/observer.ts";

/** One observer that calls all of these, in their order. What each does per call counts as part of the call. */
export function joinObservers(...observers: readonly Observer[]): Observer {
  return {
    onCall: join(observers.flatMap(({ onCall }) => onCall ?? [])),
    onToolLog: join(observers.flatMap(({ onToolLog }) => onToolLog ?? [])),
    onToolWarning: join(observers.flatMap(({ onToolWarning }) => onToolWarning ?? [])),
  };
}

function join<T>(listeners: readonly ((event: T) => void)[]): (event: T) => void {
  const [only] = listeners;
  if (only !== undefined && listeners.length === 1) return only;
  return (event) => {
    for (const listener of listeners) listener(event);
  };
}
