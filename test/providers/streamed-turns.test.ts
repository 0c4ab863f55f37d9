import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { type RecordedDialect, recordedNames, recordedTurn } from "../dialects/recorded/recorded-turn.ts";
import { isObject } from "./rules/breach.ts";
import { dig, objectsIn } from "./conversation.ts";
import { type Chunks, clients, question } from "./sdk-clients.ts";
import { startProvider } from "./start-provider.ts";
import { brokenOff, refusal, stalled } from "./turns.ts";

const json = (value: unknown) => JSON.stringify(value);
const dialects = Object.keys(clients) as RecordedDialect[];
const recorded = dialects.flatMap((dialect) => recordedNames(dialect).map((name) => [dialect, name] as const));

async function provide(dialect: RecordedDialect, ...turns: unknown[]) {
  const provider = await startProvider({ dialect, turns });
  onTestFinished(() => provider.stop());
  return provider;
}

describe("a streamed turn holds what the whole one does, as the official client reads both", () => {
  it.each(recorded)("%s, %s", async (dialect, name) => {
    const turn = recordedTurn(dialect, name);
    const provider = await provide(dialect, turn, turn);
    const { ask, gather, whole } = clients[dialect];
    const streamed = await gather((await ask(provider.url, true)) as Chunks);
    expect(streamed).toEqual(whole(await ask(provider.url, false)));
    expect(streamed).toEqual(whole(turn));
    expect(provider.requests.map(({ isStreamed, breaches }) => [isStreamed, breaches])).toEqual([
      [true, []],
      [false, []],
    ]);
  });
});

/** The events of a turn, each as its data. */
async function eventsOf(dialect: RecordedDialect, name: string, request: object = {}, path = paths[dialect]) {
  const provider = await provide(dialect, recordedTurn(dialect, name));
  const { contents, ...chat } = {
    model: "m",
    messages: [question],
    input: [question],
    contents: geminiQuestion,
    max_tokens: 9,
  };
  const body = dialect === "gemini" ? { contents } : { ...chat, stream: true };
  const answer = await fetch(provider.url + path, { method: "POST", headers, body: json({ ...body, ...request }) });
  const text = await answer.text();
  const data = text.split(/\r?\n/).map((line) => line.replace(/^data: /, ""));
  const events = data.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as unknown);
  return { type: answer.headers.get("content-type"), status: answer.status, text, events };
}

const geminiQuestion = [{ role: "user", parts: [{ text: "Weather?" }] }];
const paths: Readonly<Record<RecordedDialect, string>> = {
  openai: "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  anthropic: "/v1/messages",
  gemini: "/v1beta/models/m:streamGenerateContent?alt=sse",
  ollama: "/api/chat",
};
const headers = {
  "content-type": "application/json",
  authorization: "Bearer k",
  "x-api-key": "k",
  "x-goog-api-key": "k",
  "anthropic-version": "2023-06-01",
};

describe("a stream is the provider's own", () => {
  it("openai: calls side by side, [DONE] last, and counts only where they are asked for", async () => {
    const plain = await eventsOf("openai", "two-calls");
    expect(plain.type).toBe("text/event-stream; charset=utf-8");
    expect(plain.text.endsWith("\n\ndata: [DONE]\n\n")).toBe(true);
    const indexes = plain.events.flatMap((event) =>
      objectsIn(dig(event, "choices", 0, "delta", "tool_calls")).map(({ index }) => index),
    );
    expect(indexes.slice(0, 4)).toEqual([0, 1, 0, 1]);
    expect(plain.events.some((event) => isObject(event) && "usage" in event)).toBe(false);
    const counted = await eventsOf("openai", "two-calls", { stream_options: { include_usage: true } });
    expect(counted.events.slice(0, -1).every((event) => dig(event, "usage") === null)).toBe(true);
    expect(counted.events.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 84 } });
    const refused = await eventsOf("openai", "text", { stream: false, stream_options: { include_usage: true } });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("only allowed when 'stream' is")]);
  });

  it("openai-responses: what is encrypted is whole in the item that is done, and the last event holds the response", async () => {
    const { type, events } = await eventsOf("openai-responses", "reasoning-and-two-calls");
    expect(type).toBe("text/event-stream; charset=utf-8");
    expect(events.map((event) => dig(event, "sequence_number"))).toEqual(events.map((_, place) => place));
    const turn = recordedTurn("openai-responses", "reasoning-and-two-calls");
    const items = (kind: string) =>
      events
        .filter((event) => dig(event, "type") === `response.output_item.${kind}`)
        .map((event) => dig(event, "item"));
    expect(items("done")).toEqual(turn["output"]);
    expect(dig(items("added")[0], "encrypted_content")).not.toBe(dig(items("done")[0], "encrypted_content"));
    expect(events[0]).toMatchObject({ type: "response.created", response: { status: "in_progress", output: [] } });
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: turn });
    const cut = await eventsOf("openai-responses", "truncated");
    expect(dig(cut.events.at(-1), "type")).toBe("response.incomplete");
  });

  it("anthropic: block by block, signatures last, and why it stopped", async () => {
    const { type, events, text } = await eventsOf("anthropic", "thinking-and-call");
    expect(type).toBe("text/event-stream; charset=utf-8");
    expect(text.startsWith("event: message_start\ndata: ")).toBe(true);
    const kinds = events.map((event) => dig(event, "delta", "type") ?? dig(event, "type"));
    expect(kinds.filter((kind, place) => kind !== kinds[place - 1])).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "thinking_delta",
      "signature_delta",
      "content_block_stop",
      "content_block_start",
      "input_json_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" }, usage: { output_tokens: 57 } });
  });

  it("gemini: whole calls over several chunks, each signature in its part, the end in the last", async () => {
    const { type, events } = await eventsOf("gemini", "two-calls-one-signature");
    expect(type).toBe("text/event-stream");
    const [first, second] = events.map((event) => dig(event, "candidates", 0, "content", "parts", 0));
    expect(events).toHaveLength(2);
    expect(dig(first, "thoughtSignature")).toBeTypeOf("string");
    expect(dig(second, "thoughtSignature")).toBeUndefined();
    expect(events.map((event) => dig(event, "candidates", 0, "finishReason"))).toEqual([undefined, "STOP"]);
    const array = await eventsOf("gemini", "text", {}, "/v1beta/models/m:streamGenerateContent");
    expect([array.status, array.text]).toEqual([400, expect.stringContaining("alt=sse")]);
  });

  it("ollama: lines, also where nobody asks for them; whole calls, one a line, and the counts last", async () => {
    const { type, events } = await eventsOf("ollama", "two-calls", { stream: undefined });
    expect(type).toBe("application/x-ndjson");
    expect(events.map((event) => objectsIn(dig(event, "message", "tool_calls")).length)).toEqual([1, 1, 0]);
    expect(events.map((event) => dig(event, "done"))).toEqual([false, false, true]);
    expect(events.at(-1)).toMatchObject({ done_reason: "stop", eval_count: 31 });
  });
});

const read = async (dialect: RecordedDialect, url: string, stream: boolean): Promise<unknown> => {
  const { ask, gather } = clients[dialect];
  const answer = await ask(url, stream);
  return stream ? gather(answer as Chunks) : answer;
};

describe.each(dialects)("what goes wrong at %s", (dialect) => {
  const turn = recordedTurn(dialect, "text");

  it("is refused in its own shape, and the next request has the next turn", async () => {
    const provider = await provide(dialect, refusal(503, { message: "Busy." }), refusal(429), turn);
    await expect(read(dialect, provider.url, true)).rejects.toThrow("Busy.");
    await expect(read(dialect, provider.url, false)).rejects.toThrow("Try again later.");
    expect(await read(dialect, provider.url, true)).toMatchObject({ text: "It is 4 degrees in Oslo." });
  });

  it("breaks off in the middle, whole or streamed", async () => {
    const provider = await provide(dialect, brokenOff(turn), brokenOff(turn), brokenOff(turn, { after: 1 }));
    await expect(read(dialect, provider.url, false)).rejects.toThrow(/./);
    await expect(read(dialect, provider.url, true)).rejects.toThrow(/./);
    const events = (await clients[dialect].ask(provider.url, true)) as Chunks;
    const seen: unknown[] = [];
    await expect(
      (async () => {
        for await (const event of events) seen.push(event);
      })(),
    ).rejects.toThrow(/./);
    expect(seen).toHaveLength(1);
  });

  it("stalls in the middle of a stream, until the client leaves", async () => {
    const provider = await provide(dialect, stalled(turn, { after: 1 }));
    const controller = new AbortController();
    const events = ((await clients[dialect].ask(provider.url, true, controller.signal)) as Chunks)[
      Symbol.asyncIterator
    ]();
    expect((await events.next()).done).toBe(false);
    const next = events.next().catch(() => "left");
    controller.abort();
    await provider.requests[0]?.left;
    await next;
  });

  it("says in the middle of a stream what went wrong", async () => {
    const provider = await provide(dialect, brokenOff(turn, { saying: "Out of memory." }));
    const events = (await clients[dialect].ask(provider.url, true)) as Chunks;
    const seen: unknown[] = [];
    try {
      for await (const event of events) seen.push(event);
    } catch (error) {
      seen.push(String(error));
    }
    expect(json(seen)).toContain("Out of memory.");
    expect(seen.length).toBeGreaterThan(1);
  });
});

describe("a refusal is tried again by an SDK that does so", () => {
  const again = refusal(429, { headers: { "retry-after-ms": "1" } });
  const options = { apiKey: "k", maxRetries: 1 };

  it.each([
    [
      "openai",
      (url: string) =>
        new OpenAI({ ...options, baseURL: `${url}/v1` }).chat.completions.create({ model: "m", messages: [question] }),
    ],
    [
      "anthropic",
      (url: string) =>
        new Anthropic({ ...options, baseURL: url }).messages.create({
          model: "m",
          max_tokens: 9,
          messages: [question],
        }),
    ],
  ] as const)("%s", async (dialect, ask) => {
    const turn = recordedTurn(dialect, "text");
    const provider = await provide(dialect, again, turn);
    expect(clients[dialect].whole(await ask(provider.url))).toEqual(clients[dialect].whole(turn));
    expect(provider.requests).toHaveLength(2);
  });
});
