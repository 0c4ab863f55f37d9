import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { cancel, type Cancellation } from "../../../src/core/call/call.ts";
import { mcpDoor } from "../../../src/mcp/http/door.ts";
import { readIncoming } from "../../../src/mcp/incoming.ts";
import type { Request } from "../../../src/mcp/method.ts";
import { createBridge } from "../../../src/mcp/stdio/bridge.ts";
import type { AppOptions } from "../../../src/http/app.ts";
import type { Tool, ToolContext } from "../../../src/tool/tool.ts";
import { listenWith } from "../../http/listening-app.ts";
import { modernMeta, type ServerMessage } from "../messages.ts";

type Send = (message: object, cancellation?: Cancellation) => Promise<readonly ServerMessage[]>;

function bridgeTo(url: string, key?: string): Send {
  const answer = createBridge(url, key);
  return (message, cancellation = { cancelled: false, target: undefined }) => {
    const sent = { jsonrpc: "2.0", id: 1, ...message };
    const request = readIncoming({ value: sent, refusals: [] }) as Request;
    const messages: ServerMessage[] = [];
    const take = (text: string): void => {
      expect(text).not.toContain("\n");
      messages.push(JSON.parse(text) as ServerMessage);
    };
    return new Promise((resolve) => {
      const respond = (text: string): void => {
        take(text);
        resolve(messages);
      };
      answer(request, JSON.stringify(sent), { notify: take, respond }, cancellation);
    });
  };
}

async function bridgeToTools(
  tools: readonly Partial<Tool>[],
  options: Partial<AppOptions> = {},
  { path = "/mcp", key }: { readonly path?: string; readonly key?: string } = {},
): Promise<Send> {
  const { port } = await listenWith(tools, { doors: [mcpDoor], ...options });
  return bridgeTo(`http://127.0.0.1:${port}${path}`, key);
}

describe("a bridge to a running Toolhost", () => {
  it("passes on what is asked and answered, in both eras", async () => {
    const send = await bridgeToTools([{ response: { type: "array" }, execute: () => [1] }]);
    expect(await send({ id: "i", method: "initialize", params: { protocolVersion: "2025-06-18" } })).toMatchObject([
      { id: "i", result: { protocolVersion: "2025-06-18" } },
    ]);
    expect(await send({ method: "tools/call", params: { name: "tool" } })).toMatchObject([
      { id: 1, result: { structuredContent: { result: [1] } } },
    ]);
    const params = { name: "tool", _meta: modernMeta };
    expect(await send({ method: "tools/call", params })).toMatchObject([{ id: 1, result: { structuredContent: [1] } }]);
    expect(await send({ method: "tools/list", params: { _meta: modernMeta } })).toMatchObject([
      { result: { tools: [{ name: "tool", outputSchema: { type: "array" } }] } },
    ]);
    expect(await send({ method: "none", params: { _meta: modernMeta } })).toMatchObject([
      { id: 1, error: { code: -32_601 } },
    ]);
  });

  it("passes progress on as it comes", async () => {
    const execute = async (_args: unknown, { progress }: ToolContext): Promise<string> => {
      for (const step of [1, 2, 3]) progress({ progress: step });
      return "x".repeat(300_000);
    };
    const send = await bridgeToTools([{ execute }]);
    const messages = await send({ method: "tools/call", params: { name: "tool", _meta: { progressToken: 7 } } });
    expect(messages.map(({ params, id }) => params?.["progress"] ?? id)).toEqual([1, 2, 3, 1]);
  });

  it("repeats arguments in the headers that the list asks for", async () => {
    const parameters = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } };
    const send = await bridgeToTools([{ parameters }]);
    await send({ method: "tools/list", params: { _meta: modernMeta } });
    const params = { name: "tool", arguments: { region: "Zürich" }, _meta: modernMeta };
    expect(await send({ method: "tools/call", params })).toMatchObject([
      { result: { structuredContent: { region: "Zürich" } } },
    ]);
  });

  it("asks for the list itself if a call lacks the headers that only the list names", async () => {
    const parameters = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } };
    const runs: unknown[] = [];
    const send = await bridgeToTools([{ parameters, execute: (args) => void runs.push(args) }]);
    const params = { name: "tool", arguments: { region: "eu" }, _meta: modernMeta };
    const messages = await send({ method: "tools/call", params });
    expect(messages).toMatchObject([{ id: 1, result: { structuredContent: null } }]);
    expect(runs).toEqual([{ region: "eu" }]);
  });

  it("reports a stream that ends without a response", async () => {
    const server = createServer((_request, response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n"),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const [none] = await bridgeTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)({ method: "ping" });
    expect(none).toMatchObject({
      id: 1,
      error: { code: -32_603, message: expect.stringContaining("not an MCP response") },
    });
  });

  it("uses its key, and gives what is refused the id of the request", async () => {
    const send = await bridgeToTools([{}], { apiKeys: ["key"] }, { key: "key" });
    expect(await send({ method: "ping" })).toMatchObject([{ id: 1, result: {} }]);
    const stranger = await bridgeToTools([{}], { apiKeys: ["key"] });
    expect(await stranger({ method: "ping", id: "p" })).toMatchObject([
      { id: "p", error: { data: { code: "unauthorized" } } },
    ]);
  });

  it("serves the part of the tools that its URL names", async () => {
    const send = await bridgeToTools([{ name: "a" }, { name: "b" }], {}, { path: "/mcp?names=b" });
    expect(await send({ method: "tools/list" })).toMatchObject([{ result: { tools: [{ name: "b" }] } }]);
  });

  it("ends the call there if it is cancelled here", async () => {
    const signals: AbortSignal[] = [];
    const execute = (_args: unknown, { signal }: ToolContext): Promise<never> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const send = await bridgeToTools([{ execute }]);
    const cancellation: Cancellation = { cancelled: false, target: undefined };
    void send({ method: "tools/call", params: { name: "tool" } }, cancellation);
    await vi.waitFor(() => expect(signals).toHaveLength(1), 10_000);
    cancel(cancellation);
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true), 10_000);
  });

  it("reports that nobody answers, or that the answer is not a message of MCP", async () => {
    const server = createServer((_request, response) => response.writeHead(502).end("<html>Bad gateway</html>"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const [other] = await bridgeTo(`http://127.0.0.1:${port}/mcp`)({ method: "ping" });
    expect(other?.error).toMatchObject({ code: -32_603, message: expect.stringContaining("answered 502") });
    const [nobody] = await bridgeTo("http://127.0.0.1:1/mcp")({ method: "ping" });
    expect(nobody?.error).toMatchObject({ code: -32_603, message: expect.stringContaining("cannot be reached") });
  });

  it("passes integers on digit for digit", async () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"n":12345678901234567890}}}';
    const server = createServer((_request, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(text),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const answer = createBridge(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, undefined);
    const request = readIncoming({ value: { jsonrpc: "2.0", id: 1, method: "ping" }, refusals: [] }) as Request;
    const line = await new Promise<string>((respond) =>
      answer(request, "{}", { respond }, { cancelled: false, target: undefined }),
    );
    expect(line).toBe(text);
  });
});
