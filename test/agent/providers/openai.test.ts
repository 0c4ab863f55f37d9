import { describe, expect, it } from "vitest";
import { openaiProvider } from "../../../src/agent/providers/openai.ts";
import { said } from "./said.ts";

const completionOf = (message: unknown, finish_reason: unknown = "stop", usage?: unknown) => ({
  choices: [{ index: 0, message, finish_reason }],
  usage,
});
const finishOf = (reason: unknown) => said("openai", completionOf({ content: "Hi" }, reason)).finish;

describe("what a chat completion says", () => {
  it("is its text, how it ended and what it took", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    expect(said("openai", completionOf({ role: "assistant", content: "Hi" }, "stop", usage))).toEqual({
      text: "Hi",
      finish: "stop",
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

  it("is neither its refusal nor its reasoning", () => {
    expect(said("openai", completionOf({ content: null, refusal: "No.", reasoning_content: "Hm." })).text).toBe("");
  });

  it("ended at the length limit, by a filter or in the provider's middle", () => {
    expect(["stop", "tool_calls", "function_call", null, undefined].map(finishOf)).toEqual(Array(5).fill("stop"));
    expect(["length", "content_filter", "error"].map(finishOf)).toEqual(["length", "error", "error"]);
  });

  it("is an error where there is no choice, or where the answer is an error", () => {
    expect(said("openai", { choices: [] }).finish).toBe("error");
    expect(said("openai", { error: { message: "Overloaded." } }).finish).toBe("error");
  });

  it("is taken from an assistant's message alone", () => {
    const message = { role: "assistant", content: "Hi" };
    expect(said("openai", message)).toMatchObject({ text: "Hi", finish: "stop" });
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
      expect(said("openai", reply)).toMatchObject({ text: "", usage: { inputTokens: 0, outputTokens: 0 } });
    }
  });
});

it("what the user says is a message of the role user", () => {
  expect(openaiProvider.userItem("Hi")).toEqual({ role: "user", content: "Hi" });
});
