import { describe, expect, it, onTestFinished } from "vitest";
import { parseJson } from "../../src/json/parse.ts";
import { cancel, type Cancellation } from "../../src/core/call/call.ts";
import { createRegistry, invoke, type JsonSchema, ToolError } from "../../src/index.ts";
import { holdClock, pass, peek, releaseClock } from "../async/manual-clock.ts";
import { callTool, callWith, errorOf, resultOf, toolOf } from "../core/one-tool.ts";

/** The core's share of the public bug reports in ../shared/corpus/bugs.md. */

describe("B12: a tool's error is not checked against its response schema", () => {
  const response = { type: "object", required: ["id"] };

  it("the tool's own message is what is shown", async () => {
    const failing = {
      response,
      execute: () => Promise.reject(new ToolError("quota used up", { details: { code: 9 } })),
    };
    const error = errorOf(await callTool(failing));
    expect(error).toMatchObject({
      code: "tool_failed",
      message: "quota used up",
      details: { code: 9 },
    });
    expect(error).not.toHaveProperty("issues");
  });

  it("a result without what the schema asks for is invalid_result", async () => {
    const error = errorOf(await callTool({ response, execute: () => ({ content: [] }) }));
    expect(error).toMatchObject({
      code: "invalid_result",
      issues: [{ path: "/id", keyword: "required" }],
    });
  });
});

describe("B13: arguments that are null or absent", () => {
  const optional = { type: "object", properties: { a: { type: "string" } } };

  it.each([null, undefined])(
    "%s is invalid_arguments at the root, with nothing of the validator in it",
    async (args) => {
      const error = errorOf(await callWith(optional, args));
      expect(error).toMatchObject({
        code: "invalid_arguments",
        ran: "no",
        issues: [{ path: "", keyword: "type", expected: "object" }],
      });
      expect(JSON.stringify(error)).not.toMatch(/schemaPath|instancePath|ajv|\bat /);
    },
  );

  it("{} is fine where all is optional", async () => {
    expect(resultOf(await callWith(optional, {}))).toEqual({});
  });
});

describe("B15: what is absent stays absent", () => {
  const schema = {
    type: "object",
    required: ["q"],
    properties: {
      q: { type: "string" },
      page: { type: "integer", default: 1 },
      tags: { type: "array", default: [] },
    },
  };

  it("the tool gets exactly what was sent", async () => {
    expect(resultOf(await callWith(schema, { q: "a" }))).toEqual({ q: "a" });
  });

  it("null for an optional property is refused with its path, and nothing ran", async () => {
    const fields = { parameters: schema, execute: () => expect.unreachable() };
    const error = errorOf(await callTool(fields, { arguments: { q: "a", page: null } }));
    expect(error).toMatchObject({
      code: "invalid_arguments",
      ran: "no",
      issues: [{ path: "/page", expected: "integer" }],
    });
  });
});

describe("B18: integers over 2^53", () => {
  it.each([
    '{"id":9007199254740993}',
    '{"id":7960607143101464577}',
    '[{"a":-9223372036854775808},18446744073709551615]',
  ])("%s is refused or kept digit for digit, never rounded", (text) => {
    const { value, refusals } = parseJson(text);
    expect(refusals.length > 0 || JSON.stringify(value) === text).toBe(true);
  });

  it("those that JavaScript rounds are refused with their place and what to do", () => {
    expect(parseJson('{"id":9007199254740993}').refusals).toEqual([
      { path: "/id", reason: expect.stringContaining("as a string") },
    ]);
  });

  it("1e2 and 5.0 are integers", async () => {
    const { value, refusals } = parseJson('{"a":1e2,"b":5.0}');
    expect(refusals).toEqual([]);
    const schema = { type: "object", additionalProperties: { type: "integer" } };
    expect(resultOf(await callWith(schema, value))).toEqual({ a: 100, b: 5 });
  });
});

describe("B26: multipleOf is exact, for arguments and results alike", () => {
  it.each([
    [0.01, 1.11, true],
    [0.01, 19.99, true],
    [0.01, 0.3, true],
    [1, 1e21, true],
    [0.01, 1.115, false],
    [2, 1e21 + 1e6, true],
    [1, 0.5, false],
  ])("multipleOf %d takes %d: %s", async (multipleOf, n, fits) => {
    const schema = { type: "object", properties: { n: { type: "number", multipleOf } } };
    const asArguments = await callWith(schema, { n });
    const asResult = await callTool({ response: schema, execute: () => ({ n }) });
    expect(asArguments.status === "ok" || asArguments.error.code).toBe(fits || "invalid_arguments");
    expect(asResult.status === "ok" || asResult.error.code).toBe(fits || "invalid_result");
  });
});

describe("B29: one bad tool does not spoil the others", () => {
  it("the good ones work, the bad ones are named with their reasons", async () => {
    const registry = createRegistry();
    const skipped = registry.replace("server", [
      toolOf({ name: "bad1", response: { $ref: "Range" } }),
      toolOf({ name: "good" }),
      toolOf({ name: "bad2", parameters: { type: "objekt" } }),
      toolOf({
        name: "bad3",
        parameters: { type: "object", properties: { a: { type: "string", pattern: "[" } } },
      }),
      toolOf({
        name: "bad4",
        parameters: { type: "object", properties: { a: { type: "objekt" } } },
      }),
    ]);
    expect(registry.list().map(({ tool }) => tool.name)).toEqual(["good"]);
    expect(resultOf(await invoke(registry, { name: "good", arguments: { a: 1 } }))).toEqual({
      a: 1,
    });
    expect(skipped.map(({ name }) => name)).toEqual(["bad1", "bad2", "bad3", "bad4"]);
    expect(skipped[0]?.reason).toMatch(/response.*Range/);
    expect(skipped[2]?.reason).toMatch(/parameters.*\/properties\/a/);
    for (const { reason } of skipped) expect(reason).not.toMatch(/\n|\bat .*:\d/);
  });
});

describe("B31: names of Object.prototype", () => {
  const registry = createRegistry({ tools: [toolOf({})] });

  it.each(["toString", "constructor", "__proto__", "hasOwnProperty"])("%s is an unknown tool", async (name) => {
    expect(errorOf(await invoke(registry, { name, arguments: {} })).code).toBe("unknown_tool");
  });

  it("an own __proto__ or constructor is a property like any other", async () => {
    const closed = { type: "object", additionalProperties: false };
    for (const text of ['{"__proto__":{"x":1}}', '{"constructor":1}']) {
      expect(errorOf(await callWith(closed, JSON.parse(text))).issues).toMatchObject([
        { keyword: "additionalProperties" },
      ]);
    }
    expect(errorOf(await callWith({ type: "object", required: ["toString"] }, {})).issues).toMatchObject([
      { path: "/toString" },
    ]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("B33: time limit and cancellation reach the tool", () => {
  /** Sleeps 10 s, and notes when its signal is aborted. */
  function createSleeper() {
    const aborts: unknown[] = [];
    const execute = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        const timer = setTimeout(reject, 10_000);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          aborts.push((signal.reason as Error).name);
          reject(signal.reason);
        });
      });
    return { aborts, tool: { execute, timeoutMs: 300 } };
  }

  it("at 300 ms the answer is there and the signal aborted", async () => {
    const { aborts, tool } = createSleeper();
    holdClock();
    onTestFinished(releaseClock);
    const pending = callTool(tool);
    const seen = peek(pending);
    await pass(299);
    expect(seen.value).toBeUndefined();
    await pass(11);
    expect(errorOf(seen.value!).code).toBe("timeout");
    expect(aborts).toEqual(["TimeoutError"]);
  });

  it("when the caller leaves at 100 ms, likewise", async () => {
    const { aborts, tool } = createSleeper();
    const cancellation: Cancellation = { cancelled: false };
    const pending = callTool(tool, { cancellation });
    cancel(cancellation);
    expect(errorOf(await pending).code).toBe("cancelled");
    expect(aborts).toEqual(["AbortError"]);
  });

  it("what a tool fetches ends with the call", async () => {
    let seen: AbortSignal | null | undefined;
    const upstream: typeof fetch = (_, init) => {
      seen = init?.signal;
      return new Promise(() => undefined);
    };
    await callTool(
      { timeoutMs: 20, execute: (_, { fetch }) => fetch("http://upstream.test/") },
      {},
      { fetch: upstream },
    );
    expect(seen?.aborted).toBe(true);
  });

  it("limits over 60 s are taken", () => {
    const registry = createRegistry({ tools: [toolOf({ timeoutMs: 900_000 })] });
    expect(registry.find("tool")?.timeoutMs).toBe(900_000);
  });
});

describe("B35: no branch of a union changes the value", () => {
  const closed = (key: string): JsonSchema => ({
    type: "object",
    properties: { [key]: { default: "leaked" } },
    additionalProperties: false,
  });

  it.each<[string, JsonSchema, unknown]>([
    [
      "null stays null",
      { properties: { test: { oneOf: [{ const: null }, { type: "string", minLength: 1 }] } } },
      { test: null },
    ],
    ["b stays", { properties: { test: { oneOf: [closed("a"), closed("b")] } } }, { test: { b: "foo" } }],
    [
      "a string of digits stays one",
      { properties: { test: { oneOf: [{ type: "integer" }, { type: "string" }] } } },
      { test: "5" },
    ],
    ["no default appears", { anyOf: [closed("a"), closed("b")] }, {}],
  ])("%s", async (_, schema, args) => {
    const before = structuredClone(args);
    const outcome = await callTool(
      { parameters: { type: "object", ...(schema as object) } },
      { arguments: args, repair: true },
    );
    // The result is what was written of it: a copy, which must not have lost or gained anything.
    expect(resultOf(outcome)).toStrictEqual(before);
    expect(args).toEqual(before);
    expect(outcome).not.toHaveProperty("repairs");
  });
});
