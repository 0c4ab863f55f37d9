import { canonicalJson } from "../json/canonical.ts";
import { resolveOverride, type ToolOverrides } from "../tool/overrides.ts";

/**
 * The bindings of overrides that a reload would lose: the override, its `bind` or the member is gone, and what other
 * overrides leave is not the same binding. Who means it writes the argument out in the override, with null if it is free.
 *
 * Each override is compared as if no longer pattern fits: one that does is written out, or was there before.
 * @param isCut the file is the beginning of the one before: then no binding may even change
 */
export function lostBindings(before: ToolOverrides, next: ToolOverrides, isCut: boolean): string[] {
  const lost: string[] = [];
  for (const [key, { bind = {} }] of Object.entries(before)) {
    const left = resolveOverride(next, key).bind;
    const written = Object.hasOwn(next, key) ? (next[key]?.bind ?? {}) : {};
    for (const [argument, to] of Object.entries(bind)) {
      if (to === null || (!isCut && Object.hasOwn(written, argument))) continue;
      if (canonicalJson(left.get(argument)?.to) !== canonicalJson(to)) lost.push(describe(key, argument));
    }
  }
  return lost;
}

function describe(key: string, argument: string): string {
  return `overrides of ${key} do not bind ${argument} any more (write bind: { ${argument}: null } if this is intended)`;
}
