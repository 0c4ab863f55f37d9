import { describe, expect, it } from "vitest";
import { geminiConversation } from "../../../src/dialects/gemini/conversation.ts";
import { nothing, said } from "../conversation/said.ts";
import { recordedTurn } from "../recorded/recorded-turn.ts";

const { textOf, usageOf, userItem } = geminiConversation;

describe("what a response of Gemini says", () => {
  it("is the texts of the first candidate, and neither thoughts nor calls", () => {
    const parts = [
      { text: "hm", thought: true },
      { text: "Hel" },
      { functionCall: { name: "weather" } },
      { text: "lo", thoughtSignature: "s" },
    ];
    const candidates = [{ content: { parts } }, { content: { parts: [{ text: "no" }] } }];
    expect(textOf({ candidates })).toBe("Hello");
    expect(textOf(recordedTurn("gemini", "text"))).not.toBe("");
  });

  it("counts what tools read and what was thought, in either way of writing", () => {
    const usage = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 200,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 40,
    };
    expect(usageOf({ usageMetadata: usage })).toEqual({ inputTokens: 210, outputTokens: 43 });
    const proto = {
      prompt_token_count: 10,
      tool_use_prompt_token_count: 200,
      candidates_token_count: 3,
      thoughts_token_count: 40,
    };
    expect(usageOf({ usage_metadata: proto })).toEqual({ inputTokens: 210, outputTokens: 43 });
  });

  it.each([undefined, null, 1, "x", [], {}, { candidates: 1, usageMetadata: 1 }, { candidates: [] }])(
    "is nothing where the reply is odd: %j",
    (reply) => {
      expect(said("gemini", reply)).toMatchObject(nothing);
    },
  );

  it("passes over odd parts", () => {
    expect(textOf({ candidates: [{ content: { parts: [null, 1, {}, { text: 1 }, { text: "a" }] } }] })).toBe("a");
    expect(textOf({ candidates: [{ content: 1 }] })).toBe("");
  });

  it("has users speak in contents", () => {
    expect(userItem("Hi")).toEqual({ role: "user", parts: [{ text: "Hi" }] });
  });
});
