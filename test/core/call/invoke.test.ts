import { describe, expect, it } from "vitest";
import { createRegistry, defineTool, invoke, type CallRecord } from "../../../src/index.ts";
import { callTool, callWith, errorOf, resultOf, toolOf } from "../one-tool.ts";

describe("a call", () => {
  it("answers with what the tool returns", async () => {
    const outcome = await callTool({ execute: ({ a }) => ({ twice: Number(a) * 2 }) }, { arguments: { a: 21 } });
    expect(outcome).toEqual({
      status: "ok",
      callId: expect.stringMatching(/^\S+$/),
      result: { twice: 42 },
    });
  });

  it("awaits promises and other thenables", async () => {
    expect(resultOf(await callTool({ execute: async () => 1 }))).toBe(1);
    const thenable = { then: (done: (n: number) => void) => done(2) };
    expect(resultOf(await callTool({ execute: () => thenable }))).toBe(2);
  });

  it("has an id of its own, which the tool is told", async () => {
    const registry = createRegistry({ tools: [toolOf({ execute: (_, { callId }) => callId })] });
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => invoke(registry, { name: "tool", arguments: {} })),
    );
    expect(new Set(outcomes.map(({ callId }) => callId)).size).toBe(100);
    for (const outcome of outcomes) expect(resultOf(outcome)).toBe(outcome.callId);
  });

  it("hands the tool the very arguments that came, and its session", async () => {
    const args = { a: { b: [1] } };
    let seen: unknown;
    const execute = (given: unknown, { session }: { session?: string }) => {
      seen = given;
      return session;
    };
    expect(resultOf(await callTool({ execute }, { arguments: args, session: "s-1" }))).toBe("s-1");
    expect(seen).toBe(args);
  });

  it("tells the observer the code and the time, and neither arguments nor result", async () => {
    const records: CallRecord[] = [];
    const observer = { onCall: (record: CallRecord) => void records.push(record) };
    const failing = { execute: () => Promise.reject(new Error("inside")) };
    await callTool({}, { arguments: { a: "canary" }, caller: { id: "me" } }, { observer });
    await callTool(failing, { arguments: { a: "canary" } }, { observer });
    expect(records).toMatchObject([
      { tool: "tool", source: "local", caller: "me", code: "ok" },
      { caller: "anonymous", code: "tool_failed", cause: { message: "inside" } },
    ]);
    expect(records[0]?.ms).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(records)).not.toContain("canary");
  });

  it("tells a listener of progress and of the log while it runs, and no longer", async () => {
    const heard: unknown[] = [];
    let late: () => void = () => undefined;
    await callTool(
      {
        execute(_, { progress, log }) {
          progress({ progress: 1, total: 2, message: "half" });
          log("info", "hello", { a: 1 });
          late = () => progress({ progress: 2 });
        },
        response: true,
      },
      {
        listener: {
          onProgress: (progress) => heard.push(progress),
          onLog: (...entry) => heard.push(entry),
        },
      },
    );
    late();
    expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }, ["info", "hello", { a: 1 }]]);
  });
});

describe("unknown_tool", () => {
  const registry = createRegistry({
    tools: [toolOf({ name: "get_weather" }), toolOf({ name: "secret", requires: ["NO"] })],
    env: {},
  });

  it("suggests the tool that was probably meant, and has no callId", async () => {
    const outcome = await invoke(registry, { name: "get_wether", arguments: {} });
    expect(outcome).not.toHaveProperty("callId");
    expect(errorOf(outcome)).toMatchObject({
      code: "unknown_tool",
      suggestion: "get_weather",
      ran: "no",
      retryable: false,
    });
  });

  it("suggests nothing where nothing is near, or what is near is not listed", async () => {
    for (const name of ["zzzzzzzz", "", "secre"]) {
      expect(errorOf(await invoke(registry, { name, arguments: {} }))).not.toHaveProperty("suggestion");
    }
  });
});

describe("invalid_arguments", () => {
  it("says what is wrong, where, and what was meant; nothing ran", async () => {
    let ran = false;
    const unit = { enum: ["celsius", "fahrenheit"] };
    const outcome = await callTool(
      {
        parameters: { type: "object", properties: { unit } },
        execute: () => (ran = true),
      },
      { arguments: { unit: "celcius" } },
    );
    expect(outcome).toHaveProperty("callId");
    expect(errorOf(outcome)).toEqual({
      code: "invalid_arguments",
      message: expect.stringContaining("/unit must be one of celsius, fahrenheit"),
      action: "fix_arguments",
      retryable: false,
      ran: "no",
      issues: [
        {
          path: "/unit",
          message: "must be one of celsius, fahrenheit",
          keyword: "enum",
          expected: ["celsius", "fahrenheit"],
          suggestion: "celsius",
        },
      ],
    });
    expect(ran).toBe(false);
  });

  it.each([null, [], "x", 5, true])("holds an issue at the root for %j", async (args) => {
    const { code, issues } = errorOf(await callWith({ type: "object" }, args));
    expect(code).toBe("invalid_arguments");
    expect(issues).toMatchObject([{ path: "", keyword: "type", expected: "object" }]);
  });
});

describe("unavailable", () => {
  it("names the variable that is unset; nothing ran", async () => {
    const fields = { requires: ["SOME_KEY", "OTHER_KEY"], execute: () => expect.unreachable() };
    const error = errorOf(await callTool(fields, {}, { env: { SOME_KEY: "", OTHER_KEY: "x" } }));
    expect(error).toMatchObject({
      code: "unavailable",
      action: "stop",
      retryable: false,
      ran: "no",
    });
    expect(error.message).toContain("SOME_KEY");
    expect(error.message).not.toContain("OTHER_KEY");
  });

  it("is not said where all are set", async () => {
    expect(resultOf(await callTool({ requires: ["SOME_KEY"] }, {}, { env: { SOME_KEY: "x" } }))).toEqual({});
  });
});

describe("declaration_changed", () => {
  const registry = createRegistry({ tools: [toolOf({})] });
  const hash = registry.find("tool")!.declaration.hash;

  it("refuses a call that was made for another declaration; nothing ran", async () => {
    const other = hash.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
    const error = errorOf(await invoke(registry, { name: "tool", arguments: {}, hash: other }));
    expect(error).toMatchObject({ code: "declaration_changed", ran: "no", retryable: false });
  });

  it("is not said of the one that stands", async () => {
    expect(resultOf(await invoke(registry, { name: "tool", arguments: {}, hash }))).toEqual({});
  });
});

describe("invalid_result", () => {
  it("says what breaks the tool's own schema without showing it", async () => {
    const response = { type: "object", properties: { n: { type: "integer" } } };
    const outcome = await callTool({ response, execute: () => ({ n: "canary" }) });
    expect(errorOf(outcome)).toMatchObject({
      code: "invalid_result",
      action: "stop",
      retryable: false,
      issues: [{ path: "/n", keyword: "type", expected: "integer" }],
    });
    expect(errorOf(outcome)).not.toHaveProperty("ran");
    expect(JSON.stringify(outcome)).not.toContain("canary");
  });

  it("checks what the JSON says, not the object that wrote it", async () => {
    const response = {
      type: "object",
      required: ["at"],
      properties: { at: { type: "string", format: "date-time" } },
    };
    expect(resultOf(await callTool({ response, execute: () => ({ at: new Date(0) }) }))).toEqual({
      at: "1970-01-01T00:00:00.000Z",
    });
    const missing = await callTool({ response, execute: () => ({ at: undefined }) });
    expect(errorOf(missing)).toMatchObject({ code: "invalid_result", issues: [{ path: "/at" }] });
  });

  it("is never said of a tool without a response schema that returns JSON", async () => {
    for (const value of [null, 0, "", false, [], {}])
      expect(resultOf(await callTool({ execute: () => value }))).toEqual(value);
  });
});

it("runs what defineTool made", async () => {
  const tool = defineTool({
    name: "add",
    description: "Adds.",
    parameters: { type: "object", required: ["a"], properties: { a: { type: "number" } } },
    execute: ({ a }) => Number(a) + 1,
  });
  const registry = createRegistry({ tools: [tool] });
  expect(resultOf(await invoke(registry, { name: "add", arguments: { a: 1 } }))).toBe(2);
  expect(errorOf(await invoke(registry, { name: "add", arguments: {} })).issues).toMatchObject([{ path: "/a" }]);
});
