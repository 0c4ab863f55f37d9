import { describe, expect, it } from "vitest";
import { geminiProvider } from "../../../src/agent/providers/gemini.ts";
import { said } from "./said.ts";
import { recordedTurn } from "../../dialects/recorded/recorded-turn.ts";

const { read, userItem } = geminiProvider;

describe("what a response of Gemini says", () => {
  it("is the texts of the first candidate, and neither thoughts nor calls", () => {
    const parts = [
      { text: "hm", thought: true },
      { text: "Hel" },
      { functionCall: { name: "weather" } },
      { text: "lo", thoughtSignature: "s" },
    ];
    const candidates = [{ content: { parts } }, { content: { parts: [{ text: "no" }] } }];
    expect(read({ candidates }).text).toBe("Hello");
    expect(read(recordedTurn("gemini", "text")).text).not.toBe("");
  });

  it.each([
    ["STOP", "stop"],
    [undefined, "stop"],
    [null, "stop"],
    ["FINISH_REASON_UNSPECIFIED", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "error"],
    ["MALFORMED_FUNCTION_CALL", "error"],
  ])("ends with %s as %s, in either way of writing", (reason, finish) => {
    expect(read({ candidates: [{ finishReason: reason }] }).finish).toBe(finish);
    expect(read({ candidates: [{ finish_reason: reason }] }).finish).toBe(finish);
  });

  it("is an error where the prompt was blocked", () => {
    expect(read(recordedTurn("gemini", "blocked")).finish).toBe("error");
  });

  it("counts what tools read and what was thought, in either way of writing", () => {
    const usage = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 200,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 40,
    };
    expect(read({ usageMetadata: usage }).usage).toEqual({ inputTokens: 210, outputTokens: 43 });
    const proto = {
      prompt_token_count: 10,
      tool_use_prompt_token_count: 200,
      candidates_token_count: 3,
      thoughts_token_count: 40,
    };
    expect(read({ usage_metadata: proto }).usage).toEqual({ inputTokens: 210, outputTokens: 43 });
  });

  it.each([undefined, null, 1, "x", [], {}, { candidates: 1, usageMetadata: 1 }, { candidates: [] }])(
    "is nothing where the reply is odd: %j",
    (reply) => {
      expect(read(reply)).toEqual({ text: "", finish: "error", usage: { inputTokens: 0, outputTokens: 0 } });
    },
  );

  it("passes over odd parts", () => {
    expect(read({ candidates: [{ content: { parts: [null, 1, {}, { text: 1 }, { text: "a" }] } }] }).text).toBe("a");
    expect(read({ candidates: [{ content: 1 }] }).text).toBe("");
  });

  it("has users speak in contents", () => {
    expect(userItem("Hi")).toEqual({ role: "user", parts: [{ text: "Hi" }] });
  });
});
