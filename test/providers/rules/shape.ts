import type { Json } from "./breach.ts";
import { isObject } from "./breach.ts";

const kinds: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  object: isObject,
  array: Array.isArray,
  strings: (value) => Array.isArray(value) && value.every((entry) => typeof entry === "string"),
  // A protobuf int64 travels as digits or as a whole number.
  int64: (value) => (typeof value === "string" ? /^-?\d+$/.test(value) : Number.isInteger(value)),
  null: (value) => value === null,
  any: () => true,
};

/** A field's kinds, `|` between them and `?` behind where it may be absent: `"string|null?"`. */
export type Fields = Readonly<Record<string, string>>;

export interface Misfit {
  readonly field: string;
  readonly problem: "unknown" | "missing" | "kind";
  /** The kinds it may have, as the table says them. */
  readonly expected: string;
}

/** What an object has too much, too little, or of another kind than the table says. */
export function misfits(value: Json, fields: Fields): Misfit[] {
  const found: Misfit[] = [];
  for (const [field, spec] of Object.entries(fields)) {
    const expected = spec.replace(/\?$/, "");
    if (!Object.hasOwn(value, field)) {
      if (expected === spec) found.push({ field, problem: "missing", expected });
    } else if (!expected.split("|").some((kind) => kinds[kind]?.(value[field]))) {
      found.push({ field, problem: "kind", expected });
    }
  }
  for (const field of Object.keys(value)) {
    if (!Object.hasOwn(fields, field)) found.push({ field, problem: "unknown", expected: "" });
  }
  return found;
}
