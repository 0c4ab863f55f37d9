import { expect, test, vi } from "vitest";
import { parentFrom } from "../../../src/core/call/span.ts";
import { blocksOf } from "../../../src/core/result-blocks.ts";
import { host, hostForAll, namesOf } from "./scripted.ts";

const soon = { timeout: 60_000, interval: 10 };
const image = { type: "image", data: "aGk=", mimeType: "image/png" };

const answering = hostForAll({ tools: ["answer", "raw", "progress", "meta", "echo"] });

test("both eras: lists the tools of a server and calls them", async () => {
  for (const era of ["legacy", "modern"]) {
    const hosted = await host({ era, tools: ["one", "two"] });
    expect(namesOf(hosted)).toEqual(["s_one", "s_two"]);
    expect(await hosted.call("one", { a: 1 })).toMatchObject({ result: { result: "one", args: { a: 1 } } });
    expect(hosted.status()).toMatchObject({ kind: "mcp", state: "ready", tools: 2 });
  }
});

test.each([
  ["structured content", { content: [{ type: "text", text: '{"a":1}' }], structuredContent: { a: 1 } }, { a: 1 }],
  ["structured content that is no object", { content: [], structuredContent: [1, 2] }, [1, 2]],
  ["text alone, as it came", { content: [{ type: "text", text: "hi", annotations: { priority: 1 } }] }, undefined],
  ["no blocks at all", { content: [] }, undefined],
  ["blocks of every kind, and one that is unknown", { content: [image, { type: "hologram", x: 1 }] }, undefined],
])("a result is its structured content, or else its content: %s", async (_name, result, expected) => {
  const hosted = answering();
  const outcome = await hosted.call("answer", { result });
  expect(outcome).toMatchObject({ status: "ok", result: expected ?? { content: result.content } });
});

test("blocks that are not text go along with structured content", async () => {
  const hosted = answering();
  const outcome = await hosted.call("answer", {
    result: { content: [{ type: "text", text: "{}" }, image], structuredContent: { a: 1 } },
  });
  expect(outcome).toMatchObject({ result: { a: 1 } });
  expect(blocksOf(outcome, undefined)).toEqual({ blocks: [image], areBeside: true });
});

test("a failure of the tool is upstream_failed with the server's own words, and is not checked against its schema", async () => {
  const outputSchema = { type: "object", required: ["a"], properties: { a: { type: "number" } } };
  const tool = { name: "answer", inputSchema: { type: "object" }, outputSchema, annotations: { idempotentHint: true } };
  const hosted = await host({ tools: [tool] }, { response: "enforce", trustAnnotations: true });
  const result = {
    isError: true,
    content: [{ type: "text", text: "No such file." }, image],
    structuredContent: { b: 1 },
  };
  expect(await hosted.call("answer", { result })).toMatchObject({
    error: { code: "upstream_failed", message: "No such file.", retryable: false, action: "stop" },
  });
  expect(await hosted.call("answer", { result: { content: [], structuredContent: { a: "x" } } })).toMatchObject({
    error: { code: "invalid_result" },
  });
});

test.each([
  ["asks for input", { resultType: "input_required", inputRequests: {} }, /asked for input/],
  ["is of an unknown kind", { resultType: "task", task: {} }, /not a result of MCP/],
  ["has neither content nor structured content", {}, /not a result of MCP/],
  ["is a text", "text", /not a result of MCP/],
])("an answer that %s is upstream_failed", async (_name, result, message) => {
  const hosted = answering();
  expect(await hosted.call("answer", { result })).toMatchObject({
    error: { code: "upstream_failed", retryable: false, message: expect.stringMatching(message) as string },
  });
});

test("an error of JSON-RPC is upstream_failed with the server's words", async () => {
  const hosted = answering();
  const outcome = await hosted.call("answer", { error: { code: -32602, message: "Unknown tool: answer" } });
  expect(outcome).toMatchObject({
    error: { code: "upstream_failed", message: "The MCP server answered with the error -32602: Unknown tool: answer" },
  });
});

test("an integer that was rounded is not passed on", async () => {
  const hosted = answering();
  const raw = (json: string) =>
    hosted.call("raw", {
      text: `{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"id":[${json}]}}}\n`,
    });
  expect(await raw("12345678901234567890")).toMatchObject({ error: { code: "invalid_result" } });
  expect(await raw("1.5e300")).toMatchObject({ result: { id: [1.5e300] } });
  expect(await raw("9007199254740991")).toMatchObject({ result: { id: [9007199254740991] } });
});

test.each([
  ["a block", '"content":[{"type":"text","text":"a","_meta":{"id":12345678901234567890}}]'],
  ["a block beside structured content", '"content":[{"type":"x","id":12345678901234567890}],"structuredContent":{}'],
  ["an integer of 22 digits", '"content":[],"structuredContent":{"id":1234567890123456789012}'],
  ["a negative integer of 30 digits", '"content":[{"type":"x","id":-123456789012345678901234567890}]'],
  ["a number that is too large", '"content":[],"structuredContent":[1e400]'],
])("a number that was rounded is not passed on: %s", async (_name, members) => {
  const hosted = answering();
  const text = `{"jsonrpc":"2.0","id":$ID,"result":{${members}}}\n`;
  expect(await hosted.call("raw", { text })).toMatchObject({ error: { code: "invalid_result" } });
});

test("digits in a text are not a number, and a number with an exponent is not an integer of many digits", async () => {
  const hosted = answering();
  const given = `{"a":"12345678901234567890123, 1","b":1e22,"c":[1.5e300]}`;
  const text = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":${given}}}\n`;
  expect(await hosted.call("raw", { text })).toMatchObject({ result: JSON.parse(given) as unknown });
});

test("progress is passed through, and the trace goes to the server", async () => {
  const hosted = answering();
  const seen: unknown[] = [];
  const listener = { onProgress: (progress: unknown) => void seen.push(progress) };
  expect(await hosted.call("progress", {}, { listener })).toMatchObject({ status: "ok" });
  expect(seen).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })));
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const outcome = await hosted.call("meta", {}, { parent: parentFrom({ traceparent }) });
  expect(JSON.stringify(outcome)).toContain(traceparent);
});

test("a time limit and a caller who leaves are passed on to the server", async () => {
  const hosted = await host({ tools: ["slow", "cancelled"] }, { timeoutMs: 300 });
  expect(await hosted.call("slow")).toMatchObject({ error: { code: "timeout", ran: "unknown" } });
  await vi.waitFor(async () => expect(await hosted.call("cancelled")).toMatchObject({ result: { count: 1 } }), soon);
});

test("tools that run together get their own answers, whatever order these have", async () => {
  const hosted = answering();
  const calls = Array.from({ length: 200 }, (_, n) => hosted.call("echo", { n, ms: (200 - n) % 17 }));
  const outcomes = await Promise.all(calls);
  outcomes.forEach((outcome, n) => expect(outcome).toMatchObject({ result: { args: { n } } }));
});

test("calls per minute of the source hold, over all its tools", async () => {
  const hosted = await host({ tools: ["one", "two"] }, { concurrency: 5, callsPerMinute: 2 });
  const outcomes = [await hosted.call("one"), await hosted.call("two"), await hosted.call("one")];
  expect(outcomes.map(({ status }) => status)).toEqual(["ok", "ok", "error"]);
  expect(outcomes[2]).toMatchObject({ error: { code: "busy", ran: "no" } });
});

test("a server that marks its tools readOnly is not believed: no retry, no readOnly key", async () => {
  const tool = {
    name: "answer",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true, idempotentHint: true },
  };
  const hosted = await host({ tools: [tool] });
  const entry = hosted.registry.find("s_answer")!;
  expect(entry.tool.annotations).toEqual({ readOnly: true, idempotent: true });
  expect([entry.annotations, entry.repeatable, entry.retries]).toEqual([{}, false, 0]);
  const trusted = await host({ tools: [tool] }, { trustAnnotations: true });
  expect(trusted.registry.find("s_answer")).toMatchObject({ repeatable: true, annotations: { readOnly: true } });
});
