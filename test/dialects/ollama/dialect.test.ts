import { describe, expect, it } from "vitest";
import { ask, askText, codesOf, refusalOf } from "../reply-answer.ts";

const callOf = (name: unknown, args?: unknown, id?: string) => ({ id, function: { name, arguments: args } });
const messageOf = (...calls: unknown[]) => ({ role: "assistant", content: "", thinking: "hm", tool_calls: calls });
const answerOf = (message: unknown, done_reason = "stop") => ({ model: "m", message, done: true, done_reason });

describe("a reply of Ollama", () => {
  it("bug 37: is answered in call order, by name where calls have no ids", async () => {
    const calls = ["Oslo", "Bergen"].map((location) => callOf("get_weather", { location }));
    const { messages, results, done, warnings } = await ask("ollama", answerOf(messageOf(...calls)));
    expect(messages).toEqual([
      { role: "tool", tool_name: "get_weather", content: '{"location":"Oslo","temperature":12}' },
      { role: "tool", tool_name: "get_weather", content: '{"location":"Bergen","temperature":12}' },
    ]);
    expect({ ids: results.map(({ id }) => id), done, warnings }).toEqual({
      ids: ["0", "1"],
      done: false,
      warnings: [],
    });
  });

  it("repeats the ids of servers that give them", async () => {
    const { messages } = await ask("ollama", messageOf(callOf("now", {}, "call_1")));
    expect(messages).toEqual([{ role: "tool", tool_name: "now", tool_call_id: "call_1", content: "noon" }]);
  });

  it("B24: takes arguments as an object, as text, or not at all", async () => {
    const calls = [{ limit: 1 }, '{"limit":1}', "", undefined, {}, [], "{bad"].map((args) => callOf("echo", args));
    const bad = "invalid_arguments";
    const answer = await ask("ollama", messageOf(...calls));
    expect(codesOf(answer)).toEqual(["ok", "ok", "ok", "ok", "ok", bad, bad]);
    expect(answer.warnings.map(({ call }) => call)).toEqual([1, 2, 6]);
  });

  it("is taken as the message alone, and is done where it calls nothing", async () => {
    expect(await ask("ollama", { role: "assistant", content: "Hi" })).toMatchObject({ done: true, messages: [] });
    expect(await ask("ollama", answerOf({ role: "assistant", content: "" }, "length"))).toMatchObject({
      done: true,
      warnings: [{}],
    });
  });

  it("runs no call of a reply that was cut off", async () => {
    expect(codesOf(await ask("ollama", answerOf(messageOf(callOf("now", {})), "length")))).toEqual([
      "invalid_arguments",
    ]);
  });

  it("comes back with errors as text", async () => {
    const { messages, results } = await ask("ollama", messageOf(callOf("nothing", {}), null));
    expect(messages.map(({ content }) => JSON.parse(content as string) as unknown)).toEqual(
      results.map(({ error }) => ({ error })),
    );
  });

  it.each([
    { error: "model not found" },
    {},
    null,
    "[]",
    { message: null },
    { message: { role: "user", content: "x" } },
    { choices: [] },
  ])("is not what %j is", async (body) => {
    await refusalOf("ollama", body);
  });

  it("echo=true keeps the message byte for byte", async () => {
    const message =
      '{"role":"assistant","content":"","thinking":"h\\u006d","tool_calls":[{"function":{"name":"now","arguments":{"a":1.0}}}] }';
    const answer = await askText("ollama", `{"message":${message},"done":true}`, { query: "&echo=true" });
    expect(answer.startsWith(`{"messages":[${message},{"role":"tool","tool_name":"now","content":"noon"}]`)).toBe(true);
  });
});
