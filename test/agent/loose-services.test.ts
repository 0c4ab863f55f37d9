import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { streamedAs } from "../providers/turns.ts";
import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import { provide, refusals, ways } from "./sdk-models.ts";
import { weatherTools } from "./weather-tools.ts";

const oslo = { city: "Oslo" };
const written = JSON.stringify(oslo);
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const completionOf = (message: object) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: "stop" }],
  usage,
});
const chunkOf = (delta: object, finish_reason: string | null = null) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
});
const callOf = (id: string, args = written) => ({
  id,
  type: "function",
  function: { name: "weather", arguments: args },
});
const fragment = (id: string | undefined, called: object) =>
  chunkOf({ tool_calls: [{ index: 0, id, type: "function", function: called }] });
const stopped = chunkOf({}, "stop");

const responseOf = (...output: object[]) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output,
  usage: null,
});
const itemOf = (args: string, more: object = {}) => ({
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "weather",
  arguments: args,
  ...more,
});
const event = (type: string, fields: object) => ({ type: `response.${type}`, output_index: 0, ...fields });
const delta = (text: string) => event("function_call_arguments.delta", { item_id: "fc_1", delta: text });
const messageOf = (text: string, more: object = {}) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
  ...more,
});

const anthropicOf = (content: object[], stop_reason: string, more: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
  ...more,
});
const use = { type: "tool_use", id: "toolu_1", name: "weather", input: oslo };
const container = { id: "container_1", expires_at: "2030-01-01T00:00:00Z" };

const geminiOf = (finishReason: string, ...parts: object[]) => ({
  candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
});

const details = [
  { type: "reasoning.text", text: "Let me see.", signature: "SIG==", index: 0, format: "anthropic-claude-v1" },
];
const done = {
  openai: completionOf({ content: "Done." }),
  "openai-responses": responseOf(messageOf("Done.")),
  anthropic: anthropicOf([{ type: "text", text: "Done." }], "end_turn"),
  gemini: geminiOf("STOP", { text: "Done." }),
} as const;

interface Case {
  readonly what: string;
  readonly dialect: keyof typeof done & RecordedDialect;
  readonly turns: readonly unknown[];
  readonly options?: Readonly<Record<string, unknown>>;
}

const caseOf = (what: string, dialect: Case["dialect"], turns: readonly unknown[], options = {}): Case => ({
  what,
  dialect,
  turns,
  options,
});

const cases: readonly Case[] = [
  caseOf("thoughts in fragments", "openai", [
    streamedAs(completionOf({ reasoning_details: details, tool_calls: [callOf("a")] }), [
      chunkOf({
        role: "assistant",
        reasoning_details: [{ type: "reasoning.text", text: "Let", index: 0, format: "anthropic-claude-v1" }],
      }),
      chunkOf({ reasoning_details: [{ type: "reasoning.text", text: " me see.", index: 0 }] }),
      chunkOf({ reasoning_details: [{ type: "reasoning.text", signature: "SIG==", index: 0 }] }),
      fragment("a", { name: "weather", arguments: written }),
      stopped,
    ]),
  ]),
  caseOf("another id with each fragment", "openai", [
    streamedAs(completionOf({ tool_calls: [callOf("a")] }), [
      fragment("a", { name: "weather", arguments: "" }),
      fragment("b", { arguments: '{"city"' }),
      fragment("b", { arguments: ':"Oslo"}' }),
      stopped,
    ]),
  ]),
  caseOf("arguments in pieces and once more as a whole", "openai", [
    streamedAs(completionOf({ tool_calls: [callOf("a", written + written)] }), [
      fragment("a", { name: "weather", arguments: '{"city"' }),
      fragment(undefined, { arguments: ':"Oslo"}' }),
      fragment(undefined, { arguments: written }),
      stopped,
    ]),
  ]),
  caseOf("one call twice", "openai", [completionOf({ tool_calls: [callOf("a"), callOf("a")] })]),
  caseOf("a call that the last event leaves out", "openai-responses", [
    streamedAs(responseOf(itemOf(written)), [
      event("output_item.added", { item: itemOf("") }),
      delta('{"city"'),
      delta(':"Oslo"}'),
      event("function_call_arguments.done", { item_id: "fc_1", arguments: written }),
      { type: "response.completed", response: responseOf(messageOf("")) },
    ]),
  ]),
  caseOf("a call that is never told done", "openai-responses", [
    streamedAs(responseOf(itemOf(written, { status: "in_progress" })), [
      event("output_item.added", { item: itemOf("", { status: "in_progress" }) }),
      delta(written),
      { type: "response.completed", response: responseOf() },
    ]),
  ]),
  caseOf("one call twice", "openai-responses", [responseOf(itemOf(written), itemOf(written, { id: "fc_2" }))]),
  caseOf("a container, behind a pause as well", "anthropic", [
    anthropicOf([{ type: "text", text: "I run it." }], "pause_turn", { container }),
    anthropicOf([use], "tool_use", { container: null }),
  ]),
  caseOf("one call twice", "anthropic", [anthropicOf([use, use], "tool_use")]),
  caseOf("two blocks at one index", "anthropic", [
    streamedAs(anthropicOf([{ type: "text", text: "I look." }, use], "tool_use"), [
      { type: "message_start", message: anthropicOf([], "end_turn") },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I look." } },
      { type: "content_block_start", index: 0, content_block: { ...use, input: {} } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: written } },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ]),
  ]),
  caseOf(
    "tools of its own beside functions",
    "gemini",
    [geminiOf("STOP", { functionCall: { name: "weather", args: oslo }, thoughtSignature: "c2ln" })],
    { tools: [{ googleSearch: {} }] },
  ),
];

describe.each(Object.entries(ways))("an agent behind the official client, %s", (_way, say) => {
  it.each(cases)(
    "$what ($dialect): the call runs once, and the provider takes what goes back",
    async ({ dialect, turns, options = {} }) => {
      const { provider, model } = await provide(dialect, [...turns, done[dialect]], options);
      const { tools, ran } = weatherTools();
      const result = await say(createAgent({ model, tools, maxRounds: 4 }), "Weather?");
      expect(refusals(provider)).toEqual([]);
      expect(result).toMatchObject({ text: "Done.", finishReason: "stop" });
      expect(result.toolCalls).toMatchObject([{ outcome: { status: "ok" } }]);
      expect(ran).toEqual([oslo]);
    },
  );

  it("asks Gemini once more if it calls although it may not, and has its text", async () => {
    const unexpected = geminiOf("UNEXPECTED_TOOL_CALL", { text: "It is sunny." });
    const { provider, model } = await provide("gemini", [unexpected, unexpected, done.gemini]);
    const result = await say(createAgent({ model, tools: weatherTools().tools, maxRounds: 1 }), "Weather?");
    expect(result).toMatchObject({ text: "It is sunny.", finishReason: "error" });
    expect(provider.requests).toHaveLength(2);
  });

  it("has the final answer of a response for its text, and shows commentary apart", async () => {
    const turn = responseOf(
      messageOf("I look.", { phase: "commentary" }),
      messageOf("Sunny.", { id: "msg_2", phase: "final_answer" }),
    );
    const { provider, model } = await provide("openai-responses", [turn]);
    const { text, pieces } = await say(createAgent({ model }), "Weather?");
    expect(refusals(provider)).toEqual([]);
    expect(text).toBe("Sunny.");
    expect(["Sunny.", "I look.\n\nSunny."]).toContain(pieces.join(""));
  });
});
