import { describe, expect, it } from "vitest";
import { ollamaConversation } from "../../../src/dialects/ollama/conversation.ts";
import { nothing, said } from "../conversation/said.ts";
import { recordedTurn } from "../recorded/recorded-turn.ts";

const { usageOf, userItem } = ollamaConversation;
const usage = { inputTokens: 84, outputTokens: 31 };

describe("what a reply of Ollama says", () => {
  it.each([
    ["text", { text: "It is 4 degrees in Oslo.", usage }],
    ["thinking-and-call", { text: "", usage }],
    ["truncated", { text: "Let me loo", usage }],
  ])("%s", (name, expected) => {
    expect(said("ollama", recordedTurn("ollama", name))).toMatchObject(expected);
  });

  it.each([
    [undefined],
    [null],
    ["a"],
    [[]],
    [{}],
    [{ error: "out of memory" }],
    [{ message: 7 }],
    [{ message: { content: null } }],
  ])("is nothing in %j", (reply) => {
    expect(said("ollama", reply)).toMatchObject(nothing);
  });

  it("has the counts that are there", () => {
    expect(usageOf({ eval_count: 5, prompt_eval_count: "7" })).toEqual({ inputTokens: 0, outputTokens: 5 });
  });
});

it("what the user says is a message", () => {
  expect(userItem("Hello.")).toEqual({ role: "user", content: "Hello." });
});
