import { describe, expect, it } from "vitest";
import { type DialectName, dialects } from "../../src/dialects/dialects.ts";
import { NotAReply, type Reply } from "../../src/dialects/reply.ts";
import { type RecordedDialect, recordedTurn } from "./recorded/recorded-turn.ts";

function read(dialect: DialectName, value: unknown): Reply {
  return dialects[dialect].readReply({ text: JSON.stringify(value), value, refusals: [] });
}

const args = '{"city":"Oslo"}';
/** A reply with one call, whole or cut off before its arguments, that ended with these fields. */
const withCall: Readonly<Record<RecordedDialect, (end: object, isWhole?: boolean) => object>> = {
  openai: ({ error, ...end }: { error?: unknown }, isWhole = true) => {
    const call = { id: "a", type: "function", function: { name: "weather", arguments: isWhole ? args : "" } };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    return { choices: [{ index: 0, message, ...end }], ...(error !== undefined && { error }) };
  },
  "openai-responses": (end, isWhole = true) => ({
    object: "response",
    output: [{ type: "function_call", call_id: "a", name: "weather", arguments: isWhole ? args : "" }],
    ...end,
  }),
  anthropic: (end, isWhole = true) => ({
    type: "message",
    role: "assistant",
    content: [{ type: "tool_use", id: "a", name: "weather", input: isWhole ? { city: "Oslo" } : {} }],
    ...end,
  }),
  gemini: (end, isWhole = true) => ({
    candidates: [
      {
        content: { role: "model", parts: [{ functionCall: { name: "weather", ...(isWhole && { args: {} }) } }] },
        ...end,
      },
    ],
  }),
  ollama: (end, isWhole = true) => ({
    message: {
      role: "assistant",
      content: "",
      tool_calls: [{ function: { name: "weather", ...(isWhole && { arguments: {} }) } }],
    },
    ...end,
  }),
};

describe("a reply that ended by itself", () => {
  it.each<[keyof typeof withCall, object]>([
    ...["stop", "tool_calls", "function_call", null, undefined].map(
      (finish_reason): [keyof typeof withCall, object] => ["openai", { finish_reason, error: null }],
    ),
    ["openai-responses", { status: "completed", error: null, incomplete_details: null }],
    ["openai-responses", {}],
    ...["end_turn", "tool_use", "stop_sequence", "pause_turn", null].map(
      (stop_reason): [keyof typeof withCall, object] => ["anthropic", { stop_reason }],
    ),
    ...["STOP", "FINISH_REASON_UNSPECIFIED", "FUNCTION_CALL", null, undefined].map(
      (finishReason): [keyof typeof withCall, object] => ["gemini", { finishReason }],
    ),
    ["gemini", { finish_reason: "STOP" }],
    ["ollama", { done: true, done_reason: "stop" }],
    ["ollama", {}],
  ])("%s, %j: has its calls run", (dialect, end) => {
    const { finish, calls } = read(dialect, withCall[dialect](end));
    expect({ finish, refusals: calls.map(({ refusal }) => refusal) }).toEqual({
      finish: "stop",
      refusals: [undefined],
    });
  });
});

describe.each([
  ["whole", true],
  ["cut off", false],
])("a reply that did not end by itself runs no call, its call being %s", (_, isWhole) => {
  it.each<[keyof typeof withCall, object, "length" | "error"]>([
    ["openai", { finish_reason: "length" }, "length"],
    ["openai", { finish_reason: "content_filter" }, "error"],
    ["openai", { finish_reason: "error" }, "error"],
    ...["model_length", "max_tokens", "MAX_TOKENS", "model_context_window_exceeded"].map(
      (finish_reason): [keyof typeof withCall, object, "length"] => ["openai", { finish_reason }, "length"],
    ),
    ...[
      "abort",
      "insufficient_system_resource",
      "network_error",
      "sensitive",
      "refusal",
      "content_filter: PROHIBITED_CONTENT",
      "function_call_filter: MALFORMED_FUNCTION_CALL",
    ].map((finish_reason): [keyof typeof withCall, object, "error"] => ["openai", { finish_reason }, "error"]),
    ["openai", { finish_reason: "stop", error: { message: "Overloaded." } }, "error"],
    ["openai-responses", { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
    ["openai-responses", { status: "incomplete" }, "length"],
    ["openai-responses", { status: "incomplete", incomplete_details: { reason: "content_filter" } }, "error"],
    ["openai-responses", { status: "failed", error: { message: "Overloaded." } }, "error"],
    ["openai-responses", { status: "cancelled" }, "error"],
    ["openai-responses", { error: { message: "Overloaded." } }, "error"],
    ["anthropic", { stop_reason: "max_tokens" }, "length"],
    ["anthropic", { stop_reason: "model_context_window_exceeded" }, "length"],
    ["anthropic", { stop_reason: "refusal" }, "error"],
    ["gemini", { finishReason: "MAX_TOKENS" }, "length"],
    ["gemini", { finish_reason: "MAX_TOKENS" }, "length"],
    ["gemini", { finishReason: "CONTINUATION" }, "length"],
    ["gemini", { finishReason: "SAFETY" }, "error"],
    ["gemini", { finish_reason: "RECITATION" }, "error"],
    ["gemini", { finishReason: "OTHER" }, "error"],
    ["ollama", { done: true, done_reason: "length" }, "length"],
    ["ollama", { done: true, done_reason: "stop", error: "out of memory" }, "error"],
  ])("%s, %j", (dialect, end, expected) => {
    const { finish, calls, resume, warnings } = read(dialect, withCall[dialect](end, isWhole));
    expect({ finish, resume }).toEqual({ finish: expected, resume: false });
    expect(calls.map(({ refusal }) => refusal?.code)).toEqual(["invalid_arguments"]);
    expect(warnings.map(({ message }) => message).join(" ")).toContain("no call was run");
  });
});

it.each(["incomplete", "in_progress"])("an item of Responses that is %s is a call that is not run", (status) => {
  const call = { type: "function_call", call_id: "a", name: "weather", arguments: args };
  const { finish, calls } = read("openai-responses", {
    output: [
      { ...call, status },
      { ...call, call_id: "b" },
    ],
  });
  expect(finish).toBe("stop");
  expect(calls.map(({ refusal }) => refusal?.code)).toEqual(["invalid_arguments", undefined]);
});

it("an error in a choice of OpenAI, as routers write it, is one of the reply", () => {
  const choice = { message: { role: "assistant", content: "Hi" }, finish_reason: "stop", error: { code: 502 } };
  expect(read("openai", { choices: [choice] }).finish).toBe("error");
});

it("a reply without anything in it is an error where the provider always says something", () => {
  expect(read("openai", { choices: [] }).finish).toBe("error");
  expect(read("gemini", { candidates: [] }).finish).toBe("error");
  expect(read("gemini", recordedTurn("gemini", "blocked")).finish).toBe("error");
});

it.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])("Gemini's %s is to be asked for again", (finishReason) => {
  expect(read("gemini", withCall.gemini({ finishReason }))).toMatchObject({ finish: "error", calls: [], resume: true });
});

it.each<[DialectName, unknown]>([
  ["openai", { error: { message: "Overloaded." } }],
  ["ollama", { error: "out of memory" }],
  ["openai-responses", { status: "in_progress", output: [] }],
])("%s: an error alone, or what is not there yet, is no reply: %j", (dialect, reply) => {
  expect(() => read(dialect, reply)).toThrow(NotAReply);
});

it("a reply of Anthropic that paused after a compaction continues when it is sent again", () => {
  const content = [{ type: "compaction", content: "They talked about Oslo." }];
  const { calls, resume } = read("anthropic", {
    type: "message",
    role: "assistant",
    content,
    stop_reason: "compaction",
  });
  expect({ calls, resume }).toEqual({ calls: [], resume: true });
});

it.each([
  { willContinue: true },
  { partialArgs: [{ jsonPath: "$.city", stringValue: "Os" }] },
  { will_continue: true },
])("a call of Gemini with %j is only a part of one, and is not run", (part) => {
  const parts = [{ functionCall: { name: "weather", ...part } }, { functionCall: { name: "weather", args: {} } }];
  const { calls } = read("gemini", { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] });
  expect(calls.map(({ refusal }) => refusal?.code)).toEqual(["invalid_arguments", undefined]);
});

it.each([{ willContinue: false }, { partialArgs: [] }, { will_continue: null, partial_args: null }])(
  "a call of Gemini with %j is whole",
  (part) => {
    const parts = [{ functionCall: { name: "weather", args: {}, ...part } }];
    const { calls } = read("gemini", { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] });
    expect(calls.map(({ refusal }) => refusal)).toEqual([undefined]);
  },
);
