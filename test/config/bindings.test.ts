import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { stringify } from "yaml";
import { describe, expect, test } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { type ConfigReading, readConfigWithOrigins, rereadConfig } from "../../src/config/read-config.ts";
import { findWidening } from "../../src/config/widening.ts";
import type { BoundTo, ToolOverride, ToolOverrides } from "../../src/tool/overrides.ts";

const folder = mkdtempSync(join(tmpdir(), "toolhost-bindings-"));

function read(text: string): Promise<ConfigReading> {
  writeFileSync(join(folder, "toolhost.yaml"), text);
  return readConfigWithOrigins([], {}, folder);
}

async function accidentsOf(before: string, next: string): Promise<readonly string[]> {
  return findWidening(await read(before), await read(next)).accidents;
}

const base = `overrides:
  petstore_*:
    bind:
      tenant: { value: acme }
      user:
        claim: sub
  petstore_buy: { timeoutMs: 5, bind: { session: { session: true } } }
`;

describe("a reload that would bind less", () => {
  test.each([
    ["a member", base.replace("      tenant: { value: acme }\n", ""), ["tenant"]],
    [
      "the whole bind",
      "overrides: { petstore_*: { timeoutMs: 5 }, petstore_buy: { timeoutMs: 5 } }",
      ["tenant", "user", "session"],
    ],
    ["an empty bind", base.replace(/bind: \{ session.*\} \}/, "bind: {} }"), ["session"]],
    ["the override", "overrides: { petstore_buy: { bind: { session: { session: true } } } }", ["tenant", "user"]],
    ["all overrides", "overrides: {}", ["tenant", "user", "session"]],
    ["the pattern's reach", base.replace("petstore_*", "petstore_list*"), ["tenant", "user"]],
    ["the name of the override", base.replace("petstore_buy", "petstore_sell"), ["session"]],
  ])("is refused if it loses %s", async (_, next, names) => {
    const accidents = await accidentsOf(base, next);
    for (const name of names) expect(accidents.join("\n")).toContain(`do not bind ${name} any more`);
    expect(accidents).not.toEqual([]);
  });

  test.each([
    ["with null", base.replace("{ value: acme }", "null")],
    ["with null in a longer pattern", `${base}  petstore_list*: { bind: { tenant: null } }\n`],
    [
      "with another value, or by another override that fits the same tools",
      base.replace("acme", "other").replace("petstore_*", '"*"'),
    ],
    ["with more", `${base}  other: { bind: { a: { value: 1 } } }\n`],
  ])("takes effect if it is written out %s", async (_, next) => {
    expect(await accidentsOf(base, next)).toEqual([]);
  });

  test("may drop what null has set free before", async () => {
    expect(await accidentsOf("overrides: { a: { bind: { b: null } } }", "overrides: {}")).toEqual([]);
  });

  test("leaves the configuration before in force", async () => {
    const before = await read(base);
    writeFileSync(join(folder, "toolhost.yaml"), base.replace("      tenant: { value: acme }\n", ""));
    const reload = rereadConfig(before, [], {}, folder);
    await expect(reload).rejects.toThrow(ConfigError);
    await expect(reload).rejects.toThrow("(write bind: { tenant: null } if that is meant)");
  });
});

test.each([
  ["tenant:"],
  ["tenant: # nothing"],
  ["tenant: ~"],
  ["tenant: { value: }"],
  ["tenant: { value }"],
  ["tenant: !!null ''"],
  ["tenant: { value: ~ }"],
])("%s does not set an argument free: null must be a word", async (line) => {
  const reading = read(`overrides:\n  a:\n    bind:\n      ${line}\n`);
  await expect(reading).rejects.toThrow(/toolhost\.yaml:4: overrides\.a\.bind\.tenant/);
});

test("null as a word sets an argument free, or is the value", async () => {
  const { config } = await read("overrides: { a: { bind: { tenant: null, other: { value: null } } } }");
  expect(config.overrides["a"]?.bind).toMatchObject({ tenant: null, other: { value: null } });
});

test("no file that was cut binds less, wherever it was cut", async () => {
  const whole = `${base}  z: { bind: { q: { value: { deep: [1, 2] } } } }
  y:
    bind:
      r:
        value:
          - one
          - two: 2
            three: 3
`;
  const before = await read(whole);
  const full = JSON.stringify(before.config.overrides);
  let taken = 0;
  for (let length = 0; length < whole.length; length++) {
    let next: ConfigReading;
    try {
      next = await read(whole.slice(0, length));
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      continue;
    }
    if (findWidening(before, next).accidents.length > 0) continue;
    taken++;
    expect(JSON.stringify(next.config.overrides)).toBe(full);
  }
  // Only the last line break may be missing.
  expect(taken).toBe(1);
});

const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 0x7fffffff);
const keys = ["*", "a*", "ab*", "ab", "abc", "b*", "b"];
const tools = ["a", "ab", "abc", "abcd", "b", "bc", "c"];
const boundTo = fc.constantFrom<BoundTo | null>(null, { value: 1 }, { claim: "sub" }, { session: true });
const override: fc.Arbitrary<ToolOverride> = fc.record(
  { bind: fc.dictionary(fc.constantFrom("x", "y"), boundTo, { noNullPrototype: true }), timeoutMs: fc.constant(5) },
  { requiredKeys: [] },
);
const overrides: fc.Arbitrary<ToolOverrides> = fc.dictionary(fc.constantFrom(...keys), override, {
  noNullPrototype: true,
});

/** Written once more, and otherwise: the last of the overrides that fit has the argument. */
function boundIn(all: ToolOverrides, tool: string, argument: string): BoundTo | null | undefined {
  const fits = keys.filter((key) => key === tool || (key.endsWith("*") && tool.startsWith(key.slice(0, -1))));
  const rank = (key: string): number => (key === tool ? Infinity : key.length);
  return fits
    .sort((left, right) => rank(left) - rank(right))
    .map((key) => all[key]?.bind?.[argument])
    .findLast((to) => to !== undefined);
}

test(`no reload loosens a binding, whatever the overrides (seed ${seed})`, async () => {
  const { config, file } = await read("overrides: {}");
  const readingOf = (all: ToolOverrides) => ({
    config: { ...config, overrides: all },
    file: { ...file!, text: stringify({ overrides: all, hosts: [] }) },
  });
  let refused = 0;
  const property = fc.property(overrides, overrides, (one, two) => {
    const isRefused = findWidening(readingOf(one), readingOf(two)).accidents.length > 0;
    const isLoosened = tools.some((tool) =>
      ["x", "y"].some((name) => (boundIn(one, tool, name) ?? null) !== null && boundIn(two, tool, name) === undefined),
    );
    expect(isRefused).toBe(isLoosened);
    if (isRefused) refused++;
  });
  fc.assert(property, { seed, numRuns: 2000 });
  expect(refused).toBeGreaterThan(100);
  expect(refused).toBeLessThan(1900);
});
