import { describe, expect, it, test } from "vitest";
import { sha256 } from "../../../src/access/keys.ts";
import { version } from "../../../src/package.ts";
import { ask, mcpApp, modernMeta, post } from "../messages.ts";

const { app } = mcpApp([{}]);
const serverInfo = { name: "toolhost", title: "Toolhost", version };

describe("initialize", () => {
  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["2024-10-07", "2025-11-25"],
    ["2026-07-28", "2025-11-25"],
    [7, "2025-11-25"],
  ])("with the revision %s is answered with %s", async (protocolVersion, expected) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const options = { headers: { "mcp-protocol-version": undefined } };
    const { status, message, headers } = await ask(app, "legacy", "initialize", params, options);
    expect(status).toBe(200);
    expect(headers.has("mcp-session-id")).toBe(false);
    expect(message).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { protocolVersion: expected, capabilities: { tools: {} }, serverInfo },
    });
  });
});

test("server/discover describes the server, in the modern era alone", async () => {
  const { message } = await ask(app, "modern", "server/discover");
  expect(message.result).toEqual({
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: expect.any(Number),
    cacheScope: "private",
    _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
  });
  const legacy = await ask(app, "legacy", "server/discover");
  expect([legacy.status, legacy.message.error?.code]).toEqual([200, -32_601]);
});

test("ping is answered in the legacy era", async () => {
  expect((await ask(app, "legacy", "ping", {}, { id: "x" })).message).toEqual({ jsonrpc: "2.0", id: "x", result: {} });
});

test.each(["initialize", "ping", "logging/setLevel", "resources/list", "prompts/list", "toString", "__proto__"])(
  "the modern era has no method %s",
  async (method) => {
    const { status, message } = await ask(app, "modern", method, {}, { id: 7 });
    expect([status, message]).toEqual([
      404,
      { jsonrpc: "2.0", id: 7, error: { code: -32_601, message: "Method not found" } },
    ]);
  },
);

test.each(["notifications/initialized", "notifications/cancelled", "anything"])(
  "a notification %s is accepted in both eras, and changes nothing",
  async (method) => {
    for (const params of [{ requestId: 1 }, { requestId: 1, _meta: modernMeta }]) {
      const { status, messages } = await post(app, JSON.stringify({ jsonrpc: "2.0", method, params }));
      expect([status, messages]).toEqual([202, []]);
    }
  },
);

test("a response of the client is accepted, as nobody waits for it", async () => {
  for (const body of [
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}',
  ]) {
    expect((await post(app, body)).status).toBe(202);
  }
});

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe("a batch", () => {
  const batch = (...messages: readonly object[]) =>
    JSON.stringify(messages.map((message) => ({ jsonrpc: "2.0", ...message })));
  const call = (id: unknown, name: string, args: object = {}) => ({
    id,
    method: "tools/call",
    params: { name, arguments: args },
  });

  it("of the revision 2025-03-26 is answered in one piece, in the order of its requests", async () => {
    const { app: serving } = mcpApp([
      { name: "late", execute: async () => (await Promise.resolve(), 1) },
      { name: "now" },
    ]);
    const body = batch(
      call(1, "late"),
      { method: "notifications/initialized" },
      call("two", "now", { a: 1 }),
      call(3, "none"),
      { id: 4, method: "ping" },
      { id: 5, result: {} },
      { id: 6, method: "initialize", params: { protocolVersion: "2025-03-26" } },
      { id: 7, method: "ping", params: { _meta: modernMeta } },
      { id: 8 },
    );
    for (const headers of [{}, { "mcp-protocol-version": "2025-03-26" }]) {
      const { status, message } = await post(serving, body, headers);
      expect(status).toBe(200);
      expect(message).toMatchObject([
        { id: 1, result: { structuredContent: { result: 1 } } },
        { id: "two", result: { structuredContent: { a: 1 } } },
        { id: 3, error: { code: -32_602 } },
        { id: 4, result: {} },
        { id: 6, error: { code: -32_600 } },
        { id: 7, error: { code: -32_600 } },
        { id: 8, error: { code: -32_600 } },
      ]);
    }
  });

  it("without requests is accepted", async () => {
    const body = batch({ method: "notifications/initialized" }, { id: 1, result: {} });
    expect((await post(app, body)).status).toBe(202);
  });

  it("refuses numbers that would be rounded in the one call that has them", async () => {
    const { app: serving } = mcpApp([{ name: "now" }]);
    const body = batch(call(1, "now"), call(2, "now", { n: "<>" }), call(3, "now")).replace('"<>"', "9007199254740993");
    expect((await post(serving, body)).message).toMatchObject([
      { id: 1, result: { structuredContent: {} } },
      { id: 2, result: { isError: true } },
      { id: 3, result: { structuredContent: {} } },
    ]);
  });

  it("counts each of its calls for the rights and the rate of its caller", async () => {
    const keys = [{ name: "a", sha256: sha256("key"), tools: ["now"], callsPerMinute: 2 }];
    const { app: serving } = mcpApp([{ name: "now" }, { name: "other" }], { auth: { keys }, hosts: "loopback" });
    const body = batch(call(1, "other"), call(2, "now"), call(3, "now"), call(4, "now"));
    const { message } = await post(serving, body, { authorization: "Bearer key", host: "localhost" });
    expect(message).toMatchObject([
      { id: 1, error: { code: -32_602 } },
      { id: 2, result: { structuredContent: {} } },
      { id: 3, result: { structuredContent: {} } },
      { id: 4, result: { isError: true, _meta: { "toolhost/error": { code: "rate_limited" } } } },
    ]);
  });

  it.each(["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"])(
    "of the revision %s is refused",
    async (revision) => {
      const { status, message } = await post(app, `[${ping}]`, { "mcp-protocol-version": revision });
      expect([status, message.error?.code]).toEqual([400, -32_600]);
    },
  );
});

describe("a message that is refused", () => {
  it.each([
    ["is not JSON", "{", -32_700, undefined],
    ["is empty", "", -32_600, undefined],
    ["is an empty batch", "[]", -32_600, undefined],
    ["is a batch of 65 messages", `[${Array.from({ length: 65 }, () => ping).join(",")}]`, -32_600, undefined],
    ["is null", "null", -32_600, undefined],
    ["has no jsonrpc", '{"id":1,"method":"ping"}', -32_600, 1],
    ["has another jsonrpc", '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32_600, 1],
    ["has no method", '{"jsonrpc":"2.0","id":1}', -32_600, 1],
    ["has a method that is not a string", '{"jsonrpc":"2.0","id":1,"method":1}', -32_600, 1],
    ["has the id null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600, undefined],
    ["has a fraction as its id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32_600, undefined],
    ["has an id that would be rounded", '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32_600, undefined],
    ["has an object as its id", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600, undefined],
    ["has a key twice", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}', -32_600, 1],
    ["has params that are a list", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32_602, 1],
    [
      "is nested too deeply",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(64)}${"]".repeat(64)}}`,
      -32_700,
      undefined,
    ],
  ])("because it %s has the code of JSON-RPC, and its id if that is known", async (_why, body, code, id) => {
    const { status, message } = await post(app, body);
    expect([status, message.error?.code, message.id]).toEqual([400, code, id]);
    expect("id" in message).toBe(id !== undefined);
  });

  it("before it is read has the status of any route, and an error of JSON-RPC with the error object", async () => {
    const { app: closed } = mcpApp([{}], { apiKeys: ["key"], maxBodyBytes: 100, hosts: "loopback" });
    const authorization = "Bearer key";
    const rows = [
      [{}, "{}", 401, "unauthorized"],
      [{ authorization, "content-type": "text/plain" }, "{}", 415, "unsupported_media_type"],
      [{ authorization }, `"${"a".repeat(100)}"`, 413, "body_too_large"],
      [{ authorization, host: "evil.example" }, "{}", 403, "forbidden"],
      [{ authorization, origin: "https://evil.example" }, "{}", 403, "forbidden"],
    ] as const;
    for (const [headers, body, status, code] of rows) {
      const answer = await post(closed, body, { host: "localhost", ...headers });
      expect([answer.status, answer.message.error?.data]).toMatchObject([status, { code, retryable: false }]);
      expect(answer.message.error?.code).toBe(-32_600);
    }
  });

  it("because of its query names the misspelt parameter", async () => {
    const { status, message } = await ask(app, "legacy", "ping", {}, { path: "/mcp?nmaes=a" });
    expect([status, message.error?.message]).toEqual([400, expect.stringContaining('Did you mean "names"?')]);
  });
});

test("other methods of HTTP are refused: there are no sessions and no streams of the server", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const response = await app.request("/mcp", { method, headers: { accept: "text/event-stream" } });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  }
});

describe("the era of a request", () => {
  const send = (meta: object | undefined, header: string | undefined, method = "tools/list") =>
    post(app, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: meta === undefined ? {} : { _meta: meta } }), {
      "mcp-protocol-version": header,
      "mcp-method": method,
    });
  const version = "io.modelcontextprotocol/protocolVersion";
  const capabilities = "io.modelcontextprotocol/clientCapabilities";

  it("is legacy without a claim, whatever legacy revision the header names", async () => {
    for (const header of [undefined, "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
      const { status, message } = await send(undefined, header);
      expect([status, message.result]).toEqual([200, { tools: [expect.anything()] }]);
    }
  });

  it.each([
    ["a claim", modernMeta, "2026-07-28", undefined],
    ["no client info", { [version]: "2026-07-28", [capabilities]: {} }, "2026-07-28", undefined],
    ["no claim but a modern header", undefined, "2026-07-28", -32_602],
    ["no revision in _meta", { [capabilities]: {} }, "2026-07-28", -32_602],
    ["no capabilities in _meta", { [version]: "2026-07-28" }, "2026-07-28", -32_602],
    ["capabilities that are a list", { [version]: "2026-07-28", [capabilities]: [] }, "2026-07-28", -32_602],
    ["a revision that is a number", { ...modernMeta, [version]: 1 }, "2026-07-28", -32_602],
    ["no header", modernMeta, undefined, -32_020],
    ["another header", modernMeta, "2025-11-25", -32_020],
    ["an unknown revision", { ...modernMeta, [version]: "2099-01-01" }, "2099-01-01", -32_022],
    ["an unknown header", undefined, "2099-01-01", -32_022],
    ["a legacy revision in the modern form", { ...modernMeta, [version]: "2025-11-25" }, "2025-11-25", -32_022],
  ])("is modern with %s", async (_what, meta, header, code) => {
    const { status, message } = await send(meta, header);
    expect([status, message.error?.code]).toEqual([code === undefined ? 200 : 400, code]);
    if (code === -32_022) {
      const requested = header;
      expect(message.error?.data).toEqual({ supported: ["2026-07-28"], requested });
    }
    if (code === undefined) expect(message.result).toMatchObject({ resultType: "complete" });
  });
});
