import { canonicalJson } from "../../json/canonical.ts";
import { createValuesLeft, readArgumentsText, type ValuesLeft } from "./arguments.ts";
import { fingerprint } from "./fingerprint.ts";

/** What distinguishes a call from others: a provider's result names only its id. */
export interface CallIdentity {
  /** Undefined if it has none: then it has no twin. */
  readonly id: string | undefined;
  readonly name: unknown;
  /** A value, or the JSON text of one. */
  readonly args: unknown;
}

/**
 * Calls that were sent twice and must not run twice: same id, tool and arguments. Arguments are the same if their
 * values are equal. Calls that share an id but differ otherwise are separate calls.
 * @returns for each call the index of the first call that it repeats; undefined if it does not repeat one
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
  const groups = new Map<string, TwinGroup>();
  return calls.map(({ id, name, args }, place) => {
    if (id === undefined || !repeatedIds.has(id)) return undefined;
    const read = readable(args, left);
    const key = JSON.stringify([id, name, fingerprint(read.value), read.isText]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: place, args: read, places: undefined });
    return group && firstIn(group, read, place);
  });
}

/** Calls that may be the same. Their arguments are serialised only if there are several. */
interface TwinGroup {
  readonly first: number;
  readonly args: Readable;
  places: Map<string, number> | undefined;
}

interface Readable {
  readonly value: unknown;
  /** The value is a text that cannot be parsed. */
  readonly isText: boolean;
}

function firstIn(group: TwinGroup, args: Readable, place: number): number | undefined {
  group.places ??= new Map([[written(group.args), group.first]]);
  const key = written(args);
  const first = group.places.get(key);
  if (first === undefined) group.places.set(key, place);
  return first;
}

function written({ value, isText }: Readable): string {
  return isText ? (value as string) : canonicalJson(value);
}

function readable(args: unknown, left: ValuesLeft): Readable {
  if (args == null) return { value: {}, isText: false };
  if (typeof args !== "string") return { value: args, isText: false };
  const { value, refusal } = readArgumentsText(args, left);
  return refusal === undefined ? { value, isText: false } : { value: args, isText: true };
}
