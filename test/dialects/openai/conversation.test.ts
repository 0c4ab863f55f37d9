import { describe, expect, it } from "vitest";
import { openaiConversation } from "../../../src/dialects/openai/conversation.ts";
import { nothing, said } from "../conversation/said.ts";

const completionOf = (message: unknown, finish_reason: unknown = "stop", usage?: unknown) => ({
  choices: [{ index: 0, message, finish_reason }],
  usage,
});

describe("what a chat completion says", () => {
  it("is its text, and what it took", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    expect(said("openai", completionOf({ role: "assistant", content: "Hi" }, "stop", usage))).toMatchObject({
      text: "Hi",
      usage: { inputTokens: 3, outputTokens: 2 },
    });
  });

  it("is the text of the first of several choices", () => {
    const choices = ["a", "b"].map((content, index) => ({ index, message: { content }, finish_reason: "stop" }));
    expect(said("openai", { choices }).text).toBe("a");
  });

  it("is the text of content that has parts, without thoughts", () => {
    const content = [{ type: "thinking", thinking: [] }, { type: "text", text: "Hi" }, { type: "text" }, null];
    expect(said("openai", completionOf({ content })).text).toBe("Hi");
  });

  it("is its refusal where there is nothing else, and never its reasoning", () => {
    expect(said("openai", completionOf({ content: null, refusal: "No.", reasoning_content: "Hm." })).text).toBe("No.");
    expect(said("openai", completionOf({ content: "Yes.", refusal: "" })).text).toBe("Yes.");
  });

  it("is taken from an assistant's message alone", () => {
    const message = { role: "assistant", content: "Hi" };
    expect(said("openai", message).text).toBe("Hi");
  });

  it("is nothing where things are missing or odd", () => {
    const odd = [
      undefined,
      null,
      "x",
      [],
      {},
      { choices: [null] },
      { choices: "x" },
      completionOf(null),
      completionOf(7),
    ];
    for (const reply of [...odd, completionOf({ content: { text: 1 } }), { usage: { prompt_tokens: "3" } }]) {
      expect(said("openai", reply)).toMatchObject(nothing);
    }
  });
});

it("what the user says is a message of the role user", () => {
  expect(openaiConversation.userItem("Hi")).toEqual({ role: "user", content: "Hi" });
});
