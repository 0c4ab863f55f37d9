import type { Path } from "../yaml/document.ts";
import { isJsonObject } from "../json/object.ts";
import { closest } from "../schema/suggest.ts";

/**
 * Takes down what is wrong at a place. The words follow the place's name, and never repeat the value. Words that take time
 * to find come as a function: of thousands of problems few are shown.
 */
export type Tell = (path: Path, problem: string | (() => string)) => void;

/** Makes a typed value of an untyped one. @returns undefined where it is broken, which was told */
export type Reader<T> = (value: unknown, path: Path, tell: Tell) => T | undefined;

type Fields = Readonly<Record<string, Reader<unknown>>>;
type Read<R> = R extends Reader<infer T> ? T : never;
type Optional<F extends Fields> = { readonly [Key in keyof F]?: Read<F[Key]> };
type Required<F extends Fields> = { readonly [Key in keyof F]: Read<F[Key]> };

interface RecordOptions {
  /** What belongs somewhere else, and where. @default none */
  readonly elsewhere?: ReadonlyMap<string, string>;
}

/** An object of these keys and no others. All are optional, but for those of `needed`. */
export function record<F extends Fields, N extends Fields = Record<never, never>>(
  optional: F,
  needed: N = {} as N,
  { elsewhere = new Map() }: RecordOptions = {},
): Reader<Optional<F> & Required<N>> {
  const readers = new Map(Object.entries({ ...needed, ...optional }));
  const names = [...readers.keys()];
  return (value, path, tell) => {
    if (!isJsonObject(value)) return wrongType(`an object of ${names.join(", ")}`, value, path, tell);
    const read: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      const place = [...path, key];
      const result = readers.get(key)?.(member, place, tell);
      if (result !== undefined) read[key] = result;
      if (!readers.has(key)) tell(place, () => `is unknown; ${elsewhere.get(key) ?? suggest(key, names)}`);
    }
    const missing = Object.keys(needed).filter((key) => !Object.hasOwn(value, key));
    for (const key of missing) tell([...path, key], "is missing");
    return Object.keys(needed).every((key) => key in read) ? (read as Optional<F> & Required<N>) : undefined;
  };
}

/** An object whose keys the operator chooses. It inherits nothing: looking up `constructor` finds what was configured. */
export function dictionary<T>(what: string, isKey: (key: string) => boolean, reader: Reader<T>) {
  const read: Reader<Readonly<Record<string, T>>> = (value, path, tell) => {
    if (!isJsonObject(value)) return wrongType("an object", value, path, tell);
    const entries = Object.create(null) as Record<string, T>;
    for (const [key, member] of Object.entries(value)) {
      const place = [...path, key];
      if (!isKey(key)) tell(place, `is not ${what}`);
      const result = reader(member, place, tell);
      if (result !== undefined) entries[key] = result;
    }
    return entries;
  };
  return read;
}

export function list<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value, path, tell) => {
    if (!Array.isArray(value)) return wrongType("a list", value, path, tell);
    const items = value.map((item, index) => reader(item, [...path, index], tell));
    return items.filter((item) => item !== undefined);
  };
}

/** @param what completes "must be" */
export function text(what: string, test: (text: string) => boolean): Reader<string> {
  return (value, path, tell) => {
    if (typeof value !== "string") return wrongType(what, value, path, tell);
    return test(value) ? value : wrong(what, path, tell);
  };
}

export function wholeNumber(least: number, most: number): Reader<number> {
  const what = `a whole number from ${least} to ${most}`;
  return (value, path, tell) => {
    if (typeof value !== "number") return wrongType(what, value, path, tell);
    return Number.isInteger(value) && value >= least && value <= most ? value : wrong(what, path, tell);
  };
}

export const boolean: Reader<boolean> = (value, path, tell) =>
  typeof value === "boolean" ? value : wrongType("true or false", value, path, tell);

export function literal<const T extends boolean>(only: T): Reader<T> {
  return (value, path, tell) => (value === only ? only : wrong(String(only), path, tell));
}

/** Any value that JSON has: YAML has infinite numbers too. */
export const jsonValue: Reader<unknown> = (value, path, tell) =>
  isJson(value) ? value : wrong("a value that JSON has", path, tell);

function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  return Object.values(value).every(isJson);
}

export function oneOf<const T extends string>(...words: readonly T[]): Reader<T> {
  const what = `one of ${words.join(", ")}`;
  return (value, path, tell) => words.find((word) => word === value) ?? wrong(what, path, tell);
}

/** A key that is longer is cut off: it is shown once for each problem within it. */
const maxKeyLength = 200;

/** The name of a place: `auth.keys[0].sha256`. */
export function placeOf(path: Path): string {
  const name = path.reduce<string>((place, each) => {
    if (typeof each === "number") return `${place}[${each}]`;
    const token = each.length > maxKeyLength ? `${each.slice(0, maxKeyLength)}…` : each;
    return /^[\w-]+$/.test(token) ? `${place}.${token}` : `${place}[${JSON.stringify(token)}]`;
  }, "");
  return name.replace(/^\./, "");
}

function wrong(what: string, path: Path, tell: Tell): undefined {
  tell(path, `must be ${what}`);
}

function wrongType(what: string, value: unknown, path: Path, tell: Tell): undefined {
  const kind = Array.isArray(value) ? "a list" : isJsonObject(value) ? "an object" : `a ${typeof value}`;
  tell(path, `must be ${what}, not ${value === null ? "empty" : kind}`);
}

function suggest(key: string, names: readonly string[]): string {
  const meant = closest(key, names);
  if (meant !== undefined) return `did you mean ${meant}?`;
  return names.length === 1 ? `there is only ${names[0]}` : `there are ${names.join(", ")}`;
}
