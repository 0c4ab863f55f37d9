import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import { dig, objectsIn } from "./conversation.ts";

/** What a reader makes of a turn: each call as its id, its name and the JSON of its arguments. */
export interface Gathered {
  text: string;
  readonly calls: unknown[][];
}

export type Chunks = AsyncIterable<unknown>;

/** An official client, and what its raw events and its whole answers hold. */
export interface Client {
  /** @param signal a stream stops at it */
  ask(url: string, stream: boolean, signal?: AbortSignal): Promise<unknown>;
  gather(chunks: Chunks): Promise<Gathered>;
  whole(turn: unknown): Gathered;
}

export const question = { role: "user" as const, content: "Weather?" };
const json = (value: unknown) => JSON.stringify(value);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const clients: Readonly<Record<RecordedDialect, Client>> = {
  openai: {
    ask: (url, stream, signal) =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0 }).chat.completions.create(
        {
          model: "m",
          messages: [question],
          stream,
        },
        { signal },
      ),
    async gather(chunks) {
      const calls: string[][] = [];
      let text = "";
      for await (const chunk of chunks) {
        const delta = dig(chunk, "choices", 0, "delta");
        text += textOf(dig(delta, "content"));
        for (const call of objectsIn(dig(delta, "tool_calls"))) {
          const { id, name, input } = openaiCall(call);
          const gathered = (calls[Number(call["index"])] ??= ["", "", ""]);
          [id, name, input].forEach((piece, place) => (gathered[place] += piece));
        }
      }
      return { text, calls };
    },
    whole(turn) {
      const message = dig(turn, "choices", 0, "message");
      const calls = objectsIn(dig(message, "tool_calls")).map(openaiCall);
      return {
        text: textOf(dig(message, "content")),
        calls: calls.map(({ id, name, input }) => [id, name, input]),
      };
    },
  },
  "openai-responses": {
    ask: (url, stream, signal) =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0 }).responses.create(
        {
          model: "m",
          input: [question],
          stream,
        },
        { signal },
      ),
    async gather(chunks) {
      const items: unknown[] = [];
      let text = "";
      for await (const event of chunks) {
        const at = Number(dig(event, "output_index"));
        const type = String(dig(event, "type"));
        const delta = String(dig(event, "delta"));
        if (type === "response.output_text.delta") text += delta;
        if (type === "response.output_item.added") items[at] = { ...(dig(event, "item") as object) };
        const item = items[at] as Record<string, string> | undefined;
        if (type === "response.function_call_arguments.delta") item!["arguments"] += delta;
        if (type === "response.custom_tool_call_input.delta") item!["input"] += delta;
      }
      return { text, calls: objectsIn(items).flatMap(responsesCall) };
    },
    whole(turn) {
      const items = objectsIn(dig(turn, "output"));
      const parts = items.flatMap(({ content }) => objectsIn(content));
      return { text: parts.map(({ text }) => textOf(text)).join(""), calls: items.flatMap(responsesCall) };
    },
  },
  anthropic: {
    ask: (url, stream, signal) =>
      new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0 }).messages.create(
        {
          model: "m",
          max_tokens: 9,
          messages: [question],
          stream,
        },
        { signal },
      ),
    async gather(chunks) {
      const calls: unknown[][] = [];
      let text = "";
      for await (const event of chunks) {
        const block = dig(event, "content_block");
        if (textOf(dig(block, "type")).endsWith("tool_use")) calls.push([dig(block, "id"), dig(block, "name"), ""]);
        text += textOf(dig(event, "delta", "text"));
        const input = dig(event, "delta", "partial_json");
        if (typeof input === "string") calls.at(-1)![2] += input;
      }
      return { text, calls: calls.map(([id, name, input]) => [id, name, input === "" ? "{}" : input]) };
    },
    whole(turn) {
      const blocks = objectsIn(dig(turn, "content"));
      const calls = blocks.filter(({ type }) => textOf(type).endsWith("tool_use"));
      return {
        text: blocks.map(({ text }) => textOf(text)).join(""),
        calls: calls.map(({ id, name, input }) => [id, name, json(input)]),
      };
    },
  },
  gemini: {
    ask(url, stream, signal) {
      const { models } = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url } });
      const request = { model: "m", contents: [{ role: "user", parts: [{ text: "Weather?" }] }] };
      const config = signal && { abortSignal: signal };
      return stream
        ? models.generateContentStream({ ...request, ...(config && { config }) })
        : models.generateContent(request);
    },
    async gather(chunks) {
      const parts: unknown[] = [];
      for await (const chunk of chunks) parts.push(...objectsIn(dig(chunk, "candidates", 0, "content", "parts")));
      return geminiParts(parts);
    },
    whole: (turn) => geminiParts(objectsIn(dig(turn, "candidates", 0, "content", "parts"))),
  },
  ollama: {
    async ask(url, stream, signal) {
      const client = new Ollama({ host: url });
      const request = { model: "m", messages: [question] };
      signal?.addEventListener("abort", () => client.abort());
      return stream ? await client.chat({ ...request, stream }) : await client.chat(request);
    },
    async gather(chunks) {
      const messages: unknown[] = [];
      for await (const line of chunks) messages.push(dig(line, "message"));
      return ollamaMessages(messages);
    },
    whole: (turn) => ollamaMessages([dig(turn, "message")]),
  },
};

function openaiCall(call: unknown) {
  const kind = dig(call, "custom") === undefined ? "function" : "custom";
  const input = textOf(dig(call, kind, kind === "custom" ? "input" : "arguments"));
  return { id: textOf(dig(call, "id")), name: textOf(dig(call, kind, "name")), input };
}

function responsesCall({ type, call_id, name, arguments: written, input }: Record<string, unknown>): unknown[][] {
  return /^(function|custom_tool)_call$/.test(String(type)) ? [[call_id, name, written ?? input]] : [];
}

function geminiParts(parts: readonly unknown[]): Gathered {
  const calls = objectsIn(objectsIn(parts).map(({ functionCall }) => functionCall));
  return {
    text: parts.map((part) => textOf(dig(part, "text"))).join(""),
    calls: calls.map(({ id, name, args }) => [id, name, json(args)]),
  };
}

function ollamaMessages(messages: readonly unknown[]): Gathered {
  const calls = messages.flatMap((message) => objectsIn(dig(message, "tool_calls")));
  return {
    text: messages.map((message) => textOf(dig(message, "content"))).join(""),
    calls: calls.map((call) => [call["id"], dig(call, "function", "name"), json(dig(call, "function", "arguments"))]),
  };
}
