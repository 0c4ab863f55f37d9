import { describe, expect, it, vi } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { scriptedModel } from "./scripted-model.ts";
import { weatherTools } from "./weather-tools.ts";

const anthropic = (content: unknown[], stop_reason: string) => ({
  type: "message",
  role: "assistant",
  content,
  stop_reason,
  usage: { input_tokens: 1, output_tokens: 1 },
});
const gemini = (finishReason: string, parts?: unknown[]) => ({
  candidates: [{ content: { role: "model", ...(parts !== undefined && { parts }) }, finishReason }],
});
const text = (value: string) => ({ type: "text", text: value });
const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };

describe("a turn that is paused", () => {
  it("is sent back as it came, and goes on", async () => {
    const paused = anthropic([text("Let me see. "), search], "pause_turn");
    const model = scriptedModel([paused, anthropic([text("It rains.")], "end_turn")], "anthropic");
    const result = await createAgent({ model }).chat("Weather?");
    expect(result).toMatchObject({ text: "Let me see. It rains.", rounds: 1, finishReason: "stop" });
    expect(model.requests[1]!.messages.slice(1)).toEqual([{ role: "assistant", content: paused.content }]);
  });

  it("that nothing came of is taken back, text and all that was searched", async () => {
    const paused = anthropic([search], "pause_turn");
    const empty = anthropic([], "end_turn");
    const model = scriptedModel([paused, empty, anthropic([text("Hi.")], "end_turn")], "anthropic");
    const agent = createAgent({ model });
    await agent.chat("Weather?");
    await agent.chat("Well?");
    expect(model.requests[2]!.messages.map((item) => (item as { role: string }).role)).toEqual(["user", "user"]);
  });

  it("and then fails is taken back, and the text can be said again", async () => {
    const model = scriptedModel([anthropic([search], "pause_turn"), new Error("529")], "anthropic");
    const agent = createAgent({ model });
    await expect(agent.chat("Weather?")).rejects.toThrow("529");
    expect(agent.messages).toEqual([]);
  });

  it("is counted anew once the model has gone on", async () => {
    const call = { type: "tool_use", id: "toolu_1", name: "gone", input: {} };
    const pauses = Array.from({ length: 4 }, () => anthropic([search], "pause_turn"));
    const end = anthropic([text("Done.")], "end_turn");
    const model = scriptedModel([...pauses, anthropic([call], "tool_use"), ...pauses, end], "anthropic");
    expect(await createAgent({ model }).chat("Weather?")).toMatchObject({ text: "Done.", finishReason: "stop" });
  });

  it("is resumed five times and no more", async () => {
    const model = scriptedModel(
      Array.from({ length: 9 }, () => anthropic([search], "pause_turn")),
      "anthropic",
    );
    expect(await createAgent({ model }).chat("Weather?")).toMatchObject({ finishReason: "error" });
    expect(model.requests).toHaveLength(6);
  });
});

describe("a turn that the model could not write", () => {
  it("is asked for again, without a trace of it", async () => {
    const model = scriptedModel([gemini("MALFORMED_FUNCTION_CALL"), gemini("STOP", [{ text: "Fine." }])], "gemini");
    const agent = createAgent({ model });
    expect(await agent.chat("Go")).toMatchObject({ text: "Fine.", rounds: 1, finishReason: "stop" });
    expect(model.requests[1]!.messages).toEqual(model.requests[0]!.messages);
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("is asked for three times, and is an error then", async () => {
    const model = scriptedModel(
      Array.from({ length: 9 }, () => gemini("MALFORMED_FUNCTION_CALL")),
      "gemini",
    );
    const agent = createAgent({ model });
    const result = await agent.chat("Go");
    expect(result).toMatchObject({ text: "", finishReason: "error" });
    expect(result.warnings.join()).toContain("MALFORMED_FUNCTION_CALL");
    expect(model.requests).toHaveLength(3);
    expect(agent.messages).toEqual([]);
  });
});

describe("a turn that calls although it may not", () => {
  const unexpected = (...parts: object[]) => gemini("UNEXPECTED_TOOL_CALL", parts);

  it.each<[string, object[], string]>([
    ["no text", [unexpected(), unexpected()], ""],
    ["the text of the last attempt", [unexpected({ text: "One." }), unexpected({ text: "Two." })], "Two."],
    ["the text of an attempt before, if the last has none", [unexpected({ text: "One." }), unexpected()], "One."],
  ])("is asked for once more, and leaves %s", async (_, turns, said) => {
    const model = scriptedModel([...turns, gemini("STOP", [{ text: "Too late." }])], "gemini");
    const agent = createAgent({ model, maxRounds: 1, tools: weatherTools().tools });
    expect(await agent.chat("Go")).toMatchObject({ text: said, finishReason: "error" });
    expect(model.requests).toHaveLength(2);
    expect(agent.messages).toEqual([]);
  });

  it("can answer when it is asked once more", async () => {
    const model = scriptedModel([unexpected({ text: "Hm." }), gemini("STOP", [{ text: "Fine." }])], "gemini");
    const agent = createAgent({ model, maxRounds: 1, tools: weatherTools().tools });
    expect(await agent.chat("Go")).toMatchObject({ text: "Fine.", finishReason: "stop" });
  });
});

describe("a turn without content", () => {
  it("ends the chat, whatever it says to have ended for, and does not go back", async () => {
    const model = scriptedModel([anthropic([], "tool_use"), anthropic([text("Hello.")], "end_turn")], "anthropic");
    const agent = createAgent({ model });
    expect(await agent.chat("Hi")).toMatchObject({ text: "", finishReason: "stop" });
    await agent.chat("Hi?");
    expect(model.requests[1]!.messages.map((message) => (message as { role: string }).role)).toEqual(["user", "user"]);
  });

  it("is an error where the prompt was blocked, and the text is taken back", async () => {
    const model = scriptedModel(
      [{ promptFeedback: { blockReason: "SAFETY" } }, gemini("STOP", [{ text: "Hi." }])],
      "gemini",
    );
    const agent = createAgent({ model });
    expect(await agent.chat("Bad")).toMatchObject({ finishReason: "error" });
    await agent.chat("Good");
    expect(model.requests[1]!.messages).toEqual([{ role: "user", parts: [{ text: "Good" }] }]);
  });
});

describe("what a provider would refuse of its own words does not go back", () => {
  /** The conversation that the second of two chats sends, behind the first question. */
  async function sentBack(
    dialect: "openai" | "openai-responses" | "anthropic" | "gemini",
    reply: unknown,
    last: unknown,
  ) {
    const model = scriptedModel([reply, last], dialect);
    const agent = createAgent({ model });
    await agent.chat("One");
    await agent.chat("Two");
    return model.requests[1]!.messages.slice(1, -1);
  }
  const completion = (message: object) => ({
    choices: [{ message: { role: "assistant", ...message }, finish_reason: "stop" }],
  });
  const response = (output: unknown[], more: object = {}) => ({
    object: "response",
    status: "completed",
    output,
    ...more,
  });
  const hello = completion({ content: "Hello." });

  it("Anthropic: empty text blocks", async () => {
    const reply = anthropic([text(""), text("Hello.")], "end_turn");
    expect(await sentBack("anthropic", reply, reply)).toEqual([{ role: "assistant", content: [text("Hello.")] }]);
  });

  it("Anthropic: thoughts that lead to nothing, being cut off", async () => {
    const thought = { type: "thinking", thinking: "Let me", signature: "c2ln" };
    const cut = anthropic([thought], "max_tokens");
    expect(await sentBack("anthropic", cut, anthropic([text("Hi.")], "end_turn"))).toEqual([]);
    const whole = anthropic([thought, text("Hi.")], "end_turn");
    expect(await sentBack("anthropic", whole, whole)).toEqual([{ role: "assistant", content: whole.content }]);
  });

  it("Anthropic: what it refused to say", async () => {
    expect(
      await sentBack("anthropic", anthropic([text("No")], "refusal"), anthropic([text("Hi.")], "end_turn")),
    ).toEqual([]);
  });

  it("OpenAI: a message without content, and an empty list of calls", async () => {
    expect(await sentBack("openai", completion({ content: null }), hello)).toEqual([]);
    const listed = completion({ content: "Hello.", tool_calls: [] });
    expect(await sentBack("openai", listed, hello)).toEqual([{ role: "assistant", content: "Hello." }]);
    const refused = completion({ content: null, refusal: "No." });
    expect(await sentBack("openai", refused, hello)).toEqual([{ role: "assistant", content: null, refusal: "No." }]);
  });

  it("Responses: reasoning that led to nothing", async () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
    const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] };
    const cut = response([reasoning], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    expect(await sentBack("openai-responses", cut, response([message]))).toEqual([]);
    const whole = response([reasoning, message]);
    expect(await sentBack("openai-responses", whole, whole)).toEqual([reasoning, message]);
  });

  it("Gemini: a content without parts, or with empty ones, but for a signature", async () => {
    const good = gemini("STOP", [{ text: "Hi." }]);
    expect(await sentBack("gemini", gemini("STOP", []), good)).toEqual([]);
    expect(await sentBack("gemini", gemini("STOP", [{ text: "" }]), good)).toEqual([]);
    const signed = [{ text: "", thoughtSignature: "c2ln" }];
    expect(await sentBack("gemini", gemini("STOP", signed), good)).toEqual([{ role: "model", parts: signed }]);
  });
});

it("an input of Anthropic that is no JSON goes back in an object, as the API takes no other", async () => {
  const input = '{"city": "Oslo", oops';
  const turn = anthropic([{ type: "tool_use", id: "toolu_1", name: "weather", input }], "tool_use");
  const model = scriptedModel([turn, anthropic([text("Oh.")], "end_turn")], "anthropic");
  await createAgent({ model }).chat("Go");
  expect(model.requests[1]!.messages[1]).toMatchObject({ content: [{ input: { INVALID_JSON: input } }] });
});

it("calls of one id, where the provider goes by their order, have results of their own", async () => {
  const call = (city: string) => ({ functionCall: { id: "x", name: "echo", args: { city } } });
  const model = scriptedModel(
    [gemini("STOP", [call("Oslo"), call("Lima")]), gemini("STOP", [{ text: "Ok." }])],
    "gemini",
  );
  const echo = {
    name: "echo",
    description: "Echoes.",
    parameters: { type: "object" },
    execute: (args: object) => args,
  };
  const agent = createAgent({ model, tools: [echo] });
  const { toolCalls } = await agent.chatWithTools("Go");
  expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
  const last = await agent.executeToolCall(toolCalls[1]!);
  const first = await agent.executeToolCall(toolCalls[0]!);
  expect([first.content, last.content]).toEqual(['{"city":"Oslo"}', '{"city":"Lima"}']);
});

it("a call of Responses that was never finished runs in no form", async () => {
  const item = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "echo",
    arguments: '{"c":"A',
    status: "incomplete",
  };
  const model = scriptedModel([{ object: "response", status: "completed", output: [item] }], "openai-responses");
  const execute = vi.fn(() => 1);
  const echo = { name: "echo", description: "Echoes.", parameters: { type: "object" }, execute };
  const agent = createAgent({ model, tools: [echo] });
  const { toolCalls } = await agent.chatWithTools("Go");
  const changed = { ...toolCalls[0]!, function: { name: "echo", arguments: "{}" } };
  expect((await agent.executeToolCall(changed)).content).toContain("cut off");
  expect(execute).not.toHaveBeenCalled();
});

it("calls without an id get the one that their results name", async () => {
  const call = (name: string) => ({ type: "function", function: { name, arguments: "{}" } });
  const message = { role: "assistant", content: null, tool_calls: [call("a"), { ...call("b"), id: "given" }] };
  const done = { choices: [{ message: { role: "assistant", content: "Done." }, finish_reason: "stop" }] };
  const model = scriptedModel([{ choices: [{ message, finish_reason: "tool_calls" }] }, done]);
  await createAgent({ model }).chat("Go");
  const [echo, ...results] = model.requests[1]!.messages.slice(1) as {
    tool_calls: { id: string }[];
    tool_call_id: string;
  }[];
  expect(echo!.tool_calls.map(({ id }) => id)).toEqual(["call_1_0", "given"]);
  expect(results.map(({ tool_call_id: id }) => id)).toEqual(["call_1_0", "given"]);
});

it("what is no reply of the provider is said to be none, and leaves the conversation as it was", async () => {
  const model = scriptedModel([{ error: "overloaded" }]);
  const agent = createAgent({ model });
  await expect(agent.chat("Hi")).rejects.toThrow('is not a reply in the format "openai"');
  expect(agent.messages).toEqual([]);
});
