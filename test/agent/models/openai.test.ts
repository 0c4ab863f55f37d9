import { AzureOpenAI, BadRequestError, type OpenAI } from "openai";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { ModelRequest } from "../../../src/agent/models/model.ts";
import { openai, type OpenAiClient } from "../../../src/agent/models/openai.ts";
import { StreamError } from "../../../src/dialects/streaming/accumulator.ts";
import { answerEvents, answerJson } from "./canned-server.ts";
import { startOpenAi, takeAll } from "./openai-server.ts";

const message = { role: "assistant", content: "Hello" };
const completion = { id: "1", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] };
const chunkOf = (delta: object, finish_reason: string | null = null) => ({
  id: "1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});
const chunks = [chunkOf({ role: "assistant", content: "Hel" }), chunkOf({ content: "lo" }), chunkOf({}, "stop")];
const hello = { role: "user", content: "Hello?" };
const now = { type: "function", function: { name: "now", parameters: { type: "object" }, strict: false } };
const plain: ModelRequest = { messages: [hello], system: undefined, tools: [], toolChoice: {}, signal: undefined };

async function sent(request: Partial<ModelRequest>, options: Record<string, unknown> = {}) {
  const { server, client } = await startOpenAi(answerJson(200, completion));
  await openai(client, "gpt", options).generate({ ...plain, ...request });
  return server.bodies[0];
}

describe("a model of OpenAI Chat Completions", () => {
  it("gives the provider's whole reply", async () => {
    const { server, client } = await startOpenAi(answerJson(200, completion));
    expect(await openai(client, "gpt").generate(plain)).toEqual(completion);
    expect(server.paths).toEqual(["/v1/chat/completions"]);
    expect(server.bodies).toEqual([{ model: "gpt", messages: [hello], stream: false }]);
  });

  it("streams text as it comes, and last the same whole reply", async () => {
    const { server, client } = await startOpenAi(answerEvents(chunks));
    expect(await takeAll(openai(client, "gpt").stream(plain))).toEqual([
      { type: "text", text: "Hel" },
      { type: "text", text: "lo" },
      { type: "reply", reply: completion },
    ]);
    expect(server.bodies).toEqual([
      { model: "gpt", messages: [hello], stream: true, stream_options: { include_usage: true } },
    ]);
  });

  it("asks whether the service can stream if it answers a stream with a whole reply", async () => {
    const { client } = await startOpenAi(answerJson(200, completion));
    await expect(takeAll(openai(client, "gpt").stream(plain))).rejects.toThrow("Does the service support streaming?");
  });

  it("says what the system says in a first message", async () => {
    const { messages } = { ...(await sent({ system: "Be brief." })) };
    expect(messages).toEqual([{ role: "system", content: "Be brief." }, hello]);
  });

  it("sends its options, which override nothing that it sets itself", async () => {
    const options = { temperature: 0, model: "other", messages: [], stream: true, stream_options: {} };
    expect(await sent({}, options)).toEqual({ model: "gpt", messages: [hello], stream: false, temperature: 0 });
  });

  it("sends the provider's own tools first, untouched, and lets the request's choice win", async () => {
    const own = { type: "web_search" };
    const request = { tools: [now], toolChoice: { tool_choice: "required" } };
    expect(await sent(request, { tools: [own], tool_choice: "auto", parallel_tool_calls: false })).toMatchObject({
      tools: [own, now],
      tool_choice: "required",
      parallel_tool_calls: false,
    });
  });

  it("sends nothing that chooses tools where there are none", async () => {
    const options = { tools: [], tool_choice: "auto", parallel_tool_calls: false };
    expect(await sent({}, options)).toEqual({ model: "gpt", messages: [hello], stream: false });
  });

  it("asks a stream for its usage unless options say otherwise", async () => {
    const { server, client } = await startOpenAi(answerEvents(chunks));
    await takeAll(openai(client, "gpt", { stream_options: undefined }).stream(plain));
    await takeAll(openai(client, "gpt", { stream_options: { include_usage: false } }).stream(plain));
    expect(server.bodies.map((body) => body["stream_options"])).toEqual([undefined, { include_usage: false }]);
  });

  it("rejects with the SDK's own error where the provider refuses", async () => {
    const { client } = await startOpenAi(
      answerJson(400, { error: { message: "Bad tool.", type: "invalid_request_error" } }),
    );
    const model = openai(client, "gpt");
    await expect(model.generate(plain)).rejects.toThrow(BadRequestError);
    await expect(takeAll(model.stream(plain))).rejects.toThrow(BadRequestError);
  });

  it("throws where the provider reports an error in the middle of a stream", async () => {
    const { client } = await startOpenAi(answerEvents([...chunks.slice(0, 1), { error: { message: "Overloaded." } }]));
    await expect(takeAll(openai(client, "gpt").stream(plain))).rejects.toThrow("Overloaded.");
  });

  it("throws a StreamError where a stream ends in the middle of a call", async () => {
    const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: '{"x' } };
    const { client } = await startOpenAi(answerEvents([chunkOf({ tool_calls: [call] })]));
    await expect(takeAll(openai(client, "gpt").stream(plain))).rejects.toThrow(StreamError);
  });

  it("ends a request when its signal is given, and leaves the provider", async () => {
    const { server, client } = await startOpenAi(() => setImmediate(() => stop.abort()));
    const stop = new AbortController();
    await expect(openai(client, "gpt").generate({ ...plain, signal: stop.signal })).rejects.toThrow("aborted");
    expect(await server.left).toBe(true);
  });

  it("throws the signal's reason in the middle of a stream, and leaves the provider", async () => {
    const { server, client } = await startOpenAi(answerEvents(chunks.slice(0, 1), true));
    const stop = new AbortController();
    const reason = new Error("The user left.");
    const read = async (): Promise<void> => {
      for await (const part of openai(client, "gpt").stream({ ...plain, signal: stop.signal })) {
        expect(part).toEqual({ type: "text", text: "Hel" });
        stop.abort(reason);
      }
    };
    await expect(read()).rejects.toBe(reason);
    expect(await server.left).toBe(true);
  });

  it("leaves the provider where its stream is left early", async () => {
    const { server, client } = await startOpenAi(answerEvents(chunks.slice(0, 1), true));
    for await (const part of openai(client, "gpt").stream(plain)) {
      expect(part.type).toBe("text");
      break;
    }
    expect(await server.left).toBe(true);
  });

  it("asks nothing before its stream is read", async () => {
    const { server, client } = await startOpenAi(answerEvents(chunks));
    openai(client, "gpt").stream(plain);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.bodies).toEqual([]);
  });

  it("takes the clients of the SDK without a cast, Azure's too", async () => {
    expectTypeOf<OpenAI>().toExtend<OpenAiClient>();
    expectTypeOf<AzureOpenAI>().toExtend<OpenAiClient>();
    const { server } = await startOpenAi(answerJson(200, completion));
    const azure = new AzureOpenAI({ endpoint: server.url, apiKey: "key", apiVersion: "2025-01-01", deployment: "gpt" });
    expect(await openai(azure, "gpt").generate(plain)).toEqual(completion);
    expect(server.paths).toEqual(["/openai/deployments/gpt/chat/completions?api-version=2025-01-01"]);
  });
});
