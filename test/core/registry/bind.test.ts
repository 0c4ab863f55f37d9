import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Call } from "../../../src/core/call/call.ts";
import type { BoundTo, Tool, ToolOverrides } from "../../../src/index.ts";
import { type CallRecord, createRegistry, invoke, type Registry } from "../../../src/index.ts";
import { errorOf, resultOf, toolOf } from "../one-tool.ts";

const parameters = {
  type: "object",
  properties: {
    tenant: { type: "string" },
    user: { type: "string", minLength: 2 },
    query: { type: "string" },
    limit: { type: "integer" },
  },
  required: ["tenant", "query"],
  additionalProperties: false,
};

const token = {
  id: "https://issuer.example ann",
  claims: { sub: "ann", org: { id: "o-1", roles: ["admin"] }, "a/b": "slash" },
};

interface Setting {
  readonly registry: Registry;
  readonly seen: unknown[];
  readonly records: CallRecord[];
  call(args: unknown, call?: Partial<Call>): ReturnType<typeof invoke>;
}

function bind(
  bound: Record<string, BoundTo | null>,
  fields: Partial<Tool> = {},
  overrides: ToolOverrides = {},
): Setting {
  const seen: unknown[] = [];
  const records: CallRecord[] = [];
  const registry = createRegistry({
    overrides: { ...overrides, tool: { ...overrides["tool"], bind: bound } },
    observer: { onCall: (record) => records.push(record) },
    tools: [toolOf({ parameters, execute: (args) => void seen.push(args), ...fields })],
  });
  const call = (args: unknown, more: Partial<Call> = {}) =>
    invoke(registry, { name: "tool", arguments: args, caller: token, ...more });
  return { registry, seen, records, call };
}

describe("a bound argument", () => {
  it("is set to a value, a claim or the session, and is in no declaration", async () => {
    const { registry, seen, call } = bind({ tenant: { value: "acme" }, user: { claim: "sub" } });
    expect(registry.find("tool")?.declaration.parameters).toEqual({
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer" } },
      required: ["query"],
      additionalProperties: false,
    });
    expect(registry.find("tool")?.declaration.hash).not.toBe(bind({}).registry.find("tool")?.declaration.hash);
    resultOf(await call({ query: "q" }));
    expect(seen).toEqual([{ query: "q", tenant: "acme", user: "ann" }]);
  });

  it("is set to the session of the call", async () => {
    const { seen, call } = bind({ tenant: { session: true } });
    resultOf(await call({ query: "q" }, { session: "s-1" }));
    expect(seen).toEqual([{ query: "q", tenant: "s-1" }]);
  });

  it.each([
    ["sub", "ann"],
    ["/org/id", "o-1"],
    ["/org/roles/0", "admin"],
    ["a/b", "slash"],
    ["/a~1b", "slash"],
  ])("is the claim %s", async (claim, expected) => {
    const { seen, call } = bind({ tenant: { claim } });
    resultOf(await call({ query: "q" }));
    expect(seen).toEqual([{ query: "q", tenant: expected }]);
  });

  it.each([
    [{ claim: "email" }, '"user" is bound to the claim "email", which is missing'],
    [{ claim: "/org/name" }, '"user" is bound to the claim "/org/name", which is missing'],
    [{ claim: "toString" }, '"user" is bound to the claim "toString", which is missing'],
    [{ claim: "/org/roles/length" }, '"user" is bound to the claim "/org/roles/length", which is missing'],
    [{ claim: "/org/roles" }, 'the value bound to "user" is not valid: it must be string'],
    [{ session: true } as const, '"user" is bound to the session, which is missing'],
  ])("runs nothing if %j is missing or does not fit", async (to, reason) => {
    const { seen, records, call } = bind({ tenant: { value: "acme" }, user: to });
    for (const args of [{ query: "q" }, {}]) {
      const error = errorOf(await call(args));
      expect(error).toEqual({
        code: "unavailable",
        message:
          "The tool cannot run for this caller. The operator can change that, and another caller may be able to call the tool.",
        action: "stop",
        retryable: false,
        ran: "no",
      });
      expect(records.at(-1)?.cause).toMatchObject({ message: reason });
    }
    expect(seen).toEqual([]);
  });

  it("cannot be sent", async () => {
    const { seen, call } = bind({ tenant: { value: "acme" }, user: { claim: "email" } });
    for (const args of [
      { query: "q", tenant: "acme" },
      { tenant: null },
      { query: "q", user: "eve" },
      { user: undefined },
    ]) {
      expect(errorOf(await call(args))).toMatchObject({ code: "invalid_arguments", action: "fix_arguments" });
    }
    expect(errorOf(await call({ query: "q", tenant: "evil" })).issues).toEqual([
      {
        path: "/tenant",
        message: "must be left out, because it is not an argument of the tool",
        keyword: "additionalProperties",
      },
    ]);
    expect(seen).toEqual([]);
  });

  it("cannot be sent inside a text that is repaired, nor by a prototype", async () => {
    const { seen, call } = bind({ tenant: { value: "acme" } });
    const text = errorOf(await call('{"query":"q","tenant":"evil"}', { repair: true }));
    expect(text).toMatchObject({ code: "invalid_arguments" });
    resultOf(await call('{"query":"q"}', { repair: true }));
    resultOf(await call(Object.assign(Object.create({ tenant: "evil" }), { query: "q" })));
    const own = JSON.parse('{"query":"q","__proto__":{"tenant":"evil"}}') as unknown;
    expect(errorOf(await call(own)).code).toBe("invalid_arguments");
    expect(seen).toEqual([
      { query: "q", tenant: "acme" },
      { query: "q", tenant: "acme" },
    ]);
  });

  it("is named by no issue and no suggestion", async () => {
    const { call } = bind({ tenant: { value: "acme" } });
    const error = errorOf(await call({ tenent: "x", limit: "5" }));
    expect(error.code).toBe("invalid_arguments");
    expect(JSON.stringify(error)).not.toContain("tenant");
    expect(error.issues?.map(({ path }) => path).sort()).toEqual(["/limit", "/query", "/tenent"]);
  });

  it("is left out of repairs, which work beside it", async () => {
    const { seen, call } = bind({ tenant: { value: "acme" } });
    const outcome = await call({ query: "q", limit: "5" }, { repair: true });
    expect(outcome).toMatchObject({ status: "ok", repairs: [{ path: "/limit", kind: "parsed_json" }] });
    expect(seen).toEqual([{ query: "q", limit: 5, tenant: "acme" }]);
    expect(await call({ query: "q" })).not.toHaveProperty("repairs");
  });

  it.each([
    ["a null", { kind: "q", limit: null }, [{ path: "/limit", kind: "dropped_null" }], { kind: "q" }],
    ["JSON in a string", { limit: "5" }, [{ path: "/limit", kind: "parsed_json" }], { limit: 5 }],
    [
      "all of it as text",
      '{"limit":"5"}',
      [
        { path: "", kind: "parsed_json" },
        { path: "/limit", kind: "parsed_json" },
      ],
      { limit: 5 },
    ],
  ])(
    "does not prevent the repair of %s that only the tool's own schema refuses",
    async (_what, args, repairs, sent) => {
      const depends = {
        type: "object",
        properties: { tenant: { type: "string" }, kind: { type: "string" } },
        required: ["tenant"],
        // What it asks of `limit` depends on a claim, so the declaration cannot ask it.
        if: { properties: { tenant: { pattern: "^o-" } } },
        then: { properties: { limit: { type: "integer" } } },
      };
      const { registry, seen, call } = bind({ tenant: { claim: "/org/id" } }, { parameters: depends });
      expect(registry.find("tool")?.parameters.accepts({ limit: "5" })).toBe(true);
      expect(errorOf(await call(args, { repair: false })).code).toBe("invalid_arguments");
      expect(await call(args, { repair: true })).toMatchObject({ status: "ok", repairs });
      expect(seen).toEqual([{ ...sent, tenant: "o-1" }]);
      const other = { ...token, claims: { org: { id: "x" } } };
      if (typeof args !== "string")
        expect(await call(args, { repair: true, caller: other })).not.toHaveProperty("repairs");
      expect(errorOf(await call({ limit: "five" }, { repair: true })).issues).toMatchObject([{ path: "/limit" }]);
    },
  );

  it("is not changed by repairs that the branch of a union asks for which it chooses", async () => {
    const of = (kind: string, type: string) => ({
      properties: { kind: { const: kind }, at: { type } },
      required: ["kind", "at"],
    });
    const union = { type: "object", oneOf: [of("text", "string"), of("number", "integer"), of("list", "array")] };
    const { seen, call } = bind({ kind: { session: true } }, { parameters: union });
    const list = await call({ at: "[1]" }, { session: "list", repair: true });
    expect(list).toMatchObject({ status: "ok", repairs: [{ path: "/at", kind: "parsed_json" }] });
    expect(await call({ at: "[1]" }, { session: "text", repair: true })).not.toHaveProperty("repairs");
    expect(seen).toEqual([
      { at: [1], kind: "list" },
      { at: "[1]", kind: "text" },
    ]);
  });

  it("is never repaired itself", async () => {
    const integer = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const { call } = bind({ n: { session: true } }, { parameters: integer });
    expect(errorOf(await call({}, { session: "5", repair: true })).code).toBe("unavailable");
  });

  it("is made anew for each call and each attempt", async () => {
    const value = { roles: ["reader"] };
    const seen: string[] = [];
    const { registry } = bind(
      { who: { value }, org: { claim: "org" } },
      {
        parameters: { type: "object", properties: { who: { type: "object" }, org: { type: "object" } } },
        execute: (args) => {
          seen.push(JSON.stringify(args));
          (args["who"] as typeof value).roles.push("admin");
          (args["org"] as { id: string }).id = "other";
        },
      },
    );
    for (let count = 0; count < 2; count++) {
      resultOf(await invoke(registry, { name: "tool", arguments: {}, caller: token }));
    }
    expect(new Set(seen).size).toBe(1);
    expect(token.claims.org.id).toBe("o-1");
  });

  it("reaches a schema library's own check, whose issues do not name it", async () => {
    const zod = z.object({
      tenant: z.string().refine((tenant) => tenant !== "closed", "the tenant is closed"),
      query: z.string().refine((query) => query !== "bad", "is a bad query"),
    });
    const good = bind({ tenant: { value: "acme" } }, { parameters: zod as never });
    resultOf(await good.call({ query: "q" }));
    expect(good.seen).toEqual([{ query: "q", tenant: "acme" }]);
    expect(errorOf(await good.call({ query: "bad" })).issues).toMatchObject([{ path: "/query" }]);
    const closed = bind({ tenant: { value: "closed" } }, { parameters: zod as never });
    expect(errorOf(await closed.call({ query: "q" }))).toMatchObject({
      code: "unavailable",
      action: "stop",
      ran: "no",
    });
    const both = errorOf(await closed.call({ query: "bad" }));
    expect(both.issues).toMatchObject([{ path: "/query" }]);
    expect(JSON.stringify(both)).not.toContain("tenant");
  });
});

describe("a tool with a bound argument", () => {
  it("does not exist for a caller that can have no claims", async () => {
    const { registry, call } = bind({ tenant: { claim: "sub" } });
    for (const caller of [undefined, { id: "key", isOperator: true }]) {
      expect(errorOf(await call({ query: "q" }, { caller })).code).toBe("unknown_tool");
    }
    registry.add(toolOf({ name: "too" }));
    expect(errorOf(await call({}, { name: "tol", caller: undefined }))).toMatchObject({ suggestion: "too" });
    expect((await call({ query: "q" })).status).toBe("ok");
  });

  it("is skipped if the value does not fit", () => {
    expect(() => bind({ tenant: { value: 5 } })).toThrow(
      'the value bound to "tenant" does not match the schema of this argument',
    );
  });

  it("is skipped if its name in full binds what it lacks", () => {
    expect(() => bind({ tennant: { value: "acme" } })).toThrow('"overrides" binds "tennant", which is not an argument');
  });

  it("is warned of if a pattern binds what it lacks", async () => {
    const { registry, call } = bind(
      {},
      {},
      { "*": { bind: { tennant: { value: "acme" }, tenant: { value: "acme" } } } },
    );
    expect(registry.warnings("local")).toEqual([
      {
        name: "tool",
        path: "",
        message: '"overrides" binds "tennant", which is not an argument of the tool; did you mean "tenant"?',
      },
    ]);
    resultOf(await call({ query: "q" }));
  });

  it("joins the bindings of several overrides member by member, and null takes one back", async () => {
    const { seen, call } = bind(
      { user: null },
      {},
      {
        "*": { bind: { user: { claim: "sub" }, tenant: { value: "all" } } },
        "to*": { bind: { tenant: { value: "acme" } } },
      },
    );
    resultOf(await call({ query: "q", user: "bob" }));
    expect(seen).toEqual([{ query: "q", user: "bob", tenant: "acme" }]);
  });

  it("is skipped once it loses the argument, until the overrides change", () => {
    const overrides = { "*": { bind: { tenant: { value: "acme" } } } };
    const without = toolOf({ parameters: { type: "object", properties: { query: {} } } });
    const registry = createRegistry({ overrides });
    expect(registry.replace("a", [toolOf({ parameters })])).toEqual([]);
    for (let count = 0; count < 2; count++) {
      registry.configure({ overrides: structuredClone(overrides) });
      expect(registry.replace("a", [without])).toEqual([
        { name: "tool", reason: '"overrides" binds the argument "tenant", which the tool no longer has' },
      ]);
    }
    registry.replace("a", []);
    expect(registry.replace("a", [without])).toHaveLength(1);
    expect(registry.replace("a", [toolOf({ parameters })])).toEqual([]);
    registry.configure({ overrides: { "*": { bind: { tenant: { value: "other" } } } } });
    expect(registry.replace("a", [without])).toEqual([]);
  });

  it.each([
    [{ tenant: {} }, "must be { value }, { claim } or { session: true }"],
    [{ tenant: { session: false } }, "must be { value }, { claim } or { session: true }"],
    [{ tenant: "acme" }, "must be { value }, { claim } or { session: true }"],
    [{ tenant: { value: 1, claim: "sub" } }, "must be { value }, { claim } or { session: true }"],
  ])("is skipped if a program binds it to %j", (bound, reason) => {
    expect(() => bind(bound as never)).toThrow(reason);
  });
});

describe("what is not bound, beside what is", () => {
  it("keeps its issue if a schema library refuses it, also if its name contains the bound one", async () => {
    const schema = z.object({
      user: z.string(),
      username: z.string().refine((name) => name.length > 2, "is too short"),
    });
    const { call } = bind({ user: { value: "ann" } }, { parameters: schema as never });
    const error = errorOf(await call({ username: "a" }));
    expect(error).toMatchObject({
      code: "invalid_arguments",
      issues: [{ path: "/username", message: "is too short" }],
    });
  });

  it.each(["path", "message", "keyword", "expected"])(
    "keeps its issue if the bound argument is called %s",
    async (name) => {
      const schema = z.object({ [name]: z.string(), size: z.number().refine((size) => size > 2, "is too small") });
      const { call } = bind({ [name]: { value: "x" } }, { parameters: schema as never });
      expect(errorOf(await call({ size: 1 })).issues).toEqual([
        { path: "/size", message: "is too small", keyword: "validate" },
      ]);
    },
  );

  it("keeps its path if its message names what is bound", async () => {
    const schema = z.object({
      tenant: z.string(),
      size: z.number().refine((size) => size > 2, "is too small for the tenant"),
    });
    const { call } = bind({ tenant: { value: "acme" } }, { parameters: schema as never });
    expect(errorOf(await call({ size: 1 })).issues).toEqual([
      { path: "/size", message: "is not valid", keyword: "validate" },
    ]);
  });

  it.each([
    ["tenant_id", "shared"],
    ["shared", "tenant_id"],
  ])("keeps its definition if another one must be renamed: %s, then %s", (first, second) => {
    const $defs: Record<string, object> = { tenant_id: { type: "string" }, shared: { type: "integer" } };
    const { registry } = bind(
      { tenant: { value: "acme" } },
      {
        parameters: {
          type: "object",
          properties: { tenant: {}, a: { $ref: `#/$defs/${first}` }, b: { $ref: `#/$defs/${second}` } },
          $defs,
        } as never,
      },
    );
    const declared = registry.find("tool")!.declaration.parameters as { properties: Record<string, { $ref: string }> };
    const typeOf = (name: string): unknown => {
      const target = declared.properties[name]!.$ref.replace("#/$defs/", "");
      return (declared as { $defs?: Record<string, unknown> }).$defs?.[target];
    };
    expect([typeOf("a"), typeOf("b")]).toEqual([$defs[first], $defs[second]]);
    expect(JSON.stringify(declared)).not.toContain("tenant");
  });

  it("is declared without titles and descriptions of the object that name it; those of others are warned of", () => {
    const { registry } = bind(
      { tenant: { value: "acme" } },
      {
        parameters: {
          type: "object",
          title: "By tenant",
          description: "tenant: whose",
          allOf: [{ title: "of the tenant" }],
          properties: { tenant: {}, query: { type: "string", description: "within the tenant" } },
        } as never,
      },
    );
    const { parameters: declared } = registry.find("tool")!.declaration;
    expect(declared).toMatchObject({ properties: { query: { description: "within the tenant" } } });
    expect(declared).not.toHaveProperty("title");
    expect(declared).not.toHaveProperty("description");
    expect(JSON.stringify(declared).match(/tenant/g)).toHaveLength(1);
    expect(registry.warnings("local")).toContainEqual({
      name: "tool",
      path: "/parameters/properties/query/description",
      message: "the text mentions a bound argument",
    });
  });
});

it("an edit of another tool's override frees no tool that lost its bound argument", () => {
  const pattern: ToolOverrides = { "to*": { bind: { tenant: { claim: "org" } } } };
  const registry = createRegistry({ overrides: pattern });
  const offer = (tenant: string) =>
    registry.replaceAll([
      {
        source: "a",
        tools: [toolOf({ parameters: { type: "object", properties: { [tenant]: { type: "string" } } } })],
      },
    ]);
  offer("tenant");
  expect(registry.find("tool")).toBeDefined();
  registry.configure({ overrides: { ...pattern, other: { timeoutMs: 5 } } });
  offer("tenantId");
  expect(registry.find("tool")).toBeUndefined();
  registry.configure({ overrides: { ...pattern, tool: { timeoutMs: 5 } } });
  offer("tenantId");
  expect(registry.find("tool")).toBeUndefined();
  registry.configure({ overrides: { "to*": { bind: { tenantId: { claim: "org" } } } } });
  offer("tenantId");
  expect(registry.find("tool")?.binding?.bound.has("tenantId")).toBe(true);
});
