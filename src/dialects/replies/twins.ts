import { canonicalJson } from "../../core/canonical.ts";
import { createValuesLeft, readArgumentsText, type ValuesLeft } from "./arguments.ts";

/** What tells a call from others: providers' results name its id alone. */
export interface CallIdentity {
  /** Undefined if it has none: then no call is its twin. */
  readonly id: string | undefined;
  readonly name: unknown;
  /** A value, or the JSON text of one. */
  readonly args: unknown;
}

/**
 * Calls that are told twice, which must not run twice: same id, tool and arguments. Arguments are the same if their values
 * are. Of calls with one id and anything else that differs, each is a call of its own.
 * @returns for each call the place of the first that it repeats; undefined if it repeats none
 */
export function findTwins(calls: readonly CallIdentity[]): (number | undefined)[] {
  const seenIds = new Set<string>();
  const repeatedIds = new Set<string>();
  for (const { id } of calls) {
    if (id === undefined) continue;
    if (seenIds.has(id)) repeatedIds.add(id);
    seenIds.add(id);
  }
  const left = createValuesLeft();
  const firsts = new Map<string, number>();
  return calls.map(({ id, name, args }, place) => {
    if (id === undefined || !repeatedIds.has(id)) return undefined;
    const key = JSON.stringify([id, name, argumentsKey(args, left)]);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, place);
    return first;
  });
}

function argumentsKey(args: unknown, left: ValuesLeft): string {
  if (args == null) return "{}";
  if (typeof args !== "string") return canonicalJson(args);
  const { value, refusal } = readArgumentsText(args, left);
  return refusal === undefined ? canonicalJson(value) : args;
}
