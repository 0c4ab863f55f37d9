import { describe, expect, it } from "vitest";
import { openaiResponsesConversation } from "../../../src/dialects/openai-responses/conversation.ts";
import { nothing, said } from "../conversation/said.ts";

const messageOf = (...texts: string[]) => ({
  type: "message",
  role: "assistant",
  content: texts.map((text) => ({ type: "output_text", text, annotations: [] })),
});

describe("what a response says", () => {
  it("is the text of its messages, and what it took", () => {
    const output = [
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Hm." }],
        content: [{ type: "reasoning_text", text: "So." }],
      },
      messageOf("Hel", "lo"),
      { type: "function_call", call_id: "call_a", name: "f", arguments: "{}" },
      messageOf("!"),
    ];
    const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
    expect(said("openai-responses", { status: "completed", error: null, output, usage })).toMatchObject({
      text: "Hello!",
      usage: { inputTokens: 3, outputTokens: 2 },
    });
  });

  it("is its refusal, where there is one", () => {
    const output = [{ type: "message", content: [{ type: "refusal", refusal: "No." }] }];
    expect(said("openai-responses", { output }).text).toBe("No.");
  });

  it("is taken from an output alone, or from one item", () => {
    expect(said("openai-responses", [messageOf("Hi")]).text).toBe("Hi");
    expect(said("openai-responses", messageOf("Hi")).text).toBe("Hi");
  });

  it("is nothing where things are missing or odd", () => {
    const odd = [
      undefined,
      null,
      "x",
      [],
      {},
      { output: null },
      { output: [null, 1, { type: "message", content: "x" }] },
    ];
    for (const reply of [
      ...odd,
      { output: [{ type: "message", content: [null, { type: "output_text" }] }], usage: 1 },
    ]) {
      expect(said("openai-responses", reply)).toMatchObject(nothing);
    }
  });
});

it("what the user says is a message of the role user", () => {
  expect(openaiResponsesConversation.userItem("Hi")).toEqual({ role: "user", content: "Hi" });
});
