import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { isToolResult } from "../../src/agent/types.ts";
import { defineTool } from "../../src/tool/tool.ts";
import { dig, objectsIn } from "../providers/conversation.ts";
import { type RecordedDialect, recordedTurn } from "../dialects/recorded/recorded-turn.ts";
import { provide, refusals, ways } from "./sdk-models.ts";
import { weatherTools } from "./weather-tools.ts";

const both = [{ city: "Oslo" }, { city: "Lima" }];

describe.each(Object.entries(ways))("what a provider's turn asks of the loop, %s", (_, say) => {
  /** One chat, in which the stand-in gives these turns and refuses nothing. */
  async function chat(dialect: RecordedDialect, ...names: readonly string[]) {
    const turns = names.map((name) => recordedTurn(dialect, name));
    const { provider, model } = await provide(dialect, turns);
    const { tools, ran } = weatherTools();
    const agent = createAgent({ model, tools });
    const result = await say(agent, "Weather?");
    expect(refusals(provider)).toEqual([]);
    const { body } = provider.requests.at(-1)!;
    const [, ...items] = objectsIn(body["messages"] ?? body["input"] ?? body["contents"]);
    return { agent, result, ran, turns, items, requests: provider.requests };
  }

  it("MoonshotAI/kosong#45, can1357/oh-my-pi#11179: five calls have their results in one message, in the order of the calls", async () => {
    const { items } = await chat("anthropic", "five-calls", "text");
    expect(items.map(({ role }) => role)).toEqual(["assistant", "user"]);
    const ids = objectsIn(items[1]?.["content"]).map((block) => block["tool_use_id"]);
    expect(ids).toEqual(["toolu_m0", "toolu_m1", "toolu_m2", "toolu_m3", "toolu_m4"]);
  });

  it("cloudwego/eino-ext#571, docker/docker-agent#2959: two calls have their responses in one content", async () => {
    const { items } = await chat("gemini", "two-calls-one-signature", "text");
    expect(items.map(({ role }) => role)).toEqual(["model", "user"]);
    expect(objectsIn(items[1]?.["parts"]).map((part) => dig(part, "functionResponse", "id"))).toEqual([
      "call_a1",
      "call_b2",
    ]);
  });

  it.each(["two-calls-one-signature", "text-and-call", "thought-and-call", "signed-call"])(
    "vercel/ai#16298, langchain-ai/langchainjs#11271: signatures come back where they were, and none is made up: %s",
    async (name) => {
      const { items, turns } = await chat("gemini", name, "text");
      const signed = (parts: unknown) =>
        objectsIn(parts)
          .filter(({ text: said }) => said === undefined)
          .map(({ functionCall, thoughtSignature }) => [dig(functionCall, "id"), thoughtSignature]);
      expect(signed(items[0]?.["parts"])).toEqual(signed(dig(turns[0], "candidates", 0, "content", "parts")));
    },
  );

  it("BerriAI/litellm#16194: calls of several chunks have each an id of their own here, and none there", async () => {
    const { agent, ran, items } = await chat("gemini", "same-tool-twice-no-ids", "text");
    expect(ran).toEqual(both);
    expect(new Set(agent.messages.filter(isToolResult).map((message) => message.tool_call_id)).size).toBe(2);
    expect(objectsIn(items[1]?.["parts"]).map((part) => dig(part, "functionResponse", "id"))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("langchain-ai/langgraph#6574: a call that the model could not write is no answer: it is asked again, and told nothing", async () => {
    const { result, requests } = await chat("gemini", "malformed", "malformed", "text-and-call", "text");
    expect(result).toMatchObject({ text: "It is 4 degrees in Oslo.", finishReason: "stop", rounds: 2 });
    expect(requests[2]?.body["contents"]).toEqual(requests[0]?.body["contents"]);
  });

  it("googleapis/python-genai#1789: a turn that is empty and ended well is not asked for again", async () => {
    const { provider, model } = await provide("gemini", [
      { candidates: [{ content: { role: "model" }, finishReason: "STOP", index: 0 }], usageMetadata: {} },
    ]);
    expect(await say(createAgent({ model }), "Hello?")).toMatchObject({ text: "", finishReason: "stop" });
    expect(provider.requests).toHaveLength(1);
  });

  it("0xPlaygrounds/rig#751: all items come back before the outputs, reasoning first", async () => {
    const { items, turns } = await chat("openai-responses", "reasoning-and-two-calls", "text");
    expect(items.slice(0, 3)).toEqual(turns[0]?.["output"]);
    expect(items.slice(3).map(({ call_id }) => call_id)).toEqual(["call_a1", "call_b2"]);
  });

  it("nodetool-ai/nodetool#4252, earendil-works/pi#9057: calls without an item id are paired by call_id, and get none", async () => {
    const { items, ran } = await chat("openai-responses", "calls-without-item-id", "text");
    expect(ran).toEqual(both);
    expect(items.map(({ id, call_id }) => [id, call_id])).toEqual([
      [undefined, "call_f6"],
      [undefined, "call_g7"],
      [undefined, "call_f6"],
      [undefined, "call_g7"],
    ]);
  });

  it("vercel/ai: the namespace of a call comes back", async () => {
    const { items } = await chat("openai-responses", "namespaced-call", "text");
    expect(items[0]).toMatchObject({ namespace: "sky" });
  });

  it("anthropics/anthropic-sdk-python#1648, BasedHardware/omi#10633: a pause is resumed, a call beside it answered", async () => {
    const { result, items, ran } = await chat("anthropic", "pause", "pause-with-call", "text");
    expect(result).toMatchObject({ finishReason: "stop", rounds: 2 });
    expect(ran).toHaveLength(1);
    expect(items.map(({ role }) => role)).toEqual(["assistant", "assistant", "user"]);
    expect(objectsIn(items[2]?.["content"])).toMatchObject([{ type: "tool_result", tool_use_id: "toolu_h8" }]);
  });

  it.each<[string, RecordedDialect, string, object]>([
    [
      "tailcallhq/forgecode#2107",
      "anthropic",
      "thinking-and-call",
      {
        content: [
          { type: "thinking", thinking: "Hm", signature: "c2ln" },
          { type: "text", text: "" },
        ],
        stop_reason: "max_tokens",
      },
    ],
    [
      "earendil-works/pi#3634",
      "openai-responses",
      "truncated",
      { output: [{ id: "rs_9", type: "reasoning", summary: [], encrypted_content: "gAAAAAB" }] },
    ],
  ])("%s: a turn that was cut off while it thought does not go back", async (_reference, dialect, name, cut) => {
    const turns = [{ ...recordedTurn(dialect, name), ...cut }, recordedTurn(dialect, "text")];
    const { provider, model } = await provide(dialect, turns);
    const agent = createAgent({ model, tools: weatherTools().tools });
    expect(await say(agent, "Think.")).toMatchObject({ text: "", finishReason: "length" });
    expect((await say(agent, "Shorter.")).finishReason).toBe("stop");
    expect(refusals(provider)).toEqual([]);
  });

  it("NousResearch/hermes-agent#69512, home-assistant/core#175637: text that is blank does not go back", async () => {
    const blank = { type: "text", text: "\n" };
    const called = recordedTurn("anthropic", "text-and-call");
    const { provider, model } = await provide("anthropic", [
      { ...recordedTurn("anthropic", "text"), content: [blank] },
      { ...called, content: [blank, ...objectsIn(called["content"]).slice(1)] },
      recordedTurn("anthropic", "text"),
    ]);
    const agent = createAgent({ model, tools: weatherTools().tools });
    expect((await say(agent, "Hello?")).text).toBe("\n");
    expect((await say(agent, "Weather?")).rounds).toBe(2);
    expect(refusals(provider)).toEqual([]);
  });

  it("mastra-ai/mastra#14187: a turn that stopped for tools and calls none is the last", async () => {
    const { result, requests } = await chat("anthropic", "tool-use-without-calls");
    expect(result).toMatchObject({ text: "", rounds: 1, finishReason: "stop" });
    expect(requests).toHaveLength(1);
  });

  it("ollama/ollama#11417: two calls of a tool without ids have their results in the order of the calls", async () => {
    const { items } = await chat("ollama", "same-tool-twice-no-ids", "text");
    expect(items.slice(1)).toEqual([
      { role: "tool", tool_name: "weather", content: '{"city":"Oslo","degrees":4}' },
      { role: "tool", tool_name: "weather", content: '{"city":"Lima","degrees":4}' },
    ]);
  });

  it("langchain-ai/langchain#35544: a choice that thinking rules out becomes auto, with a warning", async () => {
    const turns = ["thinking-and-call", "text"].map((name) => recordedTurn("anthropic", name));
    const options = { max_tokens: 4096, thinking: { type: "enabled", budget_tokens: 1024 } };
    const { provider, model } = await provide("anthropic", turns, options);
    const { tools, ran } = weatherTools();
    const result = await say(createAgent({ model, tools, toolChoice: "required" }), "Weather?");
    expect(refusals(provider)).toEqual([]);
    expect(provider.requests[0]?.body["tool_choice"]).toEqual({ type: "auto" });
    expect(result.warnings).toHaveLength(1);
    expect(result.warnings[0]).toMatch(/think/i);
    expect(ran).toHaveLength(1);
  });

  it.each([
    ["vercel/ai#14369: results with a key $ref", { schema: { $ref: "#/$defs/A" } }],
    ["google/adk-js#347: results that are lists", [1, 2]],
    ["NousResearch/hermes-agent#55092: results that are empty", ""],
    ["results that are nothing", undefined],
  ])("%s are taken by all providers", async (_title, value) => {
    const weather = defineTool({
      name: "weather",
      description: "The weather.",
      parameters: { type: "object", properties: { city: { type: "string" } } },
      execute: () => value,
    });
    for (const dialect of ["openai", "openai-responses", "anthropic", "gemini", "ollama"] as const) {
      const turns = ["text-and-call", "text"].map((name) => recordedTurn(dialect, name));
      const { provider, model } = await provide(dialect, turns);
      expect((await say(createAgent({ model, tools: [weather] }), "Weather?")).rounds).toBe(2);
      expect(refusals(provider)).toEqual([]);
    }
  });
});
