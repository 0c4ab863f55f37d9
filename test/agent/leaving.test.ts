import { describe, expect, it, onTestFinished } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { defineTool } from "../../src/tool/tool.ts";
import { recordedTurn } from "../dialects/recorded/recorded-turn.ts";
import { answer, recorded, turnsOf } from "./chat-turns.ts";
import { startCannedServer } from "./models/canned-server.ts";
import { dialects, provide, refusals, sdkModels, ways } from "./sdk-models.ts";
import { weatherTools } from "./weather-tools.ts";

const each = dialects.flatMap((dialect) => Object.entries(ways).map(([way, say]) => ({ dialect, way, say })));

describe.each(each)("a chat with $dialect, $way", ({ dialect, say }) => {
  const { both } = recorded[dialect];

  it("ends on its signal while tools run, and the next chat works", async () => {
    const turn = turnsOf(dialect);
    const { provider, model } = await provide(dialect, [turn(both), turn("text")]);
    const leave = new AbortController();
    const endless = defineTool({
      name: "weather",
      description: "Never comes.",
      parameters: { type: "object", properties: {} },
      async execute() {
        leave.abort(new Error("enough"));
        return new Promise(() => undefined);
      },
    });
    const agent = createAgent({ model, tools: [endless] });
    await expect(say(agent, "Weather?", { signal: leave.signal })).rejects.toThrow("enough");
    expect((await say(agent, "Hello?")).text).toBe(answer);
    expect(refusals(provider)).toEqual([]);
  });

  it("ends on its signal while the provider is silent, with the signal's own reason", async () => {
    const server = await startCannedServer(() => undefined);
    onTestFinished(() => server.stop());
    const agent = createAgent({ model: sdkModels[dialect](server.url) });
    const reason = new Error("enough");
    const leave = new AbortController();
    setTimeout(() => leave.abort(reason), 30);
    await expect(say(agent, "Hello?", { signal: leave.signal })).rejects.toBe(reason);
    expect(agent.messages).toEqual([]);
  });
});

it.each(dialects)("%s: whoever leaves a stream ends the chat, and the next one works", async (dialect) => {
  const turn = turnsOf(dialect);
  const { provider, model } = await provide(dialect, [turn("text"), turn("text-and-call"), turn("text"), turn("text")]);
  const { tools, ran } = weatherTools();
  const agent = createAgent({ model, tools });
  const stream = agent.stream("Hello?");
  for await (const piece of stream) {
    expect(answer.startsWith(piece)).toBe(true);
    break;
  }
  await expect(stream.result).rejects.toThrow();
  expect(agent.messages).toEqual([]);
  const again = agent.stream("Weather?");
  for await (const _ of again) break;
  await again.result.catch(() => undefined);
  expect(ran).toEqual([]);
  expect((await ways.streamed(agent, "Weather, please?")).text).toBe(answer);
  expect((await ways.plain(agent, "Thanks.")).text).toBe(answer);
  expect(refusals(provider)).toEqual([]);
});

it.each(dialects)("%s: a signal ends a stream with its own reason, wherever it comes", async (dialect) => {
  for (const after of [0, 1, 3]) {
    const { provider, model } = await provide(dialect, [recordedTurn(dialect, "text"), recordedTurn(dialect, "text")]);
    const agent = createAgent({ model });
    const leave = new AbortController();
    const reason = new Error("enough");
    const stream = agent.stream("Hello?", { signal: leave.signal });
    if (after === 0) leave.abort(reason);
    let count = 0;
    const read = async (): Promise<void> => {
      for await (const _ of stream) if (++count === after) leave.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
    await expect(stream.result).rejects.toBe(reason);
    expect(agent.messages).toEqual([]);
    expect((await agent.chat("Hello?")).text).toBe(answer);
    expect(refusals(provider)).toEqual([]);
  }
});
