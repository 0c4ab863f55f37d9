import { describe, expect, it } from "vitest";
import { ask, askText, codesOf, refusalOf } from "../reply-answer.ts";

const callOf = (name: unknown, args?: unknown, more = {}) => ({ functionCall: { name, args, ...more } });
const responseOf = (parts: unknown[] | undefined, finishReason: string | undefined = "STOP") => ({
  candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
  usageMetadata: {},
});
const oslo = callOf("get_weather", { location: "Oslo" });
const now = callOf("now");

const partsOf = (messages: readonly unknown[]) =>
  (messages as { parts: { functionResponse: { id?: string; name: string; response: unknown } }[] }[]).flatMap(
    ({ parts }) => parts.map((part) => part.functionResponse),
  );

describe("a reply of Gemini", () => {
  it("bug 26: is answered with ONE user content, a part a call", async () => {
    const parts = [
      { text: "", thoughtSignature: "x" },
      oslo,
      { toolCall: {} },
      { toolResponse: {} },
      { executableCode: {} },
      now,
    ];
    const { messages, done } = await ask("gemini", responseOf(parts));
    expect(messages).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { name: "get_weather", response: { output: { location: "Oslo", temperature: 12 } } } },
          { functionResponse: { name: "now", response: { output: "noon" } } },
        ],
      },
    ]);
    expect(done).toBe(false);
  });

  it("may have its fields in protobuf's own spelling, as the SDK for Python prints them", async () => {
    const parts = [{ function_call: { name: "get_weather", args: { location: "Oslo" } }, thought_signature: "x" }];
    const candidates = [{ content: { role: "model", parts }, finish_reason: "STOP" }];
    expect(codesOf(await ask("gemini", { candidates }))).toEqual(["ok"]);
    const cut = await ask("gemini", {
      candidates: [{ content: { role: "model", parts }, finish_reason: "MAX_TOKENS" }],
    });
    expect(codesOf(cut)).toEqual(["invalid_arguments"]);
  });

  it("repeats the id of a call that has one, and makes up none", async () => {
    const { messages, results, warnings } = await ask("gemini", responseOf([callOf("now", {}, { id: "call_7" }), now]));
    expect(partsOf(messages).map(({ id }) => id)).toEqual(["call_7", undefined]);
    expect(results.map(({ id }) => id)).toEqual(["call_7", "1"]);
    expect(warnings).toEqual([]);
  });

  it("is answered with the error under the key error", async () => {
    const answer = await ask("gemini", responseOf([callOf("nothing", {}), callOf("now", []), callOf(undefined, {})]));
    expect(codesOf(answer)).toEqual(["unknown_tool", "invalid_arguments", "invalid_arguments"]);
    expect(partsOf(answer.messages).map(({ response }) => response)).toEqual(
      answer.results.map(({ error }) => ({ error })),
    );
    expect(partsOf(answer.messages).map(({ name }) => name)).toEqual(["nothing", "now", "unknown"]);
  });

  it.each<unknown>(["text", { list: [1, { a: 2 }] }, null, 5, {}, ""])(
    "puts the result %j under output",
    async (value) => {
      const tools = [{ name: "now", execute: () => value }];
      const { messages } = await ask("gemini", responseOf([now]), { tools });
      expect(partsOf(messages)[0]?.response).toEqual({ output: value });
    },
  );

  it("bug 4: sends a result that holds the key $ref as text", async () => {
    const schema = { schema: { $ref: "#/$defs/A", $defs: {} }, list: [[{ $ref: 1 }]] };
    const tools = [
      { name: "now", execute: () => schema },
      { name: "text", execute: () => 'a "$ref": b' },
      { name: "value", execute: () => ["$ref"] },
    ];
    const { messages } = await ask("gemini", responseOf([now, callOf("text"), callOf("value")]), { tools });
    expect(partsOf(messages).map(({ response }) => response)).toEqual([
      { output: JSON.stringify(schema) },
      { output: 'a "$ref": b' },
      { output: ["$ref"] },
    ]);
  });

  it("is taken as the content alone, without a role or parts too", async () => {
    expect(codesOf(await ask("gemini", { role: "model", parts: [oslo] }))).toEqual(["ok"]);
    expect(codesOf(await ask("gemini", { parts: [oslo] }))).toEqual(["ok"]);
    expect((await ask("gemini", responseOf(undefined))).done).toBe(true);
    for (const content of [undefined, null, {}]) {
      expect((await ask("gemini", { candidates: [{ content, finishReason: "STOP" }] })).done).toBe(true);
    }
  });

  it.each([
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MISSING_THOUGHT_SIGNATURE",
    "MALFORMED_RESPONSE",
  ])("bug 35: %s is asked again, and its calls are not run", async (reason) => {
    let runs = 0;
    const tools = [{ name: "now", execute: () => ++runs }];
    for (const reply of [responseOf([now], reason), { candidates: [{ finishReason: reason }] }]) {
      const answer = await ask("gemini", reply, { tools, query: "&echo=true" });
      expect(answer).toMatchObject({ messages: [], results: [], done: false, resume: true });
      expect(answer.warnings).toEqual([{ call: null, message: expect.stringMatching(/again, at most twice/) }]);
    }
    expect(runs).toBe(0);
  });

  it("runs no call of a reply that was cut off", async () => {
    expect(codesOf(await ask("gemini", responseOf([oslo, now], "MAX_TOKENS")))).toEqual([
      "invalid_arguments",
      "invalid_arguments",
    ]);
  });

  it("is done, with a warning, where the prompt was blocked or the answer stopped", async () => {
    for (const reply of [
      { promptFeedback: { blockReason: "SAFETY" } },
      { candidates: [] },
      responseOf([{ text: "a" }], "SAFETY"),
      { usageMetadata: {}, modelVersion: "m" },
    ]) {
      expect(await ask("gemini", reply)).toMatchObject({ done: true, warnings: [{ call: null }] });
    }
  });

  it("takes the first of several candidates, and says so", async () => {
    const reply = { candidates: [...responseOf([now]).candidates, ...responseOf([oslo]).candidates] };
    const { results, warnings } = await ask("gemini", reply);
    expect({ results: results.length, warnings }).toEqual({
      results: 1,
      warnings: [{ call: null, message: expect.stringContaining("2 candidates") }],
    });
  });

  it.each([
    { error: { code: 400, message: "x", status: "INVALID_ARGUMENT" } },
    {},
    null,
    "[]",
    { role: "user", parts: [] },
    { role: "model" },
    { candidates: [5] },
    { candidates: [null] },
    { candidates: [{ content: 5 }] },
    { role: "assistant", content: "Hi" },
  ])("is not what %j is", async (body) => {
    await refusalOf("gemini", body);
  });

  it("bug 31: echo=true keeps the content byte for byte, its signatures where they are and nowhere else", async () => {
    const content =
      '{ "parts" : [{"functionCall":{"name":"now","args":{"a":1.0}},"thoughtSignature":"c2\\u006c="},{"functionCall":{"name":"now"}},{"text":""}], "role":"model"}';
    for (const text of [content, `{"candidates":[ {"content":${content},"finishReason":"STOP"} ]}`]) {
      const answer = await askText("gemini", text, { query: "&echo=true" });
      expect(answer.startsWith(`{"messages":[${content},{"role":"user","parts":[{"functionResponse":`)).toBe(true);
    }
  });

  it("reads arguments strictly, each call's alone", async () => {
    const call = (args: string) => `{"functionCall":{"name":"echo","args":${args}}}`;
    const parts = ['{"limit":9007199254740993}', '{"limit":1}', '{"limit":1,"limit":2}', '{"__proto__":{}}'].map(call);
    const answer = await ask("gemini", `{"role":"model","parts":[{"text":"a","text":"b"},${parts.join(",")}]}`);
    expect(codesOf(answer)).toEqual(["invalid_arguments", "ok", "invalid_arguments", "invalid_arguments"]);
  });

  it("unpacks a wrapper into one part", async () => {
    const uses = [{ recipient_name: "now" }, { recipient_name: "get_weather", parameters: { location: "Oslo" } }];
    const { messages } = await ask("gemini", responseOf([callOf("multi_tool_use.parallel", { tool_uses: uses })]));
    expect(partsOf(messages)).toEqual([
      { name: "multi_tool_use.parallel", response: { output: ["noon", { location: "Oslo", temperature: 12 }] } },
    ]);
  });
});
