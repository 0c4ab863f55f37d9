import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { scriptedModel } from "./scripted-model.ts";

const anthropic = (content: unknown[], stop_reason: string) => ({
  type: "message",
  role: "assistant",
  content,
  stop_reason,
  usage: { input_tokens: 1, output_tokens: 1 },
});
const gemini = (finishReason: string, parts?: unknown[]) => ({
  candidates: [{ content: { role: "model", ...(parts !== undefined && { parts }) }, finishReason }],
});
const text = (value: string) => ({ type: "text", text: value });
const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };

describe("a turn that is paused", () => {
  it("is sent back as it came, and goes on", async () => {
    const paused = anthropic([text("Let me see. "), search], "pause_turn");
    const model = scriptedModel([paused, anthropic([text("It rains.")], "end_turn")], "anthropic");
    const result = await createAgent({ model }).chat("Weather?");
    expect(result).toMatchObject({ text: "Let me see. It rains.", rounds: 1, finishReason: "stop" });
    expect(model.requests[1]!.messages.slice(1)).toEqual([{ role: "assistant", content: paused.content }]);
  });

  it("is resumed five times and no more", async () => {
    const model = scriptedModel(
      Array.from({ length: 9 }, () => anthropic([search], "pause_turn")),
      "anthropic",
    );
    expect(await createAgent({ model }).chat("Weather?")).toMatchObject({ finishReason: "error" });
    expect(model.requests).toHaveLength(6);
  });
});

describe("a turn that the model could not write", () => {
  it("is asked for again, without a trace of it", async () => {
    const model = scriptedModel([gemini("MALFORMED_FUNCTION_CALL"), gemini("STOP", [{ text: "Fine." }])], "gemini");
    const agent = createAgent({ model });
    expect(await agent.chat("Go")).toMatchObject({ text: "Fine.", rounds: 1, finishReason: "stop" });
    expect(model.requests[1]!.messages).toEqual(model.requests[0]!.messages);
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("is asked for three times, and is an error then", async () => {
    const model = scriptedModel(
      Array.from({ length: 9 }, () => gemini("MALFORMED_FUNCTION_CALL")),
      "gemini",
    );
    const agent = createAgent({ model });
    const result = await agent.chat("Go");
    expect(result).toMatchObject({ text: "", finishReason: "error" });
    expect(result.warnings.join()).toContain("MALFORMED_FUNCTION_CALL");
    expect(model.requests).toHaveLength(3);
    expect(agent.messages).toEqual([]);
  });
});

describe("a turn without content", () => {
  it("ends the chat, whatever it says to have ended for, and does not go back", async () => {
    const model = scriptedModel([anthropic([], "tool_use"), anthropic([text("Hello.")], "end_turn")], "anthropic");
    const agent = createAgent({ model });
    expect(await agent.chat("Hi")).toMatchObject({ text: "", finishReason: "stop" });
    await agent.chat("Hi?");
    expect(model.requests[1]!.messages.map((message) => (message as { role: string }).role)).toEqual(["user", "user"]);
  });

  it("is an error where the prompt was blocked, and the text is taken back", async () => {
    const model = scriptedModel(
      [{ promptFeedback: { blockReason: "SAFETY" } }, gemini("STOP", [{ text: "Hi." }])],
      "gemini",
    );
    const agent = createAgent({ model });
    expect(await agent.chat("Bad")).toMatchObject({ finishReason: "error" });
    await agent.chat("Good");
    expect(model.requests[1]!.messages).toEqual([{ role: "user", parts: [{ text: "Good" }] }]);
  });
});
