import { describe, expect, it } from "vitest";
import { openaiResponsesProvider } from "../../../src/agent/providers/openai-responses.ts";
import { said } from "./said.ts";

const messageOf = (...texts: string[]) => ({
  type: "message",
  role: "assistant",
  content: texts.map((text) => ({ type: "output_text", text, annotations: [] })),
});
const finishOf = (fields: object) => said("openai-responses", { output: [], ...fields }).finish;

describe("what a response says", () => {
  it("is the text of its messages, how it ended and what it took", () => {
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
    expect(said("openai-responses", { status: "completed", error: null, output, usage })).toEqual({
      text: "Hello!",
      finish: "stop",
      usage: { inputTokens: 3, outputTokens: 2 },
    });
  });

  it("is not its refusal", () => {
    const output = [{ type: "message", content: [{ type: "refusal", refusal: "No." }] }];
    expect(said("openai-responses", { output }).text).toBe("");
  });

  it("ended at the length limit alone where it is incomplete for that reason", () => {
    expect(finishOf({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } })).toBe("length");
    expect(finishOf({ status: "incomplete", incomplete_details: { reason: "content_filter" } })).toBe("error");
    expect(finishOf({ status: "incomplete", incomplete_details: null })).toBe("error");
  });

  it("is an error where it failed or was cancelled", () => {
    expect(["failed", "cancelled"].map((status) => finishOf({ status }))).toEqual(["error", "error"]);
    expect(finishOf({ error: { message: "Overloaded." } })).toBe("error");
    expect(finishOf({})).toBe("stop");
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
      expect(said("openai-responses", reply)).toEqual({
        text: "",
        finish: "stop",
        usage: { inputTokens: 0, outputTokens: 0 },
      });
    }
  });
});

it("what the user says is a message of the role user", () => {
  expect(openaiResponsesProvider.userItem("Hi")).toEqual({ role: "user", content: "Hi" });
});
