import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { createStartCall } from "../../../src/core/call/start-call.ts";
import { createRegistry, type RegistryOptions } from "../../../src/core/registry/registry.ts";
import { createLocalAnswer } from "../../../src/mcp/stdio/local.ts";
import { serveLines } from "../../../src/mcp/stdio/serve-lines.ts";
import type { Tool, ToolContext } from "../../../src/tool/tool.ts";
import { toolOf } from "../../core/one-tool.ts";
import { modernMeta, type ServerMessage } from "../messages.ts";

/** A client on the other end of the lines. */
interface Client {
  readonly messages: ServerMessage[];
  /** Every chunk that was written. */
  readonly written: string[];
  write(text: string | Uint8Array): void;
  send(message: object): void;
  /** Closes its side. Resolves when the server has ended. */
  end(): Promise<void>;
  readonly stop: AbortController;
}

function connect(
  tools: readonly Partial<Tool>[],
  { ready = Promise.resolve(), ...options }: RegistryOptions & { readonly ready?: Promise<void> } = {},
): Client {
  const registry = createRegistry({ env: {}, ...options, tools: tools.map(toolOf) });
  const waiting: (Uint8Array | null)[] = [];
  let wake = (): void => undefined;
  const input = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk === null) return;
      if (chunk === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else yield chunk;
    }
  };
  const push = (chunk: Uint8Array | null): void => {
    waiting.push(chunk);
    wake();
  };
  const written: string[] = [];
  const stop = new AbortController();
  const ended = serveLines(input(), {
    answer: createLocalAnswer(registry, createStartCall(registry), ready),
    write: (text) => void written.push(text),
    maxLineBytes: 1000,
    signal: stop.signal,
  });
  const write = (text: string | Uint8Array): void => push(Buffer.from(text));
  return {
    written,
    get messages() {
      return written.map((line) => JSON.parse(line) as ServerMessage);
    },
    write,
    send: (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    async end() {
      push(null);
      await ended;
    },
    stop,
  };
}

const call = (id: unknown, args: object = {}, meta: object = {}): object => ({
  id,
  method: "tools/call",
  params: { name: "tool", arguments: args, _meta: meta },
});

describe("a client over stdin and stdout", () => {
  it("gets one line for each request, in both eras", async () => {
    const client = connect([{ execute: () => "a\nb" }]);
    client.send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } });
    client.send({ method: "notifications/initialized" });
    client.send({ id: "two", method: "tools/list" });
    client.send(call(3));
    client.send({ id: 4, method: "server/discover", params: { _meta: modernMeta } });
    client.send(call(5, {}, modernMeta));
    await client.end();
    expect(client.written.every((line) => /^[^\n]+\n$/.test(line))).toBe(true);
    const answers = new Map(client.messages.map(({ id, result }) => [id, result]));
    expect(answers.get(1)).toMatchObject({ protocolVersion: "2025-06-18" });
    expect(answers.get("two")).toMatchObject({ tools: [{ name: "tool" }] });
    expect(answers.get(3)).toMatchObject({ structuredContent: { result: "a\nb" } });
    expect(answers.get(4)).toMatchObject({ supportedVersions: ["2026-07-28"] });
    expect(answers.get(5)).toMatchObject({ resultType: "complete", structuredContent: "a\nb" });
    expect(answers.size).toBe(5);
  });

  it("may cut its lines anywhere, and end them as it likes", async () => {
    const client = connect([{}]);
    const text = `\r\n\n${JSON.stringify({ jsonrpc: "2.0", ...call(1, { text: "ü€😀" }) })}\r\n${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" })}`;
    for (const byte of Buffer.from(text)) client.write(Uint8Array.of(byte));
    await client.end();
    expect(client.messages).toMatchObject([
      { id: 1, result: { structuredContent: { text: "ü€😀" } } },
      { id: 2, result: {} },
    ]);
  });

  it.each([
    ["not JSON", "nonsense\n", -32_700],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22, 0x0a]), -32_700],
    ["too long", `"${"a".repeat(2000)}"\n`, -32_700],
    ["a batch", "[]\n", -32_600],
    ["of an unknown method", '{"jsonrpc":"2.0","id":1,"method":"none"}\n', -32_601],
    ["of an unknown tool", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}\n', -32_602],
    [
      "of an unknown revision",
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: { ...modernMeta, "io.modelcontextprotocol/protocolVersion": "2099-01-01" } } })}\n`,
      -32_022,
    ],
  ])("whose line is %s gets an error, and the next line is read", async (_what, line, code) => {
    const client = connect([{}]);
    client.write(line);
    client.send({ id: 9, method: "ping" });
    await client.end();
    expect(client.messages).toMatchObject([{ error: { code } }, { id: 9, result: {} }]);
  });

  it("that negotiated 2025-03-26 may send batches, and gets one line for each", async () => {
    const client = connect([{}, { name: "slow", execute: () => new Promise(() => undefined) }]);
    const line = (...messages: readonly object[]) =>
      client.write(`${JSON.stringify(messages.map((message) => ({ jsonrpc: "2.0", ...message })))}\n`);
    line({ id: 0, method: "ping" });
    client.send({ id: 1, method: "initialize", params: { protocolVersion: "2025-03-26" } });
    const slow = { id: 3, method: "tools/call", params: { name: "slow" } };
    line({ method: "notifications/initialized" }, call(2, { a: 1 }), slow, { id: 4, method: "initialize" });
    line({ method: "notifications/cancelled", params: { requestId: 3 } });
    line();
    await client.end();
    expect(client.messages).toHaveLength(4);
    expect(client.messages.filter((message) => message.error?.code === -32_600)).toHaveLength(2);
    expect(client.messages[1]).toMatchObject({ id: 1, result: { protocolVersion: "2025-03-26" } });
    expect(client.messages.find(Array.isArray)).toMatchObject([
      { id: 2, result: { structuredContent: { a: 1 } } },
      { id: 4, error: { code: -32_600 } },
    ]);
  });

  it("that uses an id twice gets both answers, and cancels both", async () => {
    const signals: AbortSignal[] = [];
    const client = connect([
      {},
      { name: "slow", execute: (_args, { signal }) => (signals.push(signal), new Promise(() => undefined)) },
    ]);
    const slow = { id: "s", method: "tools/call", params: { name: "slow" } };
    for (const message of [call(1, { a: 1 }), call(1, { a: 2 }), slow, slow]) client.send(message);
    await vi.waitFor(() => expect(signals).toHaveLength(2));
    client.send({ method: "notifications/cancelled", params: { requestId: "s" } });
    await client.end();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(client.messages.map(({ id, result }) => [id, result?.["structuredContent"]])).toEqual([
      [1, { a: 1 }],
      [1, { a: 2 }],
    ]);
  });

  it("that cancels a request gets nothing more of it, and the call ends", async () => {
    const signals: AbortSignal[] = [];
    const client = connect([
      {
        execute: (_args, { signal, progress }: ToolContext) => {
          signals.push(signal);
          signal.addEventListener("abort", () => progress({ progress: 1 }));
          return new Promise(() => undefined);
        },
      },
    ]);
    client.send(call("a", {}, { progressToken: 1 }));
    await vi.waitFor(() => expect(signals).toHaveLength(1), 10_000);
    client.send({ method: "notifications/cancelled", params: { requestId: "b" } });
    client.send({ method: "notifications/cancelled", params: { requestId: "a", reason: "enough" } });
    client.send({ id: 2, method: "ping" });
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true), 10_000);
    await client.end();
    expect(client.messages).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }]);
  });

  it("gets the progress that it asks for", async () => {
    const execute = async (_args: unknown, { progress }: ToolContext): Promise<null> => {
      progress({ progress: 1, total: 2 });
      await sleep(1);
      return null;
    };
    const client = connect([{ execute }]);
    client.send(call(1, {}, { progressToken: "t" }));
    await client.end();
    expect(client.messages).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "t", progress: 1, total: 2 } },
      { id: 1 },
    ]);
  });

  it("waits for the tools with its list and with an unknown tool, and with nothing else", async () => {
    let finish = (): void => undefined;
    const client = connect([{}], { ready: new Promise<void>((resolve) => (finish = resolve)) });
    client.send({ id: 1, method: "tools/list" });
    client.send({ id: 2, method: "tools/call", params: { name: "later" } });
    client.send({ id: 3, method: "initialize", params: {} });
    client.send(call(4));
    await vi.waitFor(() => expect(client.messages.map(({ id }) => id)).toEqual([3, 4]), 10_000);
    finish();
    await client.end();
    expect(new Set(client.messages.map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4]));
  });

  it("does not see tools with an argument that is bound to a claim", async () => {
    const parameters = { type: "object", properties: { user: { type: "string" } } };
    const overrides = { bound: { bind: { user: { claim: "sub" } } } };
    const client = connect(
      [
        { name: "bound", parameters },
        { name: "tool", parameters },
      ],
      { overrides },
    );
    client.send({ id: 1, method: "tools/list" });
    client.send({ id: 2, method: "tools/call", params: { name: "bound" } });
    await client.end();
    const answers = new Map(client.messages.map((message) => [message.id, message]));
    expect(answers.get(1)?.result?.["tools"]).toMatchObject([{ name: "tool" }]);
    expect(answers.get(2)?.error?.code).toBe(-32_602);
  });

  it("that leaves ends its running calls soon", async () => {
    const signals: AbortSignal[] = [];
    const client = connect([
      {
        execute: (_args, { signal }: ToolContext) => {
          signals.push(signal);
          return new Promise(() => undefined);
        },
      },
    ]);
    client.send(call(1));
    await vi.waitFor(() => expect(signals).toHaveLength(1), 10_000);
    await client.end();
    expect(signals[0]?.aborted).toBe(true);
    expect(client.messages).toEqual([]);
  });

  it("is not waited for if the process is to end", async () => {
    const client = connect([{ execute: () => new Promise(() => undefined) }]);
    client.send(call(1));
    client.send({ id: 2, method: "ping" });
    await vi.waitFor(() => expect(client.messages).toHaveLength(1), 10_000);
    client.stop.abort();
    await client.end();
    expect(client.messages).toHaveLength(1);
  });
});
