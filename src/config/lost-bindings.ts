import { canonicalJson } from "../json/canonical.ts";
import { resolveOverride, type ToolOverrides } from "../tool/overrides.ts";

/**
 * What a reload would no longer bind, for tools of any name: it does not matter whether an override has lost its `bind`,
 * has another name, or is gone. Who means it writes null, which is not found here.
 * @param isCut the file is the beginning of the one before: then no binding may even change
 */
export function lostBindings(before: ToolOverrides, next: ToolOverrides, isCut: boolean): string[] {
  const lost = new Set<string>();
  // Between them, the names and patterns of both tell all tools apart that are treated differently.
  for (const key of new Set([...Object.keys(before), ...Object.keys(next)])) {
    const left = resolveOverride(next, key).bind;
    for (const [name, { to }] of resolveOverride(before, key).bind) {
      if (to === null) continue;
      const bound = left.get(name);
      const isChanged = isCut && canonicalJson(bound?.to) !== canonicalJson(to);
      if (bound === undefined || isChanged) lost.add(describe(key, name));
    }
  }
  return [...lost];
}

function describe(key: string, name: string): string {
  return `overrides of ${key} do not bind ${name} any more (write bind: { ${name}: null } if that is meant)`;
}
