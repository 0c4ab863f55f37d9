import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { isToolResult } from "../../src/agent/types.ts";
import { brokenOff, refusal } from "../providers/turns.ts";
import { answer, recorded, turnsOf } from "./chat-turns.ts";
import { dialects, provide, refusals, ways } from "./sdk-models.ts";
import { weatherTools } from "./weather-tools.ts";

const saying = Object.entries(ways);
const each = dialects.flatMap((dialect) => saying.map(([way, say]) => ({ dialect, way, say })));

describe.each(each)("$dialect, $way", ({ dialect, way, say }) => {
  const { both, noArguments } = recorded[dialect];

  it("calls, is told the result, and answers", async () => {
    const turn = turnsOf(dialect);
    const { provider, model } = await provide(dialect, [turn("text-and-call"), turn("text")]);
    const { tools, ran } = weatherTools();
    const result = await say(createAgent({ model, tools, system: "Be brief." }), "Weather?");
    expect(refusals(provider)).toEqual([]);
    expect(provider.requests.map(({ isStreamed }) => isStreamed)).toEqual([way === "streamed", way === "streamed"]);
    expect(result).toMatchObject({ text: answer, finishReason: "stop", rounds: 2 });
    expect(result.pieces.join("")).toBe(way === "streamed" ? `Let me look that up.${answer}` : answer);
    expect(result.toolCalls.map((call) => call.function)).toEqual([{ name: "weather", arguments: '{"city":"Oslo"}' }]);
    expect(result.usage.inputTokens).toBeGreaterThan(100);
    expect(result.usage.outputTokens).toBeGreaterThan(50);
    expect(ran).toEqual([{ city: "Oslo" }]);
  });

  it("runs calls side by side, and a failed one fails nothing else", async () => {
    const turn = turnsOf(dialect);
    const { provider, model } = await provide(dialect, [turn(both), turn(noArguments), turn("text")]);
    const { tools, ran } = weatherTools();
    const agent = createAgent({ model, tools });
    expect(await say(agent, "Weather?")).toMatchObject({ text: answer, rounds: 3 });
    expect(refusals(provider)).toEqual([]);
    expect(ran).toHaveLength(3);
    const results = agent.messages.filter(isToolResult).map(({ content }) => content);
    expect(results[0]).toBe('{"city":"Oslo","degrees":4}');
    expect(results.at(-1)).toContain("The clock stands still.");
  });

  it("rejects where the provider fails, and the next chat works", async () => {
    const turn = turnsOf(dialect);
    const { provider, model } = await provide(dialect, [
      turn("text"),
      refusal(500, { message: "We are busy." }),
      turn("text"),
      turn(both),
      refusal(503, { message: "We are busy." }),
      turn("text"),
      turn("text"),
    ]);
    const agent = createAgent({ model, tools: weatherTools().tools });
    await say(agent, "Hello?");
    await expect(say(agent, "Weather?")).rejects.toThrow("We are busy.");
    expect((await say(agent, "Weather?")).text).toBe(answer);
    await expect(say(agent, "And now?")).rejects.toThrow("We are busy.");
    expect((await say(agent)).text).toBe(answer);
    expect((await say(agent, "Thanks.")).text).toBe(answer);
    expect(refusals(provider)).toEqual([]);
    expect(agent.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
      "Hello?",
      "Weather?",
      "And now?",
      "Thanks.",
    ]);
  });

  it.each([
    ["breaks off", {}],
    ["tells of an error", { saying: "The server failed." }],
  ])("rejects where an answer %s in the middle, and the next chat works", async (_, options) => {
    const turn = turnsOf(dialect);
    const { provider, model } = await provide(dialect, [
      brokenOff(turn("text"), options),
      turn("text"),
      turn("text-and-call"),
      brokenOff(turn(both), options),
      turn(both),
      turn("text"),
    ]);
    const { tools, ran } = weatherTools();
    const agent = createAgent({ model, tools });
    await expect(say(agent, "Hello?")).rejects.toThrow();
    expect(agent.messages).toEqual([]);
    expect((await say(agent, "Hello?")).text).toBe(answer);
    await expect(say(agent, "Weather?")).rejects.toThrow();
    expect(ran).toHaveLength(1);
    expect((await say(agent)).text).toBe(answer);
    expect(refusals(provider)).toEqual([]);
  });

  it("ends its rounds with calls that nobody runs, and the next chat works", async () => {
    const turn = turnsOf(dialect);
    const { provider, model } = await provide(dialect, [turn(both), turn(both), turn("text")]);
    const { tools, ran } = weatherTools();
    const agent = createAgent({ model, tools, maxRounds: 2 });
    expect(await say(agent, "Weather?")).toMatchObject({ finishReason: "tool_calls", rounds: 2 });
    expect(ran).toHaveLength(2);
    expect((await say(agent, "Enough.")).text).toBe(answer);
    expect(refusals(provider)).toEqual([]);
  });

  // Ollama writes calls whole or not at all.
  it.skipIf(dialect === "ollama")("runs nothing of a turn that its limit cut off, and goes on", async () => {
    const turn = turnsOf(dialect);
    const { provider, model } = await provide(dialect, [turn("truncated"), turn("text"), turn("text")]);
    const { tools, ran } = weatherTools();
    const agent = createAgent({ model, tools });
    const result = await say(agent, "Weather?");
    expect(ran).toEqual([]);
    expect(result).toMatchObject({ text: answer, finishReason: "stop", rounds: 2 });
    expect(agent.messages.find(isToolResult)?.content).toContain("cut off");
    await say(agent, "Thanks.");
    expect(refusals(provider)).toEqual([]);
  });
});

it.each(saying)("ollama, %s: tells of a text that its limit cut off", async (_, say) => {
  const turn = turnsOf("ollama");
  const { provider, model } = await provide("ollama", [turn("truncated"), turn("text")]);
  const agent = createAgent({ model, tools: weatherTools().tools });
  expect(await say(agent, "Weather?")).toMatchObject({ finishReason: "length", rounds: 1 });
  expect(await say(agent, "Go on.")).toMatchObject({ text: answer });
  expect(refusals(provider)).toEqual([]);
});
