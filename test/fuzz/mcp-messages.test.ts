import fc from "fast-check";
import { expect, it } from "vitest";
import { createStartCall } from "../../src/core/call/start-call.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { createLocalAnswer } from "../../src/mcp/stdio/local.ts";
import { serveLines } from "../../src/mcp/stdio/serve-lines.ts";
import { toolOf } from "../core/one-tool.ts";
import { mcpApp, modernMeta, post, type ServerMessage } from "../mcp/messages.ts";
import { assertFuzzed, fuzzTimeoutMs } from "./fuzz-size.ts";
import { arePrototypesChanged } from "./prototypes.ts";

const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom("2.0", "tools/call", "tools/list", "echo", "throws", "__proto__", "constructor", null, 0, -1, ""),
);
const meta = fc.oneof(
  value,
  fc.constant(modernMeta),
  fc.record(
    {
      "io.modelcontextprotocol/protocolVersion": fc.oneof(value, fc.constant("2026-07-28")),
      "io.modelcontextprotocol/clientCapabilities": fc.oneof(value, fc.constant({})),
      progressToken: value,
      traceparent: value,
    },
    { requiredKeys: [] },
  ),
);
const params = fc.oneof(
  value,
  fc.record(
    { name: fc.oneof(fc.constantFrom("echo", "throws"), value), arguments: value, cursor: value, _meta: meta },
    { requiredKeys: [] },
  ),
);
const messages = fc.oneof(
  value,
  fc.record(
    {
      jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant("2.0") }, value),
      id: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(1, "a") }, value),
      method: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom("tools/call", "tools/list", "initialize", "ping", "server/discover") },
        value,
      ),
      params,
    },
    { requiredKeys: [] },
  ),
);
const headers = fc.record(
  {
    "mcp-protocol-version": fc.constantFrom("2026-07-28", "2025-11-25", "2024-11-05", "x"),
    "mcp-method": fc.constantFrom("tools/call", "tools/list", "x"),
    "mcp-name": fc.constantFrom("echo", "=?base64?ZWNobw==?=", "=?base64??=", "x"),
  },
  { requiredKeys: [] },
);

const tools = [
  { name: "echo" },
  {
    name: "throws",
    execute: () => {
      throw new Error("a secret");
    },
  },
];

/** Whether a message is one that a client accepts: a result or an error, for the id that was sent if it has one. */
function isResponse({ jsonrpc, id, result, error }: ServerMessage, sent: unknown): boolean {
  const sentId: unknown = typeof sent === "object" && sent !== null && "id" in sent ? sent.id : undefined;
  const isAnswer =
    (result === undefined) !== (error === undefined) && (error === undefined || Number.isInteger(error.code));
  return jsonrpc === "2.0" && isAnswer && (id === undefined ? error !== undefined : id === sentId);
}

it(
  "whatever message comes over HTTP, the answer is one response to it, or nothing to a notification",
  async () => {
    const faults: unknown[] = [];
    const { app } = mcpApp(tools, { onFault: (error) => void faults.push(error) });
    await assertFuzzed(
      "messages over HTTP",
      fc.asyncProperty(messages, headers, async (sent, given) => {
        const answer = await post(app, JSON.stringify(sent), given);
        expect(faults).toEqual([]);
        expect(JSON.stringify(answer.messages)).not.toContain("a secret");
        expect(arePrototypesChanged()).toBe(false);
        if (answer.status === 202) {
          expect(answer.messages).toEqual([]);
          return;
        }
        expect([200, 400, 404]).toContain(answer.status);
        expect(answer.messages.filter((message) => message.method === undefined)).toHaveLength(1);
        const responses: unknown = answer.message;
        if (!Array.isArray(responses)) {
          expect(isResponse(answer.message, sent)).toBe(true);
          return;
        }
        // A batch, in which each response answers one of the messages.
        const batch = sent as readonly unknown[];
        expect(responses.length).toBeGreaterThan(0);
        expect(responses.length).toBeLessThanOrEqual(batch.length);
        for (const each of responses as readonly ServerMessage[]) {
          expect(batch.some((message) => isResponse(each, message))).toBe(true);
        }
      }),
      { commit: 1000, nightly: 200_000 },
    );
  },
  fuzzTimeoutMs,
);

it(
  "whatever lines come over stdin, each line of stdout is a message, and each request has one response",
  async () => {
    const registry = createRegistry({ env: {}, tools: tools.map(toolOf) });
    const answer = createLocalAnswer(registry, createStartCall(registry), Promise.resolve());
    await assertFuzzed(
      "messages over stdin",
      fc.asyncProperty(fc.array(messages, { maxLength: 4 }), fc.integer({ min: 1, max: 50 }), async (all, size) => {
        // An id each, as a client gives.
        const sent = all.map((each, id) =>
          typeof each === "object" && each !== null && !Array.isArray(each) && "id" in each ? { ...each, id } : each,
        );
        const bytes = Buffer.from(sent.map((each) => `${JSON.stringify(each)}\n`).join(""));
        const input = async function* (): AsyncGenerator<Uint8Array> {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        };
        const written: string[] = [];
        const write = (text: string): void => void written.push(text);
        await serveLines(input(), { answer, write, maxLineBytes: 100_000, signal: new AbortController().signal });
        const responses = written
          .map((line) => JSON.parse(line) as ServerMessage)
          .filter(({ method }) => method === undefined);
        expect(written.every((line) => line.indexOf("\n") === line.length - 1)).toBe(true);
        const ids = responses.flatMap(({ id }) => (id === undefined ? [] : [id]));
        expect(new Set(ids).size).toBe(ids.length);
        expect(responses.length).toBeLessThanOrEqual(sent.length);
      }),
      { commit: 1000, nightly: 200_000 },
    );
  },
  fuzzTimeoutMs,
);
