import { describe, expect, it, onTestFinished } from "vitest";
import { type Agent, createAgent } from "../../src/agent/agent.ts";
import { isToolResult } from "../../src/agent/types.ts";
import { defineTool } from "../../src/core/tool.ts";
import { dig, objectsIn } from "../dialects/providers/conversation.ts";
import type { StandIn } from "../dialects/providers/start-provider.ts";
import { brokenOff, refusal } from "../dialects/providers/turns.ts";
import { freshTurn } from "../dialects/recorded/fresh-turn.ts";
import { type RecordedDialect, recordedTurn } from "../dialects/recorded/recorded-turn.ts";
import { startCannedServer } from "./models/canned-server.ts";
import { dialects, provide, refusals, type Say, sdkModels, ways } from "./sdk-models.ts";
import { weatherTools } from "./weather-tools.ts";

const saying = Object.entries(ways);
const each = dialects.flatMap((dialect) => saying.map(([way, say]) => ({ dialect, way, say })));

/** The recorded turns of each provider, by what they are needed for here. */
const recorded: Readonly<
  Record<RecordedDialect, { both: string; noArguments: string; signed: string; odd: string[] }>
> = {
  openai: { both: "two-calls", noArguments: "no-arguments", signed: "vendor-fields", odd: ["wrapped-parallel"] },
  "openai-responses": {
    both: "reasoning-and-two-calls",
    noArguments: "no-arguments",
    signed: "namespaced-call",
    odd: ["calls-without-item-id", "program-call", "wrapped-parallel"],
  },
  anthropic: {
    both: "two-calls",
    noArguments: "no-arguments",
    signed: "thinking-and-call",
    odd: ["hidden-thinking-and-call", "pause", "pause-with-call", "five-calls"],
  },
  gemini: {
    both: "two-calls-one-signature",
    noArguments: "no-arguments",
    signed: "thought-and-call",
    odd: ["same-tool-twice-no-ids", "malformed", "prefixed-name", "signed-call"],
  },
  ollama: {
    both: "two-calls",
    noArguments: "no-arguments",
    signed: "thinking-and-call",
    odd: ["same-tool-twice-no-ids", "arguments-as-text"],
  },
};

const answer = "It is 4 degrees in Oslo.";

/** Turns of one conversation, none with the ids or signatures of another. */
function turnsOf(dialect: RecordedDialect): (name: string) => Record<string, unknown> {
  let count = 0;
  return (name) => freshTurn(dialect, name, ++count);
}

function conversationsOf({ requests }: StandIn): unknown[] {
  return requests.map(({ body }) => body["messages"] ?? body["input"] ?? body["contents"]);
}

/** OpenAI streams no list of annotations where there are none, and the place of a call is of the stream. */
function comparable(dialect: RecordedDialect, value: unknown): unknown {
  const isOfOneWay = (key: string): boolean => dialect === "openai" && (key === "annotations" || key === "index");
  return JSON.parse(JSON.stringify(value, (key, field: unknown) => (isOfOneWay(key) ? undefined : field)));
}

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

it.each(saying)("ollama, %s: tells of a text that its limit cut off", async (_, say) => {
  const turn = turnsOf("ollama");
  const { provider, model } = await provide("ollama", [turn("truncated"), turn("text")]);
  const agent = createAgent({ model, tools: weatherTools().tools });
  expect(await say(agent, "Weather?")).toMatchObject({ finishReason: "length", rounds: 1 });
  expect(await say(agent, "Go on.")).toMatchObject({ text: answer });
  expect(refusals(provider)).toEqual([]);
});

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

describe.each(saying)("tools of the provider's own, %s", (_, say) => {
  it.each([
    ["openai-responses", { type: "web_search" }, "output"],
    ["anthropic", { type: "web_search_20250305", name: "web_search", max_uses: 2 }, "content"],
    ["gemini", { googleSearch: {} }, "candidates", { toolConfig: { includeServerSideToolInvocations: true } }],
  ] as [RecordedDialect, object, "output" | "content" | "candidates", object?][])(
    "%s: pass through untouched, and what it ran comes back whole",
    async (dialect, own, field, more = {}) => {
      const turn = turnsOf(dialect);
      const served = turn("server-tools");
      const { provider, model } = await provide(dialect, [served, turn("text")], { tools: [own], ...more });
      const { tools, ran } = weatherTools();
      const agent = createAgent({ model, tools });
      expect(await say(agent, "Weather?")).toMatchObject({ rounds: 1, finishReason: "stop", toolCalls: [] });
      await say(agent, "Thanks.");
      expect(refusals(provider)).toEqual([]);
      expect(ran).toEqual([]);
      expect(objectsIn(provider.requests[0]?.body["tools"])[0]).toEqual(own);
      const [, ...items] = conversationsOf(provider)[1] as unknown[];
      const whole: Readonly<Record<string, unknown>> = {
        output: served["output"],
        content: [{ role: "assistant", content: served["content"] }],
        candidates: [dig(served, "candidates", 0, "content")],
      };
      expect(items.slice(0, -1)).toEqual(whole[field]);
    },
  );
});
