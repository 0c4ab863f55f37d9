import { describe, expect, it } from "vitest";
import { anthropicProvider } from "../../../src/agent/providers/anthropic.ts";
import { said } from "./said.ts";
import { recordedTurn } from "../../dialects/recorded/recorded-turn.ts";

const { read, userItem } = anthropicProvider;

describe("what a message of Anthropic says", () => {
  it("is its texts, and neither thoughts nor calls nor what the server ran", () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "text", text: "Hel" },
      { type: "server_tool_use", id: "1", name: "web_search", input: {} },
      { type: "text", text: "lo" },
      { type: "tool_use", id: "2", name: "weather", input: {} },
    ];
    expect(read({ role: "assistant", content }).text).toBe("Hello");
    expect(read({ role: "assistant", content: "Hello" }).text).toBe("Hello");
    expect(read(recordedTurn("anthropic", "text")).text).not.toBe("");
  });

  it.each([
    ["end_turn", "stop"],
    ["tool_use", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    [null, "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "error"],
  ])("ends with %s as %s", (reason, finish) => {
    expect(read({ content: [], stop_reason: reason }).finish).toBe(finish);
  });

  it("counts as read what a cache gave and took", () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 3000,
      output_tokens: 5,
    };
    expect(read({ usage }).usage).toEqual({ inputTokens: 3210, outputTokens: 5 });
    expect(read({ usage: { input_tokens: 10, cache_read_input_tokens: null } }).usage).toEqual({
      inputTokens: 10,
      outputTokens: 0,
    });
  });

  it.each([undefined, null, 1, "x", [], {}, { content: 1, usage: "x" }, { content: [null, { type: "text" }] }])(
    "is nothing where the reply is odd: %j",
    (reply) => {
      expect(read(reply)).toEqual({ text: "", finish: "stop", usage: { inputTokens: 0, outputTokens: 0 } });
    },
  );

  it("has users speak in messages", () => {
    expect(userItem("Hi")).toEqual({ role: "user", content: "Hi" });
  });
});
