import { describe, expect, it } from "vitest";
import { type Agent, createAgent } from "../../src/agent/agent.ts";
import { brokenOff, refusal } from "../providers/turns.ts";
import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import { conversationsOf, recorded, turnsOf } from "./chat-turns.ts";
import { dialects, provide, refusals, type Say, ways } from "./sdk-models.ts";
import { weatherTools } from "./weather-tools.ts";

/** OpenAI streams no list of annotations where there are none, and the place of a call is of the stream. */
function comparable(dialect: RecordedDialect, value: unknown): unknown {
  const isOfOneWay = (key: string): boolean => dialect === "openai" && (key === "annotations" || key === "index");
  return JSON.parse(JSON.stringify(value, (key, field: unknown) => (isOfOneWay(key) ? undefined : field)));
}

describe.each(dialects)("a long conversation with %s", (dialect) => {
  const { both, noArguments, signed, odd } = recorded[dialect];

  /** Fourteen chats and more: all that a conversation may hold. */
  async function talk(say: Say) {
    const turn = turnsOf(dialect);
    const { provider, model } = await provide(dialect, [
      ...["text", "text-and-call", "text", "text", both, "text", signed, "text"].map(turn),
      refusal(500),
      ...["text", "text-and-call", "text", both, both, "text"].map(turn),
      ...odd.map(turn),
      ...["text", "text", noArguments, "text", "truncated"].map(turn),
      // Behind a call that was cut off the model speaks again.
      ...(dialect === "ollama" ? [] : [turn("text")]),
      brokenOff(turn("text")),
      ...["text", both, signed, "text-and-call", "text", "text"].map(turn),
    ]);
    const { tools, ran } = weatherTools();
    const agent = createAgent({ model, tools, system: "Be brief.", maxRounds: 8 });
    await say(agent, "Hello?");
    await say(agent, "Weather?");
    await say(agent, "Fine.");
    await say(agent, "Both?", { toolChoice: "required" });
    await say(agent, "Think.", { toolChoice: { tool: "weather" } });
    await expect(say(agent, "Busy?")).rejects.toThrow();
    await say(agent, "Busy?", { toolChoice: "none" });
    await say(agent, "Weather again?");
    await byHand(agent);
    await say(agent, "Odd ones?");
    await say(agent, "Well.");
    await say(agent, "What time is it?");
    await say(agent, "A long one.");
    await expect(say(agent, "There?")).rejects.toThrow();
    await say(agent, "There?");
    await say(agent, "All of it?");
    await say(agent, "Thanks.");
    return { provider, ran, messages: agent.messages };
  }

  /** Some calls are run by hand, one of them changed, and some by nobody. */
  async function byHand(agent: Agent): Promise<void> {
    const first = await agent.chatWithTools("By hand?");
    expect(first.toolCalls).toHaveLength(2);
    await agent.executeToolCall(first.toolCalls[1]!);
    const second = await agent.chatWithTools();
    const call = second.toolCalls[0]!;
    await agent.executeToolCall({ ...call, function: { name: "weather", arguments: '{"city":"Bern"}' } });
    await agent.chat("Leave the other.");
  }

  it("has nothing that the provider refuses", async () => {
    const { provider, ran } = await talk(ways.plain);
    expect(refusals(provider)).toEqual([]);
    expect(ran.length).toBeGreaterThan(10);
  });

  it("is the same where it is streamed", async () => {
    const [plain, streamed] = [await talk(ways.plain), await talk(ways.streamed)];
    expect(refusals(streamed.provider)).toEqual([]);
    const sent = [streamed, plain].map(({ provider }) => comparable(dialect, conversationsOf(provider)));
    expect(sent[0]).toEqual(sent[1]);
    expect(comparable(dialect, streamed.messages)).toEqual(comparable(dialect, plain.messages));
    expect(streamed.ran).toEqual(plain.ran);
  });
});
