import { describe, expect, it, test, vi } from "vitest";
import { trace } from "@opentelemetry/api";
import type { CallRecord } from "../../../src/core/observer.ts";
import { sha256 } from "../../../src/access/keys.ts";
import { ToolError } from "../../../src/errors/errors.ts";
import type { ToolContext } from "../../../src/tool/tool.ts";
import { listenWith } from "../../http/listening-app.ts";
import { mcpDoor } from "../../../src/mcp/http/door.ts";
import { type Asked, callTool, mcpApp, modernMeta, post } from "../messages.ts";

const eras = ["legacy", "modern"] as const;
const png = { type: "image", data: "AAAA", mimeType: "image/png" };

describe("the result of a call", () => {
  it.each([
    [{ a: 1 }, { a: 1 }, { a: 1 }],
    ["text", { result: "text" }, "text"],
    [[1, "ü"], { result: [1, "ü"] }, [1, "ü"]],
    [null, { result: null }, null],
    [undefined, { result: null }, null],
    [0, { result: 0 }, 0],
    [{ result: 1 }, { result: 1 }, { result: 1 }],
  ])("that is %j is an object for legacy clients, and as it is for modern ones", async (value, legacy, modern) => {
    const { app } = mcpApp([{ execute: () => value }]);
    const [ofLegacy, ofModern] = await Promise.all(eras.map((era) => callTool(app, era, "tool", {})));
    expect(ofLegacy?.message.result).toEqual({
      content: [{ type: "text", text: JSON.stringify(legacy) }],
      structuredContent: legacy,
    });
    expect(ofModern?.message.result).toEqual({
      resultType: "complete",
      content: [{ type: "text", text: JSON.stringify(modern) }],
      structuredContent: modern,
      _meta: { "io.modelcontextprotocol/serverInfo": expect.objectContaining({ name: "toolhost" }) },
    });
  });

  it("is wrapped by the schema that was listed, not by the value", async () => {
    const { app } = mcpApp([{ response: { type: ["object", "null"] }, execute: () => ({ a: 1 }) }]);
    const { message } = await callTool(app, "legacy", "tool");
    expect(message.result?.["structuredContent"]).toEqual({ result: { a: 1 } });
    const warned = mcpApp(
      [{ response: { type: ["object", "null"] }, execute: () => ({ a: 1 }) }],
      {},
      {
        overrides: { tool: { response: "warn" } },
      },
    );
    const { message: unlisted } = await callTool(warned.app, "legacy", "tool");
    expect(unlisted.result?.["structuredContent"]).toEqual({ a: 1 });
  });

  it("of content blocks has the blocks alone", async () => {
    const { app } = mcpApp([{ contentBlocks: true, execute: () => ({ content: [png] }) }]);
    for (const era of eras) {
      const { result = {} } = (await callTool(app, era, "tool")).message;
      expect(result["content"]).toEqual([png]);
      expect(result).not.toHaveProperty("structuredContent");
      expect(result).not.toHaveProperty("isError");
    }
  });

  it("of a long text arrives whole", async () => {
    const text = "ü€😀".repeat(100_000);
    const { port } = await listenWith([{ execute: () => text }], { doors: [mcpDoor] });
    const { message } = await callTool(overSocket(port), "legacy", "tool");
    expect(message.result?.["structuredContent"]).toEqual({ result: text });
  });
});

describe("arguments", () => {
  it("that are absent or null are none", async () => {
    const { app } = mcpApp([{}]);
    for (const era of eras) {
      for (const args of [undefined, null, {}]) {
        const { message } = await callTool(app, era, "tool", args);
        expect(message.result?.["structuredContent"]).toEqual({});
      }
    }
  });

  it("that are not valid are a result that the model can read, with the error for its program", async () => {
    const parameters = {
      type: "object",
      properties: { unit: { enum: ["celsius", "fahrenheit"] } },
      required: ["unit"],
    };
    const { app } = mcpApp([{ parameters, response: { type: "object" } }]);
    for (const era of eras) {
      const { status, message } = await callTool(app, era, "tool", { unit: "celcius" });
      const { content, isError, _meta: meta, ...rest } = message.result as Record<string, unknown>;
      expect([status, isError, rest["structuredContent"]]).toEqual([200, true, undefined]);
      const [{ text = "" } = {}] = content as { text?: string }[];
      expect(text).toMatch(/Action: fix_arguments\nIssues:\n- \/unit: must be one of celsius, fahrenheit/);
      expect(text).not.toContain("celcius");
      expect(meta).toMatchObject({
        "toolhost/error": {
          code: "invalid_arguments",
          action: "fix_arguments",
          ran: "no",
          issues: [{ path: "/unit" }],
        },
      });
    }
  });

  it.each(["[]", '"a"', "1", "true"])("that are %s are not valid either", async (args) => {
    const { app } = mcpApp([{}]);
    const { message } = await post(
      app,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool","arguments":${args}}}`,
    );
    expect(message.result).toMatchObject({ isError: true, _meta: { "toolhost/error": { code: "invalid_arguments" } } });
  });

  it.each([
    ['{"n":9007199254740993}', "/n"],
    ['{"a":{"n":1e999}}', "/a/n"],
    ['{"a":1,"a":2}', ""],
    ['{"__proto__":1}', ""],
  ])("that would be lost without a word, such as %s, are issues of the call alone", async (args, path) => {
    const { app } = mcpApp([{}]);
    const { message } = await post(
      app,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool","arguments":${args}}}`,
    );
    expect(message.result?.["_meta"]).toMatchObject({
      "toolhost/error": { code: "invalid_arguments", issues: [{ path }] },
    });
  });
});

describe("a call that fails", () => {
  const rows = [
    ["tool_failed", { execute: () => Promise.reject(new ToolError("No order 17.")) }, "No order 17."],
    ["tool_failed", { execute: () => Promise.reject(new Error("secret")) }, "The tool failed"],
    ["timeout", { timeoutMs: 5, execute: () => new Promise(() => undefined) }, "did not finish within 5 ms"],
    ["invalid_result", { response: { type: "string" }, execute: () => 1 }, "does not match its own schema"],
    ["result_too_large", { resultBytes: 5, execute: () => "long enough" }, "larger"],
    ["unavailable", { requires: ["UNSET"] }, "UNSET"],
    [
      "tool_failed",
      { contentBlocks: true, execute: () => ({ content: [{ type: "text", text: "Quota used up" }], isError: true }) },
      "Quota used up",
    ],
  ] as const;

  it.each(rows)("as %s is a result with isError, without structured content", async (code, tool, words) => {
    const { app } = mcpApp([tool]);
    for (const era of eras) {
      const { status, message } = await callTool(app, era, "tool");
      const { result = {} } = message;
      expect([status, message.error, result["isError"]]).toEqual([200, undefined, true]);
      expect(result).not.toHaveProperty("structuredContent");
      expect(JSON.stringify(result["content"])).toContain(words);
      expect(JSON.stringify(message)).not.toContain("secret");
      expect(result["_meta"]).toMatchObject({ "toolhost/error": { code } });
    }
  });

  it("because its caller has made too many calls is a result too", async () => {
    const auth = { keys: [{ name: "k", sha256: sha256("k"), callsPerMinute: 1 }] };
    const { app } = mcpApp([{}], { auth });
    const headers = { authorization: "Bearer k" };
    await callTool(app, "modern", "tool", {}, { headers });
    const { status, message } = await callTool(app, "modern", "tool", {}, { headers });
    expect([status, message.result?.["_meta"]]).toMatchObject([
      200,
      { "toolhost/error": { code: "rate_limited", action: "retry_later" } },
    ]);
  });
});

describe("an unknown tool", () => {
  const keys = [{ name: "get", sha256: sha256("get"), tools: ["get_*"] }];

  it("is an error of the protocol, with the name that was probably meant", async () => {
    const { app } = mcpApp([{ name: "get_weather" }]);
    for (const era of eras) {
      const { status, message } = await callTool(app, era, "get_wether");
      expect([status, message.error]).toEqual([
        200,
        {
          code: -32_602,
          message: expect.stringContaining('Did you mean "get_weather"?'),
          data: { suggestion: "get_weather" },
        },
      ]);
    }
  });

  it("includes a tool that the caller may not use, and one outside of the part that the URL names", async () => {
    const { app } = mcpApp([{ name: "get_a" }, { name: "set_a", tags: ["x"] }], { auth: { keys } });
    const headers = { authorization: "Bearer get" };
    for (const era of eras) {
      const hidden = await callTool(app, era, "set_a", {}, { headers });
      expect(hidden.message.error?.code).toBe(-32_602);
      expect(JSON.stringify(hidden.message)).not.toContain("set_a");
      const outside = await callTool(app, era, "get_a", {}, { headers, path: "/mcp?names=get_b" });
      expect(outside.message.error?.code).toBe(-32_602);
    }
    const { app: open } = mcpApp([{ name: "get_a" }, { name: "set_a", tags: ["x"] }]);
    expect((await callTool(open, "modern", "set_a", {}, { path: "/mcp?tags=x" })).message.error).toBeUndefined();
    expect((await callTool(open, "modern", "get_a", {}, { path: "/mcp?tags=x" })).message.error?.code).toBe(-32_602);
  });

  it("is not one whose name is not a string", async () => {
    const { app } = mcpApp([{}]);
    const { message } = await post(app, '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}');
    expect(message.error).toMatchObject({ code: -32_602, message: "params.name must be a string." });
  });
});

describe("progress", () => {
  const steps = [
    { progress: 0, total: 2 },
    { progress: 1, total: 2, message: "half" },
    { progress: 1 },
    { progress: 2 },
  ];
  const execute = async (_args: unknown, { progress }: ToolContext): Promise<string> => {
    for (const step of steps) progress(step);
    return "done";
  };

  it.each(["token", 7, 0, ""])(
    "is sent to who asks with the token %j, before the result, and always grows",
    async (token) => {
      const { app } = mcpApp([{ execute }]);
      const { headers, messages } = await callTool(app, "legacy", "tool", {}, { meta: { progressToken: token } });
      expect([headers.get("content-type"), headers.get("x-accel-buffering")]).toEqual(["text/event-stream", "no"]);
      const sent = (params: object) => ({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: token, ...params },
      });
      expect(messages).toEqual([
        sent({ progress: 0, total: 2 }),
        sent({ progress: 1, total: 2, message: "half" }),
        sent({ progress: 2 }),
        expect.objectContaining({ id: 1, result: expect.objectContaining({ structuredContent: { result: "done" } }) }),
      ]);
    },
  );

  it("is not sent to who does not ask for it, or cannot read a stream", async () => {
    const { app } = mcpApp([{ execute }]);
    for (const [meta, accept] of [
      [{}, "application/json, text/event-stream"],
      [{ progressToken: null }, "application/json, text/event-stream"],
      [{ progressToken: "t" }, "application/json"],
    ] as const) {
      const { headers, messages } = await callTool(app, "modern", "tool", {}, { meta, headers: { accept } });
      expect([headers.get("content-type"), messages.length]).toEqual(["application/json", 1]);
    }
  });

  it("of an unknown tool is its error, in the stream", async () => {
    const { app } = mcpApp([{}]);
    const { messages } = await callTool(app, "modern", "none", {}, { meta: { progressToken: 1 } });
    expect(messages).toMatchObject([{ id: 1, error: { code: -32_602 } }]);
  });

  it("comes over a socket while the call runs", async () => {
    let finish = (): void => undefined;
    const { port } = await listenWith(
      [
        {
          execute: (_args: unknown, { progress }: ToolContext) => {
            progress({ progress: 1 });
            return new Promise<void>((resolve) => (finish = resolve));
          },
        },
      ],
      { doors: [mcpDoor] },
    );
    const response = await overSocket(port).request("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool","_meta":{"progressToken":1}}}',
    });
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    expect(Buffer.from(value!).toString()).toContain("notifications/progress");
    finish();
    const { value: last } = await reader.read();
    expect(Buffer.from(last!).toString()).toMatch(/"id":1,"result"/);
    expect((await reader.read()).done).toBe(true);
  });
});

describe("a client that leaves", () => {
  const request = (meta: object) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "tool", _meta: meta },
  });
  const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "tool" };

  it.each<[string, object, Readonly<Record<string, string>>, number]>([
    ["a reply", request({}), {}, 1],
    ["a stream", request({ progressToken: 1 }), {}, 1],
    ["a reply of the modern era", request(modernMeta), modern, 1],
    ["a stream of the modern era", request({ ...modernMeta, progressToken: 1 }), modern, 1],
    ["a batch", [request({}), request({}), request({ progressToken: 1 })], {}, 3],
  ])("while it waits for %s cancels its calls", async (_what, body, headers, count) => {
    const signals: AbortSignal[] = [];
    const records: CallRecord[] = [];
    const execute = (_args: unknown, { signal }: ToolContext): Promise<never> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const observer = { onCall: (record: CallRecord) => records.push(record) };
    const { port } = await listenWith([{ execute, timeoutMs: 60_000 }], { doors: [mcpDoor] }, { observer });
    const controller = new AbortController();
    const asked = overSocket(port, controller.signal).request("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    void Promise.resolve(asked).catch(() => undefined);
    await vi.waitFor(() => expect(signals).toHaveLength(count), 10_000);
    controller.abort();
    await vi.waitFor(() => expect(signals.every(({ aborted }) => aborted)).toBe(true), 10_000);
    await vi.waitFor(() => expect(records.map(({ code }) => code)).toEqual(Array(count).fill("cancelled")), 10_000);
  });

  it("is not one that sends notifications/cancelled by another request", async () => {
    let finish = (): void => undefined;
    const { app } = mcpApp([{ execute: () => new Promise<void>((resolve) => (finish = resolve)) }]);
    const asked = callTool(app, "legacy", "tool", {}, { id: 9 });
    await vi.waitFor(() => expect(finish).not.toBe(undefined), 10_000);
    const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}';
    expect((await post(app, cancelled)).status).toBe(202);
    finish();
    expect((await asked).message.result).not.toHaveProperty("isError");
  });
});

describe("what a call knows of its request", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const other = "00-11111111111111111111111111111111-b7ad6b7169203331-01";

  it("is the trace of its _meta, or else of its headers", async () => {
    const records: CallRecord[] = [];
    const { app } = mcpApp([{}], {}, { observer: { onCall: (record) => void records.push(record) } });
    await callTool(app, "modern", "tool", {}, { meta: { traceparent }, headers: { traceparent: other } });
    await callTool(app, "legacy", "tool", {}, { headers: { traceparent: other } });
    await callTool(app, "legacy", "tool", {}, { meta: { traceparent: 7 } });
    expect(records.map(({ traceId }) => traceId)).toEqual([
      "0af7651916cd43dd8448eb211c80319c",
      "11111111111111111111111111111111",
      undefined,
    ]);
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  it("is its session and its request id", async () => {
    const records: CallRecord[] = [];
    const execute = (_args: unknown, { session }: ToolContext): unknown => ({ session });
    const { app } = mcpApp([{ execute }], {}, { observer: { onCall: (record) => void records.push(record) } });
    const headers = { "toolhost-session": "s1", "x-request-id": "r1" };
    const { message } = await callTool(app, "modern", "tool", {}, { headers });
    expect(message.result?.["structuredContent"]).toEqual({ session: "s1" });
    expect(records[0]).toMatchObject({ requestId: "r1", code: "ok", caller: "anonymous" });
  });
});

test("ids of two clients do not meet, and come back as they are", async () => {
  const { app } = mcpApp([{ execute: ({ n }) => n }]);
  const ids = [0, 0, "0", -1, "a", 2 ** 53 - 1, "\ud800"];
  const answers = await Promise.all(ids.map((id, n) => callTool(app, "legacy", "tool", { n }, { id })));
  expect(answers.map(({ message }) => [message.id, message.result?.["structuredContent"]])).toEqual(
    ids.map((id, n) => [id, { result: n }]),
  );
});

test("while the service ends, nothing is started", async () => {
  const lifecycle = {
    state: "ending",
    open: 0,
    opened() {},
    closed() {},
    ending: new AbortController().signal,
  } as const;
  const { app } = mcpApp([{}], { lifecycle: lifecycle as never });
  const { status, message, headers } = await callTool(app, "modern", "tool", {}, { meta: modernMeta });
  expect([status, message.error?.data, headers.has("retry-after")]).toMatchObject([
    503,
    { code: "shutting_down" },
    true,
  ]);
});

/** The same over a real socket, where the door is asked past Hono. */
function overSocket(port: number, signal?: AbortSignal): Asked {
  const init = signal === undefined ? {} : { signal };
  return { request: (path, more) => fetch(`http://127.0.0.1:${port}${path}`, { ...more, ...init }) };
}
