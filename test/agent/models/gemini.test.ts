import { ApiError, FunctionCallingConfigMode, GoogleGenAI } from "@google/genai";
import { describe, expect, it, vi } from "vitest";
import { gemini, type GeminiClient } from "../../../src/agent/models/gemini.ts";
import type { ModelRequest } from "../../../src/agent/models/model.ts";
import { recordedTurn } from "../../dialects/recorded/recorded-turn.ts";
import { type Canned, startCanned } from "./canned-turn.ts";
import { readStream, requestWith } from "./read-stream.ts";

// The SDK loses `finishMessage` where it speaks to the Gemini API; this turn has none.
const whole = recordedTurn("gemini", "thought-and-call");
const spoken = { candidates: [{ content: { parts: [{ text: "Hello" }], role: "model" }, index: 0 }] };
const user = { role: "user", parts: [{ text: "Hi" }] };
const ours = { functionDeclarations: [{ name: "weather", parametersJsonSchema: { type: "object" } }] };
const forced = { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["weather"] } } };
const asked = requestWith({ messages: [user], system: "Be brief.", tools: [ours], toolChoice: forced });

async function start(canned: Canned, options?: Record<string, unknown>, vertexai = false) {
  const server = await startCanned(canned);
  const client = new GoogleGenAI({ apiKey: "key", vertexai, httpOptions: { baseUrl: server.url } });
  return { ...server, model: gemini(client, "gemini-x", options) };
}

describe.each([false, true])("a model of Gemini, through its own SDK (Vertex AI: %s)", (vertexai) => {
  it("gives the response as the API answered it, without what the SDK adds", async () => {
    const { model, bodies, paths } = await start({ json: whole }, undefined, vertexai);
    expect(await model.generate(asked)).toStrictEqual(whole);
    expect(paths[0]).toMatch(/models\/gemini-x:generateContent$/);
    expect(bodies[0]).toEqual({
      contents: [user],
      systemInstruction: { role: "user", parts: [{ text: "Be brief." }] },
      tools: [ours],
      toolConfig: forced.toolConfig,
      generationConfig: {},
    });
  });

  it("streams to the same response", async () => {
    const { model, paths } = await start({ events: [whole] }, undefined, vertexai);
    expect((await readStream(model, asked)).reply).toStrictEqual(whole);
    expect(paths[0]).toMatch(/models\/gemini-x:streamGenerateContent\?alt=sse$/);
  });

  it("tells the text as it is written", async () => {
    const { model } = await start(
      { events: [spoken, { candidates: [{ finishReason: "STOP" }] }] },
      undefined,
      vertexai,
    );
    expect((await readStream(model, asked)).text).toBe("Hello");
  });

  it("rejects with the SDK's own error where the API refuses", async () => {
    const { model } = await start(
      { status: 400, json: { error: { code: 400, message: "Unknown name", status: "INVALID_ARGUMENT" } } },
      undefined,
      vertexai,
    );
    await expect(model.generate(asked)).rejects.toThrow(ApiError);
    await expect(readStream(model, asked)).rejects.toThrow(ApiError);
  });

  it("rejects with an error of the SDK where the API breaks off", async () => {
    const error = { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } };
    const { model } = await start({ events: [spoken, error] }, undefined, vertexai);
    await expect(readStream(model, asked)).rejects.toThrow(/Overloaded/);
  });

  it("is a StreamError where the stream ends before the reply", async () => {
    const { model } = await start({ events: [spoken] }, undefined, vertexai);
    await expect(readStream(model, asked)).rejects.toMatchObject({ name: "StreamError" });
  });
});

describe("a model of Gemini", () => {
  it("puts a call together that Vertex AI streams in pieces", async () => {
    const part = (functionCall: object) => ({
      candidates: [{ content: { role: "model", parts: [{ functionCall }] } }],
    });
    const options = {
      toolConfig: {
        functionCallingConfig: { streamFunctionCallArguments: true, mode: "AUTO" },
        retrievalConfig: { languageCode: "no" },
      },
    };
    const events = [
      part({ name: "weather", willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.city", stringValue: "Os", willContinue: true }], willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.city", stringValue: "lo" }], willContinue: true }),
      part({}),
      { candidates: [{ finishReason: "STOP" }] },
    ];
    const { model, bodies } = await start({ events }, options, true);
    expect((await readStream(model, asked)).reply).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { name: "weather", args: { city: "Oslo" } } }] } }],
    });
    expect(bodies[0]?.["toolConfig"]).toEqual({
      functionCallingConfig: { streamFunctionCallArguments: true, mode: "ANY", allowedFunctionNames: ["weather"] },
      retrievalConfig: { languageCode: "no" },
    });
  });

  it("sends options as the SDK's config, with the provider's own tools first", async () => {
    const options = {
      temperature: 0,
      tools: [{ googleSearch: {} }],
      thinkingConfig: { thinkingBudget: 0 },
      systemInstruction: "no",
    };
    const { model, bodies } = await start({ json: whole }, options);
    await model.generate(asked);
    expect(bodies[0]).toMatchObject({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      tools: [{ googleSearch: {} }, ours],
      generationConfig: { temperature: 0, thinkingConfig: { thinkingBudget: 0 } },
    });
  });

  it("sends neither tools nor a choice of them where there are none", async () => {
    const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } };
    const { model, bodies } = await start({ json: whole }, { toolConfig });
    await model.generate(requestWith({ messages: [user] }));
    expect(bodies[0]).toEqual({ contents: [user], generationConfig: {} });
  });

  it("stops on the signal, whole or streamed", async () => {
    const before = new AbortController();
    const waiting = await start({ staysOpen: true });
    const whole = waiting.model.generate({ ...asked, signal: before.signal });
    await vi.waitFor(() => expect(waiting.bodies).toHaveLength(1));
    before.abort();
    await expect(whole).rejects.toMatchObject({ name: "AbortError" });
    await waiting.left;

    const between = new AbortController();
    const talking = await start({ events: [spoken], staysOpen: true });
    const stream = talking.model.stream({ ...asked, signal: between.signal })[Symbol.asyncIterator]();
    await stream.next();
    between.abort();
    await expect(stream.next()).rejects.toMatchObject({ name: "AbortError" });
    await talking.left;
  });

  it("closes the connection where its stream is not read to the end, which the SDK does not", async () => {
    const { model, left } = await start({ events: [spoken], staysOpen: true });
    for await (const part of model.stream(asked)) {
      expect(part).toEqual({ type: "text", text: "Hello" });
      break;
    }
    await left;
  });

  it("takes the official client without a cast", () => {
    const client: GeminiClient = new GoogleGenAI({ apiKey: "key" });
    expect(gemini(client, "gemini-x").dialect).toBe("gemini");
  });
});

describe("tools that Gemini runs itself, beside functions", () => {
  const search = { googleSearch: {} };
  const auto = { toolConfig: { functionCallingConfig: { mode: "AUTO" } } };
  const free = { ...asked, toolChoice: auto };

  async function configOf(
    options: Record<string, unknown>,
    vertexai = false,
    request: ModelRequest = free,
  ): Promise<unknown> {
    const { model, bodies } = await start({ json: whole }, options, vertexai);
    await model.generate(request);
    return (bodies[0] as Record<string, unknown>)["toolConfig"];
  }

  it("are asked for with the field that the Gemini API demands, and Vertex AI does not know", async () => {
    const both = { ...auto.toolConfig, includeServerSideToolInvocations: true };
    expect(await configOf({ tools: [search] })).toEqual(both);
    expect(await configOf({ tools: [{ ...search, ...ours }] })).toEqual(both);
    expect(await configOf({ tools: [search] }, true)).toEqual(auto.toolConfig);
  });

  it("have the field in a stream too", async () => {
    const { model, bodies } = await start({ events: [whole] }, { tools: [search] });
    await readStream(model, free);
    expect(bodies[0]).toMatchObject({ toolConfig: { includeServerSideToolInvocations: true } });
  });

  it("do without the field if only one kind is there, or the options say otherwise", async () => {
    expect(await configOf({})).toEqual(auto.toolConfig);
    expect(await configOf({ tools: [ours] })).toEqual(auto.toolConfig);
    expect(await configOf({ tools: [search] }, false, requestWith({ messages: [user] }))).toBeUndefined();
    const toolConfig = { includeServerSideToolInvocations: false };
    expect(await configOf({ tools: [search], toolConfig })).toEqual({ ...auto.toolConfig, ...toolConfig });
  });

  it("keep a mode of the options if the choice is auto, and lose it to any other", async () => {
    const own = {
      functionCallingConfig: { mode: FunctionCallingConfigMode.VALIDATED, allowedFunctionNames: ["weather"] },
    };
    expect(await configOf({ toolConfig: own })).toEqual(own);
    expect(await configOf({ toolConfig: own }, false, asked)).toEqual(forced.toolConfig);
    const none = { ...asked, toolChoice: { toolConfig: { functionCallingConfig: { mode: "NONE" } } } };
    expect(await configOf({ toolConfig: own }, false, none)).toEqual(none.toolChoice.toolConfig);
  });
});
