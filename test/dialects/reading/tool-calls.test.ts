import { describe, expect, it } from "vitest";
import { readTurn } from "../../../src/agent/turn.ts";
import { dialects } from "../../../src/dialects/dialects.ts";
import { ask, codesOf } from "../reply-answer.ts";

const text = '{"location":"Oslo"}';
const call = { id: "call_a", type: "function", function: { name: "get_weather", arguments: text } };
const message = { role: "assistant", content: null };
const choices = (choice: object) => ({ choices: [{ index: 0, finish_reason: "tool_calls", ...choice }] });
const ollamaCall = { function: { name: "get_weather", arguments: { location: "Oslo" } } };
const ollamaMessage = { role: "assistant", content: "" };

describe("calls of a chat message", () => {
  it.each([
    ["openai", "one call without a list", { ...message, tool_calls: call }, "list"],
    [
      "openai",
      "one call without a list in a completion",
      choices({ message: { ...message, tool_calls: call } }),
      "list",
    ],
    ["openai", "a list beside the message", choices({ message, tool_calls: [call] }), "next to"],
    [
      "openai",
      "one beside an empty list",
      choices({ message: { ...message, tool_calls: [] }, tool_calls: call }),
      "list",
    ],
    [
      "ollama",
      "one call without a list",
      { message: { ...ollamaMessage, tool_calls: ollamaCall }, done: true },
      "list",
    ],
    [
      "ollama",
      "a list beside the message",
      { message: ollamaMessage, tool_calls: [ollamaCall], done: true },
      "next to",
    ],
  ] as const)("of %s are read: %s", async (format, _what, reply, warning) => {
    const answer = await ask(format, reply);
    expect(codesOf(answer)).toEqual(["ok"]);
    expect(answer.done).toBe(false);
    expect(answer.warnings).toContainEqual({ call: null, message: expect.stringContaining(warning) as string });
  });

  it.each(["openai", "ollama"] as const)("of %s are none in an empty object", async (format) => {
    const { results, done, warnings } = await ask(format, { ...message, content: "Hi", tool_calls: {} });
    expect({ results, done, warnings }).toEqual({ results: [], done: true, warnings: [] });
  });

  it.each([
    ["openai", choices({ message: { ...message, tool_calls: call } }), call],
    ["openai", { ...message, tool_calls: call }, call],
    ["openai", choices({ message, tool_calls: [call] }), call],
    ["openai", choices({ message: { ...message, tool_calls: [] }, tool_calls: call }), call],
    ["ollama", { message: { ...ollamaMessage, tool_calls: ollamaCall }, done: true }, ollamaCall],
    ["ollama", { message: ollamaMessage, tool_calls: [ollamaCall], done: true }, ollamaCall],
  ] as const)("of %s go back in a list in the agent's conversation: %j", (dialect, reply, expected) => {
    const { reply: read, items } = readTurn(dialects[dialect], reply, []);
    expect(read.calls).toMatchObject([{ name: "get_weather" }]);
    expect(items).toMatchObject([{ role: "assistant", tool_calls: [expected] }]);
  });
});
