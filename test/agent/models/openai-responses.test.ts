import { AzureOpenAI, BadRequestError, type OpenAI } from "openai";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { ModelRequest } from "../../../src/agent/models/model.ts";
import { openaiResponses, type OpenAiResponsesClient } from "../../../src/agent/models/openai-responses.ts";
import { StreamError } from "../../../src/dialects/streaming/accumulator.ts";
import { answerEvents, answerJson } from "./canned-server.ts";
import { startOpenAi, takeAll } from "./openai-server.ts";

const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Hello", annotations: [] }],
};
const response = { id: "resp_1", object: "response", status: "completed", error: null, output: [message] };
const at = { output_index: 0, item_id: "msg_1", content_index: 0 };
const deltas = ["Hel", "lo"].map((delta) => ({ type: "response.output_text.delta", ...at, delta }));
const events = [
  { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item: { ...message, content: [] } },
  ...deltas,
  { type: "response.output_item.done", output_index: 0, item: message },
  { type: "response.completed", response },
];
const hello = { role: "user", content: "Hello?" };
const now = { type: "function", name: "now", parameters: { type: "object" }, strict: false };
const plain: ModelRequest = { messages: [hello], system: undefined, tools: [], toolChoice: {}, signal: undefined };

async function sent(request: Partial<ModelRequest>, options: Record<string, unknown> = {}) {
  const { server, client } = await startOpenAi(answerJson(200, response));
  await openaiResponses(client, "gpt", options).generate({ ...plain, ...request });
  return server.bodies[0];
}

describe("a model of OpenAI Responses", () => {
  it("gives the provider's whole reply", async () => {
    const { server, client } = await startOpenAi(answerJson(200, response));
    expect(await openaiResponses(client, "gpt").generate(plain)).toMatchObject(response);
    expect(server.paths).toEqual(["/v1/responses"]);
    expect(server.bodies).toEqual([{ model: "gpt", input: [hello], stream: false }]);
  });

  it("streams text as it comes, and last the same whole reply", async () => {
    const { server, client } = await startOpenAi(answerEvents(events));
    expect(await takeAll(openaiResponses(client, "gpt").stream(plain))).toEqual([
      { type: "text", text: "Hel" },
      { type: "text", text: "lo" },
      { type: "reply", reply: response },
    ]);
    expect(server.bodies).toEqual([{ model: "gpt", input: [hello], stream: true }]);
  });

  it("says what the system says as instructions, which win over those of its options", async () => {
    const options = { instructions: "Be long." };
    expect(await sent({ system: "Be brief." }, options)).toMatchObject({ instructions: "Be brief.", input: [hello] });
    expect(await sent({}, options)).toMatchObject({ instructions: "Be long." });
  });

  it("sends its options, which override nothing that it sets itself", async () => {
    const options = { reasoning: { effort: "low" }, store: false, model: "other", input: "x", stream: true };
    expect(await sent({}, options)).toEqual({
      model: "gpt",
      input: [hello],
      stream: false,
      store: false,
      reasoning: { effort: "low" },
    });
  });

  it("sends the provider's own tools first, untouched, and lets the request's choice win", async () => {
    const own = { type: "web_search" };
    const request = { tools: [now], toolChoice: { tool_choice: { type: "function", name: "now" } } };
    expect(await sent(request, { tools: [own], tool_choice: "auto" })).toMatchObject({
      tools: [own, now],
      tool_choice: { type: "function", name: "now" },
    });
    expect(await sent({}, { tools: [own] })).toMatchObject({ tools: [own] });
  });

  it("sends nothing that chooses tools where there are none", async () => {
    const options = { tool_choice: "auto", parallel_tool_calls: false };
    expect(await sent({}, options)).toEqual({ model: "gpt", input: [hello], stream: false });
  });

  it("rejects with the SDK's own error where the provider refuses", async () => {
    const { client } = await startOpenAi(
      answerJson(400, { error: { message: "Bad tool.", type: "invalid_request_error" } }),
    );
    const model = openaiResponses(client, "gpt");
    await expect(model.generate(plain)).rejects.toThrow(BadRequestError);
    await expect(takeAll(model.stream(plain))).rejects.toThrow(BadRequestError);
  });

  it("throws where the provider reports an error in the middle of a stream", async () => {
    const error = { type: "error", code: "server_error", message: "Overloaded.", param: null };
    const { client } = await startOpenAi(answerEvents([...events.slice(0, 3), error]));
    await expect(takeAll(openaiResponses(client, "gpt").stream(plain))).rejects.toThrow(
      new StreamError("Overloaded. (server_error)"),
    );
  });

  it("gives a response that failed as its reply", async () => {
    const failed = { ...response, status: "failed", output: [], error: { code: "server_error", message: "Sorry." } };
    const { client } = await startOpenAi(
      answerEvents([...events.slice(0, 1), { type: "response.failed", response: failed }]),
    );
    expect(await takeAll(openaiResponses(client, "gpt").stream(plain))).toEqual([{ type: "reply", reply: failed }]);
  });

  it("throws a StreamError where a stream ends before the response did", async () => {
    const { client } = await startOpenAi(answerEvents(events.slice(0, -1)));
    await expect(takeAll(openaiResponses(client, "gpt").stream(plain))).rejects.toThrow(StreamError);
  });

  it("ends a request when its signal is given, and leaves the provider", async () => {
    const { server, client } = await startOpenAi(() => setImmediate(() => stop.abort()));
    const stop = new AbortController();
    await expect(openaiResponses(client, "gpt").generate({ ...plain, signal: stop.signal })).rejects.toThrow("aborted");
    expect(await server.left).toBe(true);
  });

  it("throws the signal's reason in the middle of a stream, and leaves the provider", async () => {
    const { server, client } = await startOpenAi(answerEvents(events.slice(0, 3), true));
    const stop = new AbortController();
    const reason = new Error("The user left.");
    const read = async (): Promise<void> => {
      for await (const part of openaiResponses(client, "gpt").stream({ ...plain, signal: stop.signal })) {
        expect(part).toEqual({ type: "text", text: "Hel" });
        stop.abort(reason);
      }
    };
    await expect(read()).rejects.toBe(reason);
    expect(await server.left).toBe(true);
  });

  it("leaves the provider where its stream is left early", async () => {
    const { server, client } = await startOpenAi(answerEvents(events.slice(0, 3), true));
    for await (const part of openaiResponses(client, "gpt").stream(plain)) {
      expect(part.type).toBe("text");
      break;
    }
    expect(await server.left).toBe(true);
  });

  it("takes the clients of the SDK without a cast, Azure's too", async () => {
    expectTypeOf<OpenAI>().toExtend<OpenAiResponsesClient>();
    expectTypeOf<AzureOpenAI>().toExtend<OpenAiResponsesClient>();
    const { server } = await startOpenAi(answerJson(200, response));
    const azure = new AzureOpenAI({ endpoint: server.url, apiKey: "key", apiVersion: "2025-03-01-preview" });
    expect(await openaiResponses(azure, "gpt").generate(plain)).toMatchObject(response);
    expect(server.paths).toEqual(["/openai/responses?api-version=2025-03-01-preview"]);
  });
});
