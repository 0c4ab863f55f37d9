import { describe, expect, it } from "vitest";
import { ask, askText, codesOf, refusalOf } from "../reply-answer.ts";

const callOf = (call_id: unknown, name: unknown, args: unknown, more = {}) => ({
  type: "function_call",
  id: `fc_${String(call_id)}`,
  call_id,
  name,
  arguments: args,
  status: "completed",
  ...more,
});
const responseOf = (output: unknown[], status = "completed") => ({
  id: "resp_1",
  object: "response",
  error: null,
  status,
  output,
});
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
const oslo = callOf("call_a", "get_weather", '{"location":"Oslo"}');
const now = callOf("call_b", "now", "");

describe("a reply of OpenAI Responses", () => {
  const answered = [
    { type: "function_call_output", call_id: "call_a", output: '{"location":"Oslo","temperature":12}' },
    { type: "function_call_output", call_id: "call_b", output: "noon" },
  ];

  it("is answered with one output item a call, in call order", async () => {
    const { messages, done } = await ask("openai-responses", responseOf([reasoning, oslo, now]));
    expect({ messages, done }).toEqual({ messages: answered, done: false });
  });

  it("bug 29: pairs by call_id, and sends no item id", async () => {
    for (const message of (await ask("openai-responses", responseOf([oslo]))).messages)
      expect(message).not.toHaveProperty("id");
  });

  it("bug 30: needs no item ids", async () => {
    const items = [oslo, now].map((item) => ({ ...item, id: undefined }));
    expect((await ask("openai-responses", items)).messages).toEqual(answered);
  });

  it("is taken as a whole, as its output array, and as one item", async () => {
    expect((await ask("openai-responses", [reasoning, oslo, now])).messages).toEqual(answered);
    expect((await ask("openai-responses", oslo)).messages).toEqual(answered.slice(0, 1));
    expect((await ask("openai-responses", [{ role: "assistant", content: "Hi" }])).done).toBe(true);
  });

  it("skips what the server ran itself, and names what only the caller can answer", async () => {
    const items = ["web_search_call", "file_search_call", "code_interpreter_call", "mcp_call", "image_generation_call"];
    const output = [
      ...items.map((type) => ({ type, id: "x", status: "completed" })),
      { type: "message", role: "assistant", content: [] },
    ];
    expect(await ask("openai-responses", responseOf(output))).toEqual({
      messages: [],
      results: [],
      done: true,
      warnings: [],
    });
    const { warnings } = await ask("openai-responses", [{ type: "computer_call", call_id: "a" }, oslo]);
    expect(warnings).toEqual([{ call: null, message: expect.stringContaining("computer_call") }]);
  });

  it("repeats a call's caller in its result", async () => {
    const caller = { type: "program", caller_id: "prog_1" };
    const { messages } = await ask("openai-responses", [callOf("a", "now", "", { caller })]);
    expect(messages).toEqual([{ type: "function_call_output", call_id: "a", caller, output: "noon" }]);
  });

  it("answers custom tool calls in their own form", async () => {
    const answer = await ask("openai-responses", [{ type: "custom_tool_call", call_id: "a", name: "now", input: "x" }]);
    expect(codesOf(answer)).toEqual(["unknown_tool"]);
    expect(answer.messages).toMatchObject([{ type: "custom_tool_call_output", call_id: "a" }]);
  });

  it("runs no call of a response that is incomplete, and not the call that is", async () => {
    for (const status of ["incomplete", "cancelled"]) {
      const answer = await ask("openai-responses", responseOf([oslo, now], status));
      expect(codesOf(answer)).toEqual(["invalid_arguments", "invalid_arguments"]);
    }
    const half = callOf("c", "now", '{"a', { status: "incomplete" });
    expect(codesOf(await ask("openai-responses", responseOf([now, half])))).toEqual(["ok", "invalid_arguments"]);
  });

  it("gives a call without a call_id one, with a warning", async () => {
    const { messages, warnings } = await ask("openai-responses", [reasoning, callOf(undefined, "now", "")]);
    expect(messages).toMatchObject([{ call_id: "call_0" }]);
    expect(warnings).toMatchObject([{ call: 0 }]);
  });

  it("tells of a refusal", async () => {
    const message = { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] };
    expect(await ask("openai-responses", responseOf([message]))).toMatchObject({
      done: true,
      warnings: [{ call: null }],
    });
  });

  it("says that a response has failed, and is done", async () => {
    expect(await ask("openai-responses", responseOf([], "failed"))).toMatchObject({
      done: true,
      warnings: [{ call: null, message: "The response has failed, and does not say why." }],
    });
  });

  it.each([
    { error: { message: "x" } },
    { type: "error", error: { message: "x" } },
    responseOf([], "queued"),
    responseOf([], "in_progress"),
    {},
    null,
    5,
    { output: {} },
    "[5]",
    '[{"name":"now","arguments":{}}]',
    { role: "assistant", content: null, tool_calls: [] },
    { choices: [] },
    { type: "message", role: "assistant", content: [], stop_reason: "end_turn" },
  ])("is not what %j is", async (body) => {
    await refusalOf("openai-responses", body);
  });

  it("bugs 28 and 44: echo=true puts all items first, byte for byte, reasoning and namespaces included", async () => {
    const items =
      '{"type":"reasoning", "id":"rs_1","summary":[ ],"encrypted_content":"gA\\u003d"} ,\n {"type":"function_call","id":"fc_1","call_id":"a","name":"now","namespace":"clock","arguments":"","x":1.0}';
    const result = '{"type":"function_call_output","call_id":"a","output":"noon"}';
    for (const text of [`[ ${items} ]`, `{"output":[${items}],"status":"completed"}`]) {
      const answer = await askText("openai-responses", text, { query: "&echo=true" });
      expect(answer.slice(0, answer.indexOf(',"results"'))).toBe(`{"messages":[${items},${result}]`);
    }
    const { messages } = await ask("openai-responses", now, { query: "&echo=true" });
    expect(messages).toMatchObject([now, { call_id: "call_b" }]);
    expect((await ask("openai-responses", [], { query: "&echo=true" })).messages).toEqual([]);
  });
});

describe("what is not a reply of OpenAI Responses", () => {
  it.each([
    { type: "response.completed", response: responseOf([oslo]) },
    { type: "response.output_item.done", output_index: 0, item: oslo },
    { type: "response.function_call_arguments.done", item_id: "fc_1", arguments: "{}" },
    [{ type: "response.completed", response: responseOf([oslo]) }],
    [{ type: "message", role: "user", content: "Weather?" }, oslo],
    [{ type: "message", role: "developer", content: "Be short." }],
  ])("is refused: %j", async (reply) => {
    expect(await refusalOf("openai-responses", reply)).toContain("response of OpenAI's Responses API");
  });
});

it("a call of Responses that the same output answers is not run again", async () => {
  const output = { type: "function_call_output", call_id: "call_a", output: "12", status: "completed" };
  const { results, done } = await ask("openai-responses", responseOf([oslo, output]));
  expect({ results, done }).toEqual({ results: [], done: true });
  const two = await ask("openai-responses", responseOf([oslo, output, now]));
  expect(two.results.map(({ id }) => id)).toEqual(["call_b"]);
});

it("a search for tools that the caller must run is named", async () => {
  const search = { type: "tool_search_call", id: "x", call_id: "s", arguments: {}, status: "completed" };
  const { warnings } = await ask("openai-responses", responseOf([{ ...search, execution: "client" }]));
  expect(warnings.map(({ message }) => message)).toEqual([
    "The reply contains a tool_search_call, which only your own program can answer.",
  ]);
  expect((await ask("openai-responses", responseOf([{ ...search, execution: "server" }]))).warnings).toEqual([]);
});
