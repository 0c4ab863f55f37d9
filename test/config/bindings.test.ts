import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { stringify } from "yaml";
import { describe, expect, test } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { type ConfigReading, readConfigWithOrigins, rereadConfig } from "../../src/config/read-config.ts";
import { findWidening } from "../../src/config/widening.ts";
import { runs, sampleOf } from "../runs.ts";
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
    [
      "the override, of which a shorter one has other bindings",
      base.replace("acme", "b").replace("petstore_*", '"*"'),
      ["tenant"],
    ],
  ])("is refused if it loses %s", async (_, next, names) => {
    const accidents = await accidentsOf(base, next);
    for (const name of names) expect(accidents.join("\n")).toContain(`no longer binds the argument "${name}"`);
    expect(accidents).not.toEqual([]);
  });

  test.each([
    ["with null", base.replace("{ value: acme }", "null")],
    ["with null in a longer pattern", `${base}  petstore_list*: { bind: { tenant: null } }\n`],
    ["with another value", base.replace("acme", "other")],
    ["by another override that fits the same tools, with the same bindings", base.replace("petstore_*", '"*"')],
    ["with more", `${base}  other: { bind: { a: { value: 1 } } }\n`],
  ])("takes effect if it is written out %s", async (_, next) => {
    expect(await accidentsOf(base, next)).toEqual([]);
  });

  const fromClaim = "{ bind: { tenant: { claim: org } } }";
  const shorter: readonly (readonly [string, string, string])[] = [
    ["a value", "{ value: public }", "orders_l*"],
    ["the session", "{ session: true }", "orders_list"],
    ["another claim", "{ claim: team }", "orders_l*"],
    ["nothing, in words", "null", "orders_list"],
  ];
  test.each(shorter)("is refused if an override is gone and a shorter one binds to %s", async (_, to, key) => {
    const next = `overrides:\n  orders_*: { bind: { tenant: ${to} } }\n`;
    const accidents = await accidentsOf(`${next}  ${key}: ${fromClaim}\n`, `${next}hosts: []\n`);
    expect(accidents).toEqual([
      `overrides.${key} no longer binds the argument "tenant" (write bind: { tenant: null } if this is intended)`,
    ]);
    for (const own of [to, "null", "{ value: 5 }"]) {
      const written = `${next}  ${key}: { bind: { tenant: ${own} } }\n`;
      expect(await accidentsOf(`${next}  ${key}: ${fromClaim}\n`, written)).toEqual([]);
    }
  });

  test("is refused if a shorter override comes in place of one that is gone", async () => {
    const next = "overrides: { orders_*: { bind: { tenant: { value: public } } } }";
    expect(await accidentsOf(`overrides: { orders_l*: ${fromClaim} }`, next)).not.toEqual([]);
  });

  test("takes effect if a shorter override has the same binding as one that is gone", async () => {
    const next = `overrides:\n  orders_*: ${fromClaim}\n`;
    expect(await accidentsOf(`${next}  orders_list: ${fromClaim}\n`, `${next}hosts: []\n`)).toEqual([]);
  });

  test("is refused whatever the names of the override and its argument", async () => {
    const before = "overrides: { constructor: { bind: { toString: { claim: sub } } } }";
    expect(await accidentsOf(before, "overrides: {}")).toHaveLength(1);
    expect(await accidentsOf(before, "overrides: { constructor: { bind: {} } }")).toHaveLength(1);
  });

  test("may drop what null has set free before", async () => {
    expect(await accidentsOf("overrides: { a: { bind: { b: null } } }", "overrides: {}")).toEqual([]);
  });

  test("leaves the configuration before in force", async () => {
    const before = await read(base);
    writeFileSync(join(folder, "toolhost.yaml"), base.replace("      tenant: { value: acme }\n", ""));
    const reload = rereadConfig(before, [], {}, folder);
    await expect(reload).rejects.toThrow(ConfigError);
    await expect(reload).rejects.toThrow(
      'no longer binds the argument "tenant" (write bind: { tenant: null } if this is intended)',
    );
  });
});

describe("a reload that says in words that it binds less strictly", () => {
  const binding = (key: string, to: string): string => `overrides: { ${key}: { bind: { tenant: ${to} } } }`;
  const loosenedBy = async (before: string, next: string) =>
    findWidening(await read(before), await read(next)).loosenedBindings;

  test.each([
    ["{ claim: org }", "{ session: true }", "claim", "session"],
    ["{ claim: org }", "{ value: public }", "claim", "value"],
    ["{ claim: org }", "null", "claim", "nothing"],
    ["{ value: acme }", "{ session: true }", "value", "session"],
    ["{ session: true }", "null", "session", "nothing"],
  ])("is reported: %s becomes %s", async (one, two, before, now) => {
    const expected = { argument: "tenant", before, now };
    const [earlier, later] = [binding("orders_*", one), binding("orders_*", two)];
    expect(await accidentsOf(earlier, later)).toEqual([]);
    expect(await loosenedBy(earlier, later)).toEqual([{ override: "orders_*", ...expected }]);
    const longer = later.replace("orders_*", "orders_list").replace("overrides: {", `${earlier.slice(0, -2)},`);
    expect(await loosenedBy(earlier, longer)).toEqual([{ override: "orders_list", ...expected }]);
    expect(await loosenedBy(later, earlier)).toEqual([]);
    expect(await loosenedBy(earlier, `${earlier} `)).toEqual([]);
  });

  test("is not reported if another claim, value or argument is bound", async () => {
    expect(await loosenedBy(binding("a", "{ claim: org }"), binding("a", "{ claim: team }"))).toEqual([]);
    expect(await loosenedBy(binding("a", "{ value: 1 }"), binding("a", "{ value: 2 }"))).toEqual([]);
    expect(await loosenedBy("overrides: {}", binding("a", "{ session: true }"))).toEqual([]);
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
  for (const length of sampleOf([...Array(whole.length).keys()], 10)) {
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

interface Source {
  /** How closely the override fits the tool. */
  readonly rank: number;
  readonly to: BoundTo | null;
}

/** Written once more, and otherwise: the closest of the overrides that fit the tool and name the argument. */
function sourceOf(all: ToolOverrides, tool: string, argument: string): Source | undefined {
  const sources = keys.flatMap((key): Source[] => {
    const to = all[key]?.bind?.[argument];
    const fits = key === tool || (key.endsWith("*") && tool.startsWith(key.slice(0, -1)));
    return fits && to !== undefined ? [{ rank: key === tool ? Infinity : key.length, to }] : [];
  });
  return sources.sort((left, right) => left.rank - right.rank).at(-1);
}

/** What was bound comes from an override that fits less closely, or from none, and is not the same. */
function isLost(before: Source | undefined, next: Source | undefined): boolean {
  if (before === undefined || before.to === null) return false;
  if (next === undefined) return true;
  return next.rank < before.rank && JSON.stringify(next.to) !== JSON.stringify(before.to);
}

function strictness(to: BoundTo | null | undefined): number {
  if (to === null || to === undefined) return 0;
  return ["session", "value", "claim"].findIndex((kind) => kind in to) + 1;
}

test(`no reload loosens a binding that it does not write out, whatever the overrides (seed ${seed})`, async () => {
  const { config, file } = await read("overrides: {}");
  const readingOf = (all: ToolOverrides) => ({
    config: { ...config, overrides: all },
    file: { ...file!, text: stringify({ overrides: all, hosts: [] }) },
  });
  const counts = { refused: 0, reported: 0, silent: 0 };
  const property = fc.property(overrides, overrides, (one, two) => {
    const { accidents, loosenedBindings } = findWidening(readingOf(one), readingOf(two));
    const pairs = tools.flatMap((tool) =>
      ["x", "y"].map((argument) => [sourceOf(one, tool, argument), sourceOf(two, tool, argument)] as const),
    );
    const isRefused = accidents.length > 0;
    expect(isRefused).toBe(pairs.some(([before, next]) => isLost(before, next)));
    if (isRefused) return void counts.refused++;
    const isLoosened = pairs.some(([before, next]) => strictness(next?.to) < strictness(before?.to));
    expect(loosenedBindings.length > 0).toBe(isLoosened);
    counts[isLoosened ? "reported" : "silent"]++;
  });
  fc.assert(property, { seed, numRuns: runs(2000, 150) });
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(runs(50, 5));
});
