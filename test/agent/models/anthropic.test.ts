import Anthropic, { APIUserAbortError, BadRequestError } from "@anthropic-ai/sdk";
import { describe, expect, it, vi } from "vitest";
import { createAgent } from "../../../src/agent/agent.ts";
import { anthropic, type AnthropicClient } from "../../../src/agent/models/anthropic.ts";
import { recordedTurn } from "../../dialects/recorded/recorded-turn.ts";
import { weatherTools } from "../weather-tools.ts";
import { type Canned, startCanned } from "./canned-turn.ts";
import { readStream, requestWith } from "./read-stream.ts";

const whole = recordedTurn("anthropic", "thinking-and-call");
const content = whole["content"] as Record<string, unknown>[];
const events = [
  { type: "message_start", message: { ...whole, content: [], stop_reason: null } },
  { type: "ping" },
  ...content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_reason: whole["stop_reason"] }, usage: {} },
  { type: "message_stop" },
];
const spoken = [
  { type: "message_start", message: { role: "assistant", type: "message", content: [] } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
];

async function start(canned: Canned, options?: Record<string, unknown>) {
  const server = await startCanned(canned);
  const client = new Anthropic({ apiKey: "key", baseURL: server.url, maxRetries: 0 });
  return { ...server, model: anthropic(client, "claude-x", options) };
}

const user = { role: "user", content: "Hi" };
const ours = { name: "weather", input_schema: { type: "object" } };
const theirs = { type: "web_search_20250305", name: "web_search" };
const asked = requestWith({
  messages: [user],
  system: "Be brief.",
  tools: [ours],
  toolChoice: { tool_choice: { type: "any" } },
});

describe("a model of Anthropic, through its own SDK", () => {
  it("gives the message as the API answered it", async () => {
    const { model, bodies, paths } = await start({ json: whole });
    expect(JSON.parse(JSON.stringify(await model.generate(asked)))).toEqual(whole);
    expect(paths).toEqual(["/v1/messages"]);
    expect(bodies).toEqual([
      {
        model: "claude-x",
        max_tokens: 8192,
        messages: [user],
        system: "Be brief.",
        tools: [ours],
        tool_choice: { type: "any" },
        stream: false,
      },
    ]);
  });

  it("streams to the same message", async () => {
    const { model, bodies } = await start({ events });
    expect((await readStream(model, asked)).reply).toEqual(whole);
    expect(bodies[0]).toMatchObject({ stream: true, model: "claude-x" });
  });

  it("tells the text as it is written", async () => {
    const { model } = await start({ events: [...spoken, { type: "message_stop" }] });
    expect((await readStream(model, asked)).text).toBe("Hello");
  });

  it("sends options, with the provider's own tools first; what the request says is stronger", async () => {
    const options = {
      tools: [theirs],
      tool_choice: { type: "auto" },
      max_tokens: 100,
      temperature: 0,
      model: "no",
      messages: [],
      stream: true,
      system: "no",
    };
    const { model, bodies } = await start({ json: whole }, options);
    await model.generate(asked);
    expect(bodies[0]).toEqual({
      model: "claude-x",
      max_tokens: 100,
      temperature: 0,
      messages: [user],
      system: "Be brief.",
      tools: [theirs, ours],
      tool_choice: { type: "any" },
      stream: false,
    });
  });

  it("sends neither tools nor a choice of them where there are none", async () => {
    const { model, bodies } = await start({ json: whole }, { tool_choice: { type: "auto" } });
    await model.generate(requestWith({ messages: [user] }));
    expect(bodies[0]).toEqual({ model: "claude-x", max_tokens: 8192, messages: [user], stream: false });
  });

  it.each([
    [{ type: "enabled", budget_tokens: 1024 }, true],
    [{ type: "adaptive" }, true],
    [{ type: "disabled" }, false],
    [undefined, false],
  ])("says whether it thinks: %j", async (thinking, expected) => {
    const { model, bodies } = await start({ json: whole }, { thinking });
    expect(model.thinking).toBe(expected);
    await model.generate(asked);
    expect(bodies[0]?.["thinking"]).toEqual(thinking);
  });

  it("rejects with the SDK's own error where the API refuses", async () => {
    const error = { type: "error", error: { type: "invalid_request_error", message: "max_tokens: too many" } };
    const { model } = await start({ status: 400, json: error });
    await expect(model.generate(asked)).rejects.toThrow(BadRequestError);
    await expect(readStream(model, asked)).rejects.toThrow("max_tokens: too many");
  });

  it("rejects with the SDK's own error where the API breaks off", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const { model } = await start({ events: [...spoken, error] });
    await expect(readStream(model, asked)).rejects.toThrow(/Overloaded/);
  });

  it("is a StreamError where the stream ends before the reply", async () => {
    const { model } = await start({ events: spoken });
    await expect(readStream(model, asked)).rejects.toMatchObject({ name: "StreamError" });
  });

  it("stops on the signal, whole or streamed", async () => {
    const before = new AbortController();
    const waiting = await start({ staysOpen: true });
    const whole = waiting.model.generate({ ...asked, signal: before.signal });
    await vi.waitFor(() => expect(waiting.bodies).toHaveLength(1));
    before.abort();
    await expect(whole).rejects.toThrow(APIUserAbortError);
    await waiting.left;

    const between = new AbortController();
    const reason = new Error("enough");
    const talking = await start({ events: spoken, staysOpen: true });
    const stream = talking.model.stream({ ...asked, signal: between.signal })[Symbol.asyncIterator]();
    await stream.next();
    between.abort(reason);
    await expect(stream.next()).rejects.toBe(reason);
    await talking.left;
  });

  it("closes the connection where its stream is not read to the end", async () => {
    const { model, left } = await start({ events: spoken, staysOpen: true });
    for await (const part of model.stream(asked)) {
      expect(part).toEqual({ type: "text", text: "Hello" });
      break;
    }
    await left;
  });

  it("is within what the SDK asks for without a stream, for any of its models", async () => {
    const { url } = await startCanned({ json: whole });
    const client = new Anthropic({ apiKey: "key", baseURL: url });
    await expect(anthropic(client, "claude-opus-4-1@20250805").generate(asked)).resolves.toMatchObject({
      id: whole["id"],
    });
  });

  it("takes every official client without a cast", () => {
    const client = new Anthropic({ apiKey: "key" });
    // What AnthropicVertex and AnthropicBedrock have.
    const messages: Omit<Anthropic.Messages, "batches" | "countTokens"> = client.messages;
    const clients: AnthropicClient[] = [client, client.beta, { messages }];
    for (const one of clients) expect(anthropic(one, "claude-x").dialect).toBe("anthropic");
  });
});

describe("the container of code that Anthropic runs", () => {
  const call = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } };
  const container = { id: "container_1", expires_at: "2030-01-01T00:00:00Z" };
  const messageOf = (content: object[], stop_reason: string, more: object = {}) => {
    const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-x", content, stop_reason };
    return { ...message, usage: { input_tokens: 1, output_tokens: 1 }, ...more };
  };
  const turns = [
    messageOf([{ type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: {} }], "pause_turn", {
      container,
    }),
    messageOf([call], "tool_use", { container: null }),
    messageOf([{ type: "text", text: "Sunny." }], "end_turn"),
  ];

  /** What each request named as its container. */
  async function containersOf(options: Record<string, unknown>, isStreamed: boolean): Promise<unknown[]> {
    const bodies: Record<string, unknown>[] = [];
    const create = async (body: object): Promise<unknown> => {
      const turn = turns[bodies.length]!;
      bodies.push(body as Record<string, unknown>);
      return isStreamed ? eventsOf(turn) : turn;
    };
    const agent = createAgent({
      model: anthropic({ messages: { create } }, "claude-x", options),
      tools: weatherTools().tools,
    });
    const { text } = isStreamed ? await agent.stream("Weather?").result : await agent.chat("Weather?");
    expect(text).toBe("Sunny.");
    agent.reset();
    await agent.chat("Again?").catch(() => undefined);
    return bodies.map((body) => body["container"]);
  }

  async function* eventsOf({ content: blocks, stop_reason, container: told, ...head }: Record<string, unknown>) {
    yield { type: "message_start", message: { ...head, content: [] } };
    for (const [index, content_block] of (blocks as object[]).entries()) {
      yield { type: "content_block_start", index, content_block };
      yield { type: "content_block_stop", index };
    }
    yield { type: "message_delta", delta: { stop_reason, container: told }, usage: {} };
    yield { type: "message_stop" };
  }

  it.each([false, true])(
    "goes back by its id until the conversation is forgotten (streamed: %s)",
    async (isStreamed) => {
      expect(await containersOf({}, isStreamed)).toEqual([undefined, "container_1", "container_1", undefined]);
    },
  );

  it("is the one that the options name, or gets the skills that these name", async () => {
    expect(await containersOf({ container: "mine" }, false)).toEqual(["mine", "mine", "mine", "mine"]);
    const skills = [{ type: "anthropic", skill_id: "pptx" }];
    expect((await containersOf({ container: { skills } }, false)).slice(0, 3)).toEqual([
      { skills },
      { id: "container_1", skills },
      { id: "container_1", skills },
    ]);
  });
});
