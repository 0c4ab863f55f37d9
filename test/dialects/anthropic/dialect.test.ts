import { describe, expect, it } from "vitest";
import { ask, askText, codesOf, refusalOf } from "../reply-answer.ts";

const useOf = (id: unknown, name: unknown, input?: unknown) => ({ type: "tool_use", id, name, input });
const messageOf = (content: unknown, stop_reason = "tool_use") => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason,
  usage: { input_tokens: 1 },
});
const oslo = useOf("toolu_a", "get_weather", { location: "Oslo" });
const now = useOf("toolu_b", "now", {});
const serverBlocks = [
  { type: "text", text: "Looking." },
  { type: "thinking", thinking: "", signature: "c2ln" },
  { type: "redacted_thinking", data: "x" },
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
  { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
];

describe("a reply of Anthropic Messages", () => {
  it("bug 25: is answered with ONE user message, a tool_result block a call", async () => {
    const { messages, done } = await ask("anthropic", messageOf([...serverBlocks, oslo, now]));
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_a", content: '{"location":"Oslo","temperature":12}' },
          { type: "tool_result", tool_use_id: "toolu_b", content: "noon" },
        ],
      },
    ]);
    expect(done).toBe(false);
  });

  it("marks errors, and each stays with its call", async () => {
    const answer = await ask(
      "anthropic",
      messageOf([useOf("a", "nothing", {}), now, useOf("c", "get_weather", { x: 1 })]),
    );
    expect(codesOf(answer)).toEqual(["unknown_tool", "ok", "invalid_arguments"]);
    const [{ content }] = answer.messages as unknown as [{ content: { is_error?: boolean; content: string }[] }];
    expect(content.map((block) => block.is_error)).toEqual([true, undefined, true]);
    expect(JSON.parse(content[0]!.content)).toEqual({ error: answer.results[0]?.error });
  });

  it("leaves out the content of an empty result", async () => {
    const tools = [{ name: "now", execute: () => "" }];
    expect((await ask("anthropic", messageOf([now]), { tools })).messages).toEqual([
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_b" }] },
    ]);
  });

  it("is taken as a message alone, its content a string too", async () => {
    expect(codesOf(await ask("anthropic", { role: "assistant", content: [oslo] }))).toEqual(["ok"]);
    expect(await ask("anthropic", { role: "assistant", content: "Hi" })).toMatchObject({ done: true, messages: [] });
  });

  it("takes input of any kind for what it is", async () => {
    const inputs = [undefined, {}, "", '{"limit":1}', null, [], 5, "{bad"];
    const answer = await ask("anthropic", messageOf(inputs.map((input, index) => useOf(`t${index}`, "echo", input))));
    const bad = "invalid_arguments";
    expect(codesOf(answer)).toEqual(["ok", "ok", "ok", "ok", "ok", bad, bad, bad]);
  });

  it("bug 32: a pause with server tools alone is resumed", async () => {
    const reply = messageOf(serverBlocks, "pause_turn");
    expect(await ask("anthropic", reply)).toEqual({
      messages: [],
      results: [],
      done: false,
      resume: true,
      warnings: [],
    });
    const { messages, resume } = await ask("anthropic", reply, { query: "&echo=true" });
    expect({ messages, resume }).toEqual({ messages: [{ role: "assistant", content: serverBlocks }], resume: true });
  });

  it("a pause with calls of the client is answered", async () => {
    const answer = await ask("anthropic", messageOf([...serverBlocks, now], "pause_turn"));
    expect(answer).toMatchObject({ done: false, results: [{ status: "ok" }] });
    expect(answer).not.toHaveProperty("resume");
  });

  it("decides by the calls, not by the reason", async () => {
    expect(await ask("anthropic", messageOf([], "tool_use"))).toMatchObject({ done: true });
    expect(await ask("anthropic", messageOf([now], "end_turn"))).toMatchObject({
      done: false,
      results: [{ status: "ok" }],
    });
    expect(await ask("anthropic", messageOf([], "refusal"))).toMatchObject({ done: true, warnings: [{ call: null }] });
  });

  it.each(["max_tokens", "model_context_window_exceeded"])(
    "runs no call of a reply that ended by %s",
    async (reason) => {
      const answer = await ask("anthropic", messageOf([oslo, useOf("t", "now", {})], reason));
      expect(codesOf(answer)).toEqual(["invalid_arguments", "invalid_arguments"]);
      expect(JSON.stringify(answer.messages)).toContain("cut off");
    },
  );

  it("repeats a toolset's name, and gives an id where there is none", async () => {
    const answer = await ask("anthropic", messageOf([{ ...useOf(undefined, "now"), toolset_name: "clock" }]));
    expect(answer.messages).toMatchObject([{ content: [{ tool_use_id: "call_0", toolset_name: "clock" }] }]);
    expect(answer.warnings).toMatchObject([{ call: 0 }]);
  });

  it.each([
    { type: "error", error: { type: "overloaded_error", message: "x" } },
    {},
    null,
    "[]",
    { role: "user", content: [now] },
    { role: "assistant" },
    { role: "assistant", content: null, tool_calls: [] },
    { role: "assistant", content: "", tool_calls: [{}] },
    { role: "assistant", content: [5] },
    { choices: [] },
    { role: "model", parts: [] },
  ])("is not what %j is", async (body) => {
    await refusalOf("anthropic", body);
  });

  const content =
    '[ {"type":"thinking","thinking":"","signature":"c2\\u006cn"},{"type":"tool_use","id":"a","name":"now","input":{"n":1.50,"big":9007199254740993,"e":1E2}} ]';
  const thrown = '"tool_use_id":"a","content":"{';

  it("echo=true puts the message first: its content byte for byte, and nothing that a request does not take", async () => {
    const answer = await askText(
      "anthropic",
      `{"id":"m","type":"message","role":"assistant","content": ${content} ,"stop_reason":"tool_use"}`,
      {
        query: "&echo=true",
      },
    );
    expect(answer.startsWith(`{"messages":[{"role":"assistant","content":${content}},{"role":"user"`)).toBe(true);
    expect(answer).toContain(thrown); // An integer that would be rounded fails its call.
  });

  it("echo=true leaves a message that was given alone as it came", async () => {
    const alone = `{ "content":${content},\n "role" : "assistant" }`;
    const answer = await askText("anthropic", alone, { query: "&echo=true" });
    expect(answer.startsWith(`{"messages":[${alone},{"role":"user"`)).toBe(true);
  });
});
