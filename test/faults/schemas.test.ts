import { expect } from "vitest";
import { invoke } from "../../src/core/call/invoke.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { createRegistry, type Registry } from "../../src/core/registry/registry.ts";
import type { Skipped } from "../../src/core/registry/tool-groups.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { toolOf } from "../core/one-tool.ts";
import { fault } from "./fault.ts";

/** A registry that took this schema from elsewhere, beside a good tool of the same source. */
function take(parameters: JsonSchema, fields: Partial<Tool> = {}): { registry: Registry; skipped: Skipped[] } {
  const registry = createRegistry({ env: {} });
  const skipped = replaceForeign(registry, "elsewhere", [
    toolOf({ name: "strange", ...fields, parameters }),
    toolOf({ name: "good" }),
  ]);
  return { registry, skipped };
}

type ReplaceForeign = (source: string, tools: readonly Tool[], options: { trusted: false }) => Skipped[];

function replaceForeign(registry: Registry, source: string, tools: readonly Tool[]): Skipped[] {
  const replace: ReplaceForeign = registry.replace;
  return replace(source, tools, { trusted: false });
}

function codeOf(outcome: Outcome): string {
  return outcome.status === "ok" ? "ok" : outcome.error.code;
}

const object = (properties: Record<string, unknown>) => ({ type: "object", properties });

/** Either the schema is refused with a reason, or a call with these arguments is answered; both in little time. */
async function expectQuick(parameters: JsonSchema, args: unknown = {}, withinMs = 1000): Promise<string> {
  const start = performance.now();
  const { registry, skipped } = take(parameters);
  expect(skipped.filter(({ name }) => name !== "strange")).toEqual([]);
  expect(codeOf(await invoke(registry, { name: "good", arguments: {} }))).toBe("ok");
  const code = skipped.length > 0 ? "refused" : codeOf(await invoke(registry, { name: "strange", arguments: args }));
  expect(performance.now() - start).toBeLessThan(withinMs);
  return code;
}

fault(
  "S1",
  "a pattern that backtracks is run in linear time, and what such an engine cannot run is refused",
  async () => {
    const evil = "^(a|a)*$";
    const text = "a".repeat(50_000);
    for (const [schema, args] of [
      [object({ s: { type: "string", pattern: evil } }), { s: `${text}b` }],
      [object({ s: { pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" } }), { s: text }],
      [
        { type: "object", patternProperties: { [evil]: { type: "integer" } }, additionalProperties: false },
        { [`${text}b`]: 1 },
      ],
      [{ type: "object", propertyNames: { pattern: evil } }, { [`${text}b`]: 1 }],
    ] as const) {
      expect(await expectQuick(schema, args)).toBe("invalid_arguments");
    }
    expect(await expectQuick(object({ s: { pattern: evil } }), { s: text })).toBe("ok");
    for (const pattern of ["(?=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>"]) {
      const { skipped } = take(object({ s: { pattern } }));
      expect(skipped).toEqual([{ name: "strange", reason: expect.stringMatching(/pattern/) }]);
    }
    expect(["refused", "invalid_arguments"]).toContain(
      await expectQuick(object({ s: { format: "regex" } }), { s: "(".repeat(50_000) }),
    );
  },
);

function doubling(levels: number): JsonSchema {
  const $defs: Record<string, unknown> = { d0: { type: "integer" } };
  for (let level = 1; level <= levels; level++) {
    const $ref = `#/$defs/d${level - 1}`;
    $defs[`d${level}`] = { type: "object", properties: { a: { $ref }, b: { $ref } } };
  }
  return { type: "object", $defs, properties: { root: { $ref: `#/$defs/d${levels}` } } };
}

fault("S2", "a bomb is refused or answered within a second, and the tool that was there stays", async () => {
  let deep: JsonSchema = { type: "object" };
  for (let level = 0; level < 3000; level++) deep = { type: "object", properties: { a: deep } };
  const numbers = Array.from({ length: 20_000 }, (_, index) => index);
  for (const schema of [
    deep,
    doubling(30),
    object({ e: { enum: numbers } }),
    object(Object.fromEntries(numbers.slice(0, 5000).map((index) => [`p${index}`, { type: "string" }]))),
    { type: "object", anyOf: numbers.slice(0, 5000).map((index) => ({ required: [`r${index}`] })) },
    { type: "object", description: "x".repeat(2_000_000) },
  ]) {
    expect(await expectQuick(schema, { root: {} }, 1500)).toMatch(/^(?:refused|ok|invalid_arguments)$/);
  }
  expect(await expectQuick(deep)).toBe("refused");
  expect(await expectQuick(object({ e: { enum: numbers } }))).toBe("refused");

  const items = Array.from({ length: 8000 }, (_, index) => ({ index, text: `t${index}` }));
  await expectQuick(object({ items: { type: "array", uniqueItems: true } }), { items }, 1500);

  const registry = createRegistry({ env: {} });
  replaceForeign(registry, "elsewhere", [toolOf({ name: "strange" })]);
  const { version } = registry;
  expect(
    replaceForeign(registry, "elsewhere", [toolOf({ name: "other" }), toolOf({ name: "strange", parameters: deep })]),
  ).toHaveLength(1);
  expect(registry.version).not.toBe(version);
  expect(registry.find("other")).toBeDefined();
});

fault("S3", "a remote $ref is refused and never fetched", async () => {
  let fetched = 0;
  const fetch = globalThis.fetch;
  globalThis.fetch = () => Promise.reject(new Error(`fetched ${++fetched}`));
  try {
    for (const $ref of ["http://169.254.169.254/x", "file:///etc/passwd", "other.json#/a", "//host/x", "urn:x:y"]) {
      expect(take(object({ a: { $ref } })).skipped, $ref).toEqual([{ name: "strange", reason: expect.any(String) }]);
    }
    expect(fetched).toBe(0);
  } finally {
    globalThis.fetch = fetch;
  }
});

fault("S4", "one tool's $id answers no other tool's $ref", async () => {
  const $id = "https://example.com/shared";
  const registry = createRegistry({ env: {} });
  const strict = { $id, ...object({ a: { $ref: "#/$defs/A" } }), $defs: { A: { type: "integer" } } };
  const loose = { $id, ...object({ a: { $ref: "#/$defs/A" } }), $defs: { A: {} } };
  replaceForeign(registry, "one", [toolOf({ name: "strict", parameters: strict })]);
  replaceForeign(registry, "two", [toolOf({ name: "loose", parameters: loose })]);
  expect(codeOf(await invoke(registry, { name: "strict", arguments: { a: "x" } }))).toBe("invalid_arguments");
  expect(codeOf(await invoke(registry, { name: "loose", arguments: { a: "x" } }))).toBe("ok");
  const thief = object({ a: { $ref: `${$id}#/$defs/A` } });
  expect(replaceForeign(registry, "three", [toolOf({ name: "thief", parameters: thief })])).toHaveLength(1);
});

fault("S5", "$data and keywords that would run code have no power", async () => {
  const properties = { a: { type: "string" }, p: { type: "string" } };
  for (const parameters of [
    { type: "object", properties: { ...properties, a: { pattern: { $data: "1/p" } } } },
    { type: "object", properties: { ...properties, a: { maxLength: { $data: "1/p" } } } },
  ]) {
    expect(take(parameters).skipped).toEqual([{ name: "strange", reason: expect.any(String) }]);
  }
  const extras: Record<string, unknown>[] = [
    { $async: true },
    { discriminator: { propertyName: "a" } },
    { instanceof: "Function" },
    { transform: ["trim"] },
    { "x-code": "process.exit()" },
  ];
  for (const extra of extras) {
    const schema = { ...object(properties), ...extra };
    const code = await expectQuick(schema, { a: " x ", p: "y" });
    expect({ extra, code: ["ok", "refused"].includes(code) }).toEqual({ extra, code: true });
    expect(await expectQuick(schema, { a: 1 })).not.toBe("ok");
  }
});

fault("S6", "names that every object inherits are properties like others", async () => {
  expect(await expectQuick({ type: "object", required: ["constructor"] }, {})).toBe("invalid_arguments");
  expect(await expectQuick({ type: "object", required: ["constructor"] }, { constructor: 1 })).toBe("ok");
  expect(await expectQuick(object({ toString: { type: "string" }, hasOwnProperty: { type: "integer" } }), {})).toBe(
    "ok",
  );
  expect(await expectQuick(object({ toString: { type: "string" } }), { toString: 1 })).toBe("invalid_arguments");
  expect(await expectQuick({ type: "object", dependentRequired: { valueOf: ["x"] } }, {})).toBe("ok");
});

fault("S7", "nothing is coerced, nothing filled in, and the same arguments get the same verdict", async () => {
  const seen: unknown[] = [];
  const execute: Tool["execute"] = (args) => {
    seen.push(structuredClone(args));
    Object.assign(args, { options: { changed: true } });
    return 1;
  };
  const parameters = object({ n: { type: "integer" }, options: { type: "object", default: { depth: 1 } } });
  const { registry } = take(parameters, { execute });
  for (const args of [{ n: "5" }, { n: 5.5 }, { n: true }, { n: null }, { n: ["5"] }]) {
    expect(codeOf(await invoke(registry, { name: "strange", arguments: args }))).toBe("invalid_arguments");
  }
  for (let round = 0; round < 2; round++) {
    expect(codeOf(await invoke(registry, { name: "strange", arguments: { n: 5 } }))).toBe("ok");
  }
  expect(seen).toEqual([{ n: 5 }, { n: 5 }]);
});

fault("S8", "no format takes long over a long text, and one that is unknown is no reason to fail", async () => {
  const formats = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "uri-template",
    "url",
    "uuid",
    "json-pointer",
    "regex",
    "byte",
    "no-such-format",
  ];
  const texts = [
    "1".repeat(50_000),
    `P${"1Y".repeat(25_000)}`,
    `http://${":".repeat(50_000)}`,
    "a.".repeat(25_000),
    "@".repeat(50_000),
    "{".repeat(50_000),
  ];
  for (const format of formats) {
    for (const s of texts)
      expect(await expectQuick(object({ s: { type: "string", format } }), { s }, 700)).toMatch(
        /^(?:ok|invalid_arguments)$/,
      );
  }
});
