import { describe, expect, it } from "vitest";
import { createRights, type RightsOptions } from "../../src/access/rights.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { toolOf } from "../core/one-tool.ts";
import { cpuMs } from "../cpu-time.ts";

const entryOf = (fields: Partial<Tool>) => createRegistry({ tools: [toolOf(fields)] }).list()[0]!;
const allows = (pattern: string, name: string): boolean =>
  createRights({ tools: [pattern] })?.allows(entryOf({ name })) ?? true;

describe("a pattern of tools", () => {
  it.each([
    ["get_weather", "get_weather"],
    ["get_*", "get_weather"],
    ["get_*", "get_"],
    ["*_weather", "get_weather"],
    ["*", "get_weather"],
    ["**", "get_weather"],
    ["get*her", "get_weather"],
    ["g*w*r", "get_weather"],
    ["*eat*", "get_weather"],
    ["a*a", "aa"],
    ["a*b*b", "abb"],
    ["*ab*ab*", "ababab"],
  ])("%j takes %s", (pattern, name) => expect(allows(pattern, name)).toBe(true));

  it.each([
    ["get_weather", "get_weather2"],
    ["get_weather", "Get_weather"],
    ["get_*", "forget_it"],
    ["*_weather", "get_weather_"],
    ["a*a", "a"],
    ["a*b*b", "ab"],
    ["ab*ba", "aba"],
    ["*ab*ab", "aab"],
    ["", "a"],
    ["get.weather", "get_weather"],
    ["[a-z]*", "a"],
    ["get_weather|x", "x"],
    ["?", "a"],
    [" *", "a"],
  ])("%j does not take %s", (pattern, name) => expect(allows(pattern, name)).toBe(false));

  it("costs no more for many stars and a name that nearly fits", () => {
    const rights = createRights({ tools: [`${"*a".repeat(5000)}b`, `${"a*".repeat(32)}b`] });
    const entry = entryOf({ name: "a".repeat(64) });
    const start = cpuMs();
    expect(rights?.allows(entry)).toBe(false);
    expect(cpuMs() - start).toBeLessThan(300);
  });
});

describe("rights", () => {
  it("are none to ask for where every tool may be used", () => {
    expect(createRights({})).toBeUndefined();
    expect(createRights({ tools: ["a", "*"], readOnly: false })).toBeUndefined();
  });

  it("leave nothing where they name no tool", () => {
    expect(createRights({ tools: [] })?.allows(entryOf({}))).toBe(false);
  });

  it("with readOnly leave only tools that say that they change nothing", () => {
    for (const tools of [undefined, ["*"], ["tool"]]) {
      const rights = createRights({ tools, readOnly: true })!;
      expect(rights.allows(entryOf({ annotations: { readOnly: true } }))).toBe(true);
      expect(rights.allows(entryOf({ annotations: { readOnly: false, idempotent: true } }))).toBe(false);
      expect(rights.allows(entryOf({}))).toBe(false);
    }
    const others = createRights({ tools: ["other"], readOnly: true })!;
    expect(others.allows(entryOf({ annotations: { readOnly: true } }))).toBe(false);
  });

  it("are decided anew for a tool that was replaced", () => {
    const registry = createRegistry();
    const rights = createRights({ readOnly: true })!;
    const verdict = (readOnly: boolean): boolean => {
      registry.replace("source", [toolOf({ annotations: { readOnly } })]);
      return rights.allows(registry.find("tool")!);
    };
    expect([verdict(true), verdict(false), verdict(true)]).toEqual([true, false, true]);
  });

  it("have one key where they are equal, and another where they are not", () => {
    const key = (options: RightsOptions) => createRights(options)?.key;
    expect(key({ tools: ["b", "a", "b"] })).toBe(key({ tools: ["a", "b"] }));
    expect(key({ tools: ["a**b"] })).toBe(key({ tools: ["a*b"] }));
    expect(key({ tools: ["x", "*"], readOnly: true })).toBe(key({ readOnly: true }));
    const different = [
      key({ tools: ["a", "b"] }),
      key({ tools: ["a,b"] }),
      key({ tools: ['a","b'] }),
      key({ tools: [] }),
      key({ tools: [""] }),
      key({ tools: ["a", "b"], readOnly: true }),
      key({ readOnly: true }),
    ];
    expect(new Set(different).size).toBe(different.length);
  });
});
