import { connectionHeaders } from "../../egress/outgoing.ts";
import { refuseArgument } from "./refuse-argument.ts";

/** Names of a request that are not the model's: credentials, static headers, forwarded headers. */
export interface TakenNames {
  readonly query: readonly string[];
  readonly header: readonly string[];
  readonly cookie: readonly string[];
}

export const noNames: TakenNames = { query: [], header: [], cookie: [] };

/**
 * Headers that frame the message (RFC 9110, sections 7 and 8) or that the specification of OpenAPI ignores. No document
 * can make them arguments.
 */
const framing = [
  ...connectionHeaders,
  "accept",
  "accept-encoding",
  "authorization",
  "content-encoding",
  "content-type",
];

/** Whether a parameter's name is taken, so that it is left out of the tool. */
export function isTaken(taken: TakenNames, place: string, name: string): boolean {
  const folded = foldName(name);
  if (place === "query") return taken.query.some((each) => foldName(each) === folded);
  if (place === "cookie") return taken.cookie.some((each) => foldName(each) === folded);
  if (place !== "header") return false;
  const lower = name.toLowerCase();
  if (lower === "cookie" && taken.cookie.length > 0) return true;
  return (
    framing.includes(lower) || lower.startsWith("proxy-") || taken.header.some((each) => each.toLowerCase() === lower)
  );
}

/** Refuses names that a free-form object would write, if they are not the object's to write. */
export interface NameGuard {
  /** A key of the object that becomes a name of its own. */
  readonly key: (name: string, path: string) => void;
  /** A name below the parameter's own, such as `filter[a]`. */
  readonly member: (name: string, path: string) => void;
}

/** @param names those that others write in the same place */
export function createNameGuard(names: readonly string[]): NameGuard {
  const folded = new Set(names.map(foldName));
  const exact = new Set(names.map((name) => name.toLowerCase()));
  const refuse = (path: string): never => {
    throw refuseArgument(path, "has the same name as another argument; leave this key out");
  };
  return {
    key: (name, path) => (folded.has(foldName(name)) || exact.has(name.toLowerCase())) && refuse(path),
    member: (name, path) => exact.has(name.toLowerCase()) && refuse(path),
  };
}

/**
 * The common form of names that servers treat as the same: some ignore case, and many read `a[b]`, `a[]` and `a.b` as
 * parts of `a`, or a space as an underscore.
 */
export function foldName(name: string): string {
  const base = /^[^[.]*/.exec(name.trim())?.[0] ?? "";
  return (base === "" ? name : base).replaceAll(" ", "_").toLowerCase();
}

/**
 * Leaves out names that would write what another one in the same place writes: servers that ignore case take `Tenant`
 * for `tenant`, and some read `tenant[]` and `tenant[a]` into `tenant`. What an operator binds must have one name only.
 * `page[size]` and `page[number]` without `page` are different names.
 */
export function withoutTwins<T>(items: readonly T[], nameOf: (item: T) => string): T[] {
  const plain = new Set(items.map((item) => nameOf(item).toLowerCase()));
  const seen = new Set<string>();
  return items.filter((item) => {
    const name = nameOf(item).toLowerCase();
    const bracket = name.indexOf("[");
    if (seen.has(name) || (bracket > 0 && plain.has(name.slice(0, bracket)))) return false;
    seen.add(name);
    return true;
  });
}
