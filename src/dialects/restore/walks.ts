import { isJsonObject, type JsonObject, setOwn } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import type { Repair } from "../../schema/repair.ts";
import type { Reader, Reading } from "./applicable.ts";
import type { Spend } from "./choices.ts";

/** The functions and settings of a walk through arguments. */
export interface Walk {
  readonly root: JsonObject;
  readonly reader: Reader;
  readonly spend: Spend;
}

/** The received names of the members of an object, if they were renamed back. */
export type WireNames = ReadonlyMap<object, ReadonlyMap<string, string>>;

export const noWireNames: WireNames = new Map();

export interface Named {
  readonly value: unknown;
  readonly repairs: readonly Repair[];
  readonly wireNames: WireNames;
}

/**
 * Gives keys their own names back.
 * @param rules `names`: the own name of each renamed key; `everywhere`: not only at the root
 */
export function renameBack(
  { root, reader, spend }: Walk,
  args: JsonObject,
  { names, everywhere }: { readonly names: ReadonlyMap<string, string>; readonly everywhere: boolean },
): Named {
  const { repairs, note } = createNotes(spend);
  const wireNames = new Map<object, ReadonlyMap<string, string>>();
  return { value: rename(args, root, ""), repairs, wireNames };

  function rename(value: unknown, schema: JsonObject, path: string): unknown {
    if (Array.isArray(value)) {
      const reading = reader.read(schema, value);
      return mapItems(value, reading, path, rename, spend);
    }
    if (!isJsonObject(value)) return value;
    const { object, wires } = renameKeys(value, schema, path);
    if (!everywhere) return object;
    const reading = reader.read(schema, object);
    const renamed = changeMembers(object, spend, (key, member) => {
      const below = typeof member === "object" && member !== null ? reading.ofProperty(key) : undefined;
      return below === undefined ? member : rename(member, below, path + pointerToken(wires.get(key) ?? key));
    });
    if (wires.size > 0) wireNames.set(renamed, wires);
    return renamed;
  }

  /** A key gets its own name back if a schema knows that name, no schema knows the key, and the name is free. */
  function renameKeys(object: JsonObject, schema: JsonObject, path: string): RenamedKeys {
    const known = reader.keysOf(schema);
    const wires = new Map<string, string>();
    const entries = Object.entries(object);
    spend(entries.length);
    for (const [wire] of entries) {
      const own = names.get(wire);
      if (own === undefined || !known.has(own) || known.has(wire) || Object.hasOwn(object, own)) continue;
      wires.set(own, wire);
      note("restored_key", path + pointerToken(wire));
    }
    if (wires.size === 0) return { object, wires };
    const ownNames = new Map([...wires].map(([own, wire]) => [wire, own]));
    const renamed: JsonObject = {};
    for (const [wire, member] of entries) setOwn(renamed, ownNames.get(wire) ?? wire, member);
    wireNames.set(renamed, wires);
    return { object: renamed, wires };
  }
}

interface RenamedKeys {
  readonly object: JsonObject;
  readonly wires: ReadonlyMap<string, string>;
}

/** Removes null if it stands for an absent property. */
export function dropNulls(
  { root, reader, spend }: Walk,
  args: unknown,
  wireNames: WireNames,
): { readonly value: unknown; readonly repairs: readonly Repair[] } {
  const { repairs, note } = createNotes(spend);
  return { value: drop(args, root, ""), repairs };

  function drop(value: unknown, schema: JsonObject, path: string): unknown {
    if (Array.isArray(value)) return mapItems(value, reader.read(schema, value), path, drop, spend);
    if (!isJsonObject(value)) return value;
    const reading = reader.read(schema, value);
    const wires = wireNames.get(value);
    return changeMembers(value, spend, (key, member) => {
      if (typeof member !== "object") return member;
      if (member === null) {
        if (reading.readNull(key) === "null") return member;
        note("dropped_null", path + pointerToken(wires?.get(key) ?? key));
        return leftOut;
      }
      const below = reading.ofProperty(key);
      return below === undefined ? member : drop(member, below, path + pointerToken(wires?.get(key) ?? key));
    });
  }
}

/**
 * Removes null from the root if it stands for a property of other alternatives: a declaration has the properties of all
 * alternatives of the root, and a strict one requires them all.
 */
export function dropForeignNulls(
  { root, reader, spend }: Walk,
  args: JsonObject,
  wires: ReadonlyMap<string, string> | undefined,
): { readonly value: JsonObject; readonly repairs: readonly Repair[] } {
  const { repairs, note } = createNotes(spend);
  const foreign = reader.branchKeysOf(root);
  const value = changeMembers(args, spend, (key, member) => {
    if (member !== null || !foreign.has(key)) return member;
    note("dropped_null", pointerToken(wires?.get(key) ?? key));
    return leftOut;
  });
  return { value, repairs };
}

/** Cost of the path in a report: a key of megabytes can be above each of thousands of nulls. */
const pathPerStep = 16;

function createNotes(spend: Spend): { repairs: readonly Repair[]; note: (kind: Repair["kind"], path: string) => void } {
  const repairs: Repair[] = [];
  return {
    repairs,
    note(kind, path) {
      spend(path.length / pathPerStep);
      repairs.push({ path, kind });
    },
  };
}

const leftOut = Symbol();

/** @returns the object itself if no member changes */
function changeMembers(
  object: JsonObject,
  spend: Spend,
  change: (key: string, member: unknown) => unknown,
): JsonObject {
  const entries = Object.entries(object);
  spend(entries.length);
  const members = entries.map(([key, member]) => change(key, member));
  if (entries.every(([, member], at) => member === members[at])) return object;
  const changed: JsonObject = {};
  for (const [at, [key]] of entries.entries()) if (members[at] !== leftOut) setOwn(changed, key, members[at]);
  return changed;
}

/** @returns the list itself if no item changes */
function mapItems(
  items: readonly unknown[],
  reading: Reading,
  path: string,
  change: (item: unknown, schema: JsonObject, path: string) => unknown,
  spend: Spend,
): unknown {
  spend(items.length);
  const changed = items.map((item, index) => {
    const below = typeof item === "object" && item !== null ? reading.ofItem(index) : undefined;
    return below === undefined ? item : change(item, below, path + pointerToken(index));
  });
  return changed.every((item, index) => item === items[index]) ? items : changed;
}
