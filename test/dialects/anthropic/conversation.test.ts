import { describe, expect, it } from "vitest";
import { anthropicConversation } from "../../../src/dialects/anthropic/conversation.ts";
import { nothing, said } from "../conversation/said.ts";
import { recordedTurn } from "../recorded/recorded-turn.ts";

const { textOf, usageOf, userItem } = anthropicConversation;

describe("what a message of Anthropic says", () => {
  it("is its texts, and neither thoughts nor calls nor what the server ran", () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "text", text: "Hel" },
      { type: "server_tool_use", id: "1", name: "web_search", input: {} },
      { type: "text", text: "lo" },
      { type: "tool_use", id: "2", name: "weather", input: {} },
    ];
    expect(textOf({ role: "assistant", content })).toBe("Hello");
    expect(textOf({ role: "assistant", content: "Hello" })).toBe("Hello");
    expect(textOf(recordedTurn("anthropic", "text"))).not.toBe("");
  });

  it("counts as read what a cache gave and took", () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 3000,
      output_tokens: 5,
    };
    expect(usageOf({ usage })).toEqual({ inputTokens: 3210, outputTokens: 5 });
    expect(usageOf({ usage: { input_tokens: 10, cache_read_input_tokens: null } })).toEqual({
      inputTokens: 10,
      outputTokens: 0,
    });
  });

  it.each([undefined, null, 1, "x", [], {}, { content: 1, usage: "x" }, { content: [null, { type: "text" }] }])(
    "is nothing where the reply is odd: %j",
    (reply) => {
      expect(said("anthropic", reply)).toMatchObject(nothing);
    },
  );

  it("has users speak in messages", () => {
    expect(userItem("Hi")).toEqual({ role: "user", content: "Hi" });
  });
});
