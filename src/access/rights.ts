import type { Rights } from "../core/caller.ts";
import type { KnownTool } from "../core/registry/known-tool.ts";

export interface RightsOptions {
  /** Names of tools; `*` matches any characters, or none. @default every tool */
  readonly tools?: readonly string[] | undefined;
  /** Allows only tools that are annotated `readOnly: true`. @default false */
  readonly readOnly?: boolean | undefined;
}

type NameTest = (name: string) => boolean;

/** @returns undefined if every tool is allowed, so that unlimited callers skip the check */
export function createRights({ tools = ["*"], readOnly = false }: RightsOptions): Rights | undefined {
  const patterns = [...new Set(tools.map((pattern) => pattern.replaceAll(/\*+/g, "*")))].sort();
  const isEvery = patterns.includes("*");
  if (isEvery && !readOnly) return undefined;
  const tests = isEvery ? [] : patterns.map(createNameTest);
  const decide = ({ tool, annotations }: KnownTool): boolean =>
    (!readOnly || annotations.readOnly === true) && (isEvery || tests.some((test) => test(tool.name)));
  // Read on every call and for every list. An entry never changes: a changed tool is registered again as a new entry.
  const decided = new WeakMap<KnownTool, boolean>();
  return {
    key: JSON.stringify([readOnly, isEvery ? ["*"] : patterns]),
    allows(entry) {
      let allowed = decided.get(entry);
      if (allowed === undefined) {
        allowed = decide(entry);
        decided.set(entry, allowed);
      }
      return allowed;
    },
  };
}

/**
 * A test of names by a pattern in which `*` matches any characters. It matches the pieces between the stars, each after the one before: the earliest match leaves the most room for the
 * rest, so that nothing is tried twice. A regular expression with many stars would backtrack, and tokens contain
 * patterns too.
 */
export function createNameTest(pattern: string): NameTest {
  const pieces = pattern.split("*");
  const start = pieces.shift() ?? "";
  const end = pieces.pop();
  if (end === undefined) return (name) => name === pattern;
  return (name) => {
    const stop = name.length - end.length;
    let at = start.length;
    if (stop < at || !name.startsWith(start) || !name.endsWith(end)) return false;
    for (const piece of pieces) {
      const found = name.indexOf(piece, at);
      if (found === -1 || found + piece.length > stop) return false;
      at = found + piece.length;
    }
    return true;
  };
}
