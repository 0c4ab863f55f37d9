import { canonicalJson } from "../json/canonical.ts";
import { resolveOverride, type ToolOverrides } from "../tool/overrides.ts";

/**
 * The bindings that a reload would lose: the override, its `bind` or the member is missing, and no other override
 * contains the same binding. To remove a binding on purpose, the override names the argument with null.
 *
 * Each override is compared as if no longer pattern matched: a longer pattern either names the argument itself, or
 * existed before.
 * @param isCut whether the file is the beginning of the previous one: then no binding may change at all
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
  return `overrides.${key} no longer binds the argument "${argument}" (write bind: { ${argument}: null } if this is intended)`;
}
