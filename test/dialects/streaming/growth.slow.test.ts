import { describe, expect, it } from "vitest";
import { createAnthropicAccumulator } from "../../../src/dialects/anthropic/stream.ts";
import { createGeminiAccumulator } from "../../../src/dialects/gemini/stream.ts";
import { createOllamaAccumulator } from "../../../src/dialects/ollama/stream.ts";
import { createOpenAiResponsesAccumulator } from "../../../src/dialects/openai-responses/stream.ts";
import { createOpenAiAccumulator } from "../../../src/dialects/openai/stream.ts";
import { type ChunkAt, growthOf } from "./growth.ts";

/** Between what linear time comes to, 10, and quadratic, 100. */
const limit = 40;
const patienceMs = 60_000;

describe("a hundred thousand chunks take linear time", () => {
  const openai: Record<string, ChunkAt> = {
    text: deltaOf({ content: "a" }),
    "parts of content": deltaOf({ content: [{ type: "text", text: "a" }] }),
    logprobs: () => ({ choices: [{ delta: { content: "a" }, logprobs: { content: [{ token: "a" }] } }] }),
    reasoning_details: deltaOf({ reasoning_details: [{ type: "reasoning.text", text: "a" }] }),
    "reasoning_details by ever new indexes": (index) =>
      deltaOf({ reasoning_details: [{ type: "reasoning.text", text: "a", index }] })(),
    "arguments told whole again and again": deltaOf({ tool_calls: [callOf({ index: 0, id: "a" }, '{"a":1}')] }),
    "ever new keys": (place) => ({ [`key${place}`]: 1, choices: [{ [`key${place}`]: 1, delta: keysAt(place) }] }),
    choices: (index) => ({ choices: [{ index, delta: { content: "a" } }] }),
    calls: (index) => deltaOf({ tool_calls: [callOf({ index, id: `call_${index}` }, "{}")] })(),
    "calls without an index": (place) => deltaOf({ tool_calls: [callOf({ id: `call_${place}` }, "{}")] })(),
    "calls at one index": (place) => deltaOf({ tool_calls: [callOf({ index: 0, id: `call_${place}` }, "{}")] })(),
    "a name repeated": (place) =>
      deltaOf({ tool_calls: [callOf({ index: 0 }, place === 0 ? '{"a":{' : `"${place}":{},`)] })(),
    "a name repeated, arguments of }": deltaOf({ tool_calls: [callOf({ index: 0 }, "}")] }),
    "a name repeated, space behind no JSON": (place) =>
      deltaOf({ tool_calls: [callOf({ index: 0 }, place === 0 ? "{no}" : " ")] })(),
    "keys of a call": (place) => deltaOf({ tool_calls: [{ index: 0, ...keysAt(place) }] })(),
    "a call of the old kind": deltaOf({ function_call: { name: "f", arguments: "}" } }),
  };
  it.each(Object.entries(openai))(
    "of OpenAI Chat Completions: %s",
    (_name, chunkAt) => {
      const last = [{ choices: [{ delta: { content: "a" }, finish_reason: "stop" }] }];
      expect(growthOf(createOpenAiAccumulator, { chunkAt, last })).toBeLessThan(limit);
    },
    patienceMs,
  );

  const responses: Record<string, ChunkAt> = {
    text: textDelta(() => 0),
    parts: textDelta((content_index) => content_index),
    "parts from the last to the first": textDelta((place) => -place),
    "parts that are told": (content_index) => ({
      type: "response.content_part.added",
      output_index: 0,
      content_index,
      part: { type: "output_text", text: "" },
    }),
    items: (output_index) => ({ type: "response.output_item.added", output_index, item: { type: "message" } }),
    calls: (place) => ({
      type: "response.output_item.done",
      item: { type: "function_call", call_id: `call_${place}`, arguments: "{}" },
    }),
    arguments: () => ({ type: "response.function_call_arguments.delta", output_index: 1, delta: "{" }),
    "ever new keys": (place) => ({ type: "response.in_progress", response: keysAt(place) }),
  };
  it.each(Object.entries(responses))(
    "of OpenAI Responses: %s",
    (_name, chunkAt) => {
      const first = [{ type: "response.output_item.added", output_index: 0, item: { type: "message", content: [] } }];
      const last = [{ type: "response.completed" }];
      expect(growthOf(createOpenAiResponsesAccumulator, { first, chunkAt, last })).toBeLessThan(limit);
    },
    patienceMs,
  );

  const call = { type: "tool_use", id: "a", name: "f", input: {} };
  const anthropic: Record<string, ChunkAt> = {
    text: blockDelta({ type: "text_delta", text: "a" }),
    thoughts: blockDelta({ type: "thinking_delta", thinking: "a" }),
    input: () => ({ type: "content_block_delta", index: -1, delta: { type: "input_json_delta", partial_json: "{" } }),
    "beginnings of a call told again": () => ({ type: "content_block_start", index: -1, content_block: call }),
    citations: blockDelta({ type: "citations_delta", citation: { page: 1 } }),
    "ever new keys of a block": (place) => blockDelta({ type: "news_delta", ...keysAt(place) })(),
    "blocks at one index": () => ({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }),
    blocks: (index) => ({ type: "content_block_start", index, content_block: { type: "text", text: "" } }),
    "ever new keys of the message": (place) => ({
      type: "message_delta",
      ...keysAt(place),
      delta: { [`delta${place}`]: 1 },
      usage: keysAt(place),
    }),
    "beginnings told again": (place) => ({ type: "message_start", message: keysAt(place) }),
  };
  it.each(Object.entries(anthropic))(
    "of Anthropic: %s",
    (_name, chunkAt) => {
      const first = [
        { type: "message_start", message: { content: [{ type: "text", text: "", citations: [] }] } },
        { type: "content_block_start", index: -1, content_block: call },
      ];
      expect(growthOf(createAnthropicAccumulator, { first, chunkAt, last: [{ type: "message_stop" }] })).toBeLessThan(
        limit,
      );
    },
    patienceMs,
  );

  const begin = { functionCall: { id: "1", name: "f", willContinue: true } };
  const gemini: Record<string, ChunkAt> = {
    text: () => partsOf({ text: "a" }),
    "thoughts between text": (place) => partsOf({ text: "a", thought: place % 2 === 0 }),
    "signed text": () => partsOf({ text: "a", thoughtSignature: "c2ln" }),
    calls: () => partsOf({ functionCall: { name: "f", args: {} } }),
    candidates: (index) => ({ candidates: [{ index, content: { parts: [{ text: "a" }] } }] }),
    "ever new keys": (place) => ({ candidates: [{ ...keysAt(place), content: keysAt(place) }], ...keysAt(place) }),
    "ever new keys of a call": (place) =>
      partsOf({ ...keysAt(place), functionCall: { ...begin.functionCall, ...keysAt(place) } }),
    "a text in pieces": (place) => pieceOf({ jsonPath: "$.a", stringValue: "a", willContinue: place >= 0 }),
    "arguments in pieces": (place) => pieceOf({ jsonPath: `$.a${place}`, numberValue: 1 }),
    "a list in pieces": (place) => pieceOf({ jsonPath: `$.a[${place}]`, numberValue: 1 }),
  };
  it.each(Object.entries(gemini))(
    "of Gemini: %s",
    (_name, chunkAt) => {
      const last = [{ candidates: [{ finishReason: "STOP" }] }];
      expect(growthOf(createGeminiAccumulator, { first: [partsOf(begin)], chunkAt, last })).toBeLessThan(limit);
    },
    patienceMs,
  );

  const ollama: Record<string, ChunkAt> = {
    text: () => ({ message: { content: "a" } }),
    thoughts: () => ({ message: { thinking: "a" } }),
    calls: () => ({ message: { tool_calls: [{ function: { name: "f", arguments: {} } }] } }),
    logprobs: () => ({ message: { content: "a" }, logprobs: [{ token: "a" }] }),
    "ever new keys": (place) => ({ ...keysAt(place), message: keysAt(place) }),
  };
  it.each(Object.entries(ollama))(
    "of Ollama: %s",
    (_name, chunkAt) => {
      expect(growthOf(createOllamaAccumulator, { chunkAt, last: [{ done: true }] })).toBeLessThan(limit);
    },
    patienceMs,
  );
});

function keysAt(place: number): Record<string, unknown> {
  return { [`key${place}`]: 1 };
}

function deltaOf(delta: object): () => unknown {
  return () => ({ choices: [{ index: 0, delta }] });
}

function callOf(at: object, args: string): object {
  return { ...at, function: { name: "f", arguments: args } };
}

function textDelta(indexAt: (place: number) => number): ChunkAt {
  return (place) => ({
    type: "response.output_text.delta",
    output_index: 0,
    content_index: indexAt(place),
    delta: "a",
  });
}

function blockDelta(delta: object): () => unknown {
  return () => ({ type: "content_block_delta", index: 0, delta });
}

function partsOf(...parts: object[]): object {
  return { candidates: [{ content: { role: "model", parts } }] };
}

function pieceOf(piece: object): object {
  return partsOf({ functionCall: { willContinue: true, partialArgs: [piece] } });
}
