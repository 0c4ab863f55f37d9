import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { type RecordedDialect, recordedNames, recordedTurn } from "../dialects/recorded/recorded-turn.ts";
import { listOf } from "./rules/declare.ts";
import { dig } from "./conversation.ts";
import { startProvider } from "./start-provider.ts";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

async function provide(dialect: RecordedDialect, ...names: string[]) {
  const provider = await startProvider({ dialect, turns: names.map((name) => recordedTurn(dialect, name)) });
  onTestFinished(() => provider.stop());
  return provider;
}

/** What an official client throws of a 400. */
async function refusal(call: PromiseLike<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "answered";
}

describe("a stand-in answers the official client, and refuses as the provider does", () => {
  it("openai", async () => {
    const provider = await provide("openai", "two-calls", "text");
    const { completions } = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k", maxRetries: 0 }).chat;
    const tools = listOf("openai", city, { name: "weather" }) as OpenAI.ChatCompletionTool[];
    const question = { role: "user", content: "Weather?" } as const;
    const { message } = (await completions.create({ model: "m", messages: [question], tools })).choices[0] ?? {};
    if (message === undefined) throw new Error("no message");
    const results = (message.tool_calls ?? []).map(
      ({ id }) => ({ role: "tool", tool_call_id: id, content: "4" }) as const,
    );
    const lost = completions.create({ model: "m", messages: [question, message, ...results.slice(1)], tools });
    expect(await refusal(lost)).toContain("did not have response messages: call_a1");
    const last = await completions.create({ model: "m", messages: [question, message, ...results], tools });
    expect(last.choices[0]?.message.content).toBe("It is 4 degrees in Oslo.");
    expect(provider.requests.map(({ breaches }) => breaches.length)).toEqual([0, 1, 0]);
  });

  it("openai-responses", async () => {
    const provider = await provide("openai-responses", "reasoning-and-two-calls", "text");
    const { responses } = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k", maxRetries: 0 });
    const tools = listOf("openai-responses", city, { name: "weather" }) as OpenAI.Responses.Tool[];
    const question = { role: "user", content: "Weather?" } as const;
    const { id, output } = await responses.create({ model: "m", input: [question], tools, store: false });
    const echo = output as OpenAI.Responses.ResponseInputItem[];
    const results = ["call_a1", "call_b2"].map(
      (call_id) => ({ type: "function_call_output", call_id, output: "4" }) as const,
    );
    const [, ...withoutReasoning] = echo;
    const lost = responses.create({ model: "m", input: [question, ...withoutReasoning, ...results], tools });
    expect(await refusal(lost)).toContain("without its required 'reasoning' item: 'rs_1'");
    const twice = responses.create({ model: "m", previous_response_id: id, input: [...echo, ...results], tools });
    expect(await refusal(twice)).toContain("Duplicate item found with id");
    const unknown = responses.create({ model: "m", previous_response_id: "resp_0", input: results, tools });
    expect(await refusal(unknown)).toContain("Previous response with id 'resp_0' not found.");
    const bare = echo.map((item) => (item.type === "reasoning" ? { ...item, encrypted_content: null } : item));
    const forgotten = responses.create({ model: "m", input: [question, ...bare, ...results], tools, store: false });
    expect(await refusal(forgotten)).toContain("Items are not persisted when `store` is set to false.");
    const last = await responses.create({ model: "m", previous_response_id: id, input: results, tools });
    expect(last.output_text).toBe("It is 4 degrees in Oslo.");
  });

  it("anthropic", async () => {
    const provider = await provide("anthropic", "two-calls", "text");
    const { messages } = new Anthropic({ baseURL: provider.url, apiKey: "k", maxRetries: 0 });
    const tools = listOf("anthropic", city, { name: "weather" }) as Anthropic.Tool[];
    const question = { role: "user", content: "Weather?" } as const;
    const request = { model: "m", max_tokens: 99, tools };
    const { content } = await messages.create({ ...request, messages: [question] });
    const echo = { role: "assistant", content: content as Anthropic.ContentBlockParam[] } as const;
    const results = ["toolu_a1", "toolu_b2"].map(
      (tool_use_id) => ({ type: "tool_result", tool_use_id, content: "4" }) as const,
    );
    const apart = results.map((result) => ({ role: "user" as const, content: [result] }));
    expect(await refusal(messages.create({ ...request, messages: [question, echo, ...apart] }))).toContain(
      "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_b2",
    );
    const forced = { thinking: { type: "enabled", budget_tokens: 1024 }, tool_choice: { type: "any" } } as const;
    expect(await refusal(messages.create({ ...request, ...forced, messages: [question] }))).toContain(
      "Thinking may not be enabled when tool_choice forces tool use.",
    );
    const last = await messages.create({ ...request, messages: [question, echo, { role: "user", content: results }] });
    expect(last.stop_reason).toBe("end_turn");
  });

  it("gemini", async () => {
    const provider = await provide("gemini", "two-calls-one-signature", "text");
    const { models } = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: provider.url } });
    const config = { tools: listOf("gemini", city, { name: "weather" }) as object[] };
    const question = { role: "user", parts: [{ text: "Weather?" }] };
    const ask = (contents: object[]) => models.generateContent({ model: "gemini-3-pro", contents, config });
    const echo = (await ask([question])).candidates?.[0]?.content ?? {};
    const parts = ["call_a1", "call_b2"].map((id) => ({
      functionResponse: { id, name: "weather", response: { output: 4 } },
    }));
    expect(await refusal(ask([question, echo, ...parts.map((part) => ({ role: "user", parts: [part] }))]))).toContain(
      "the number of function response parts is equal to the number of function call parts",
    );
    const unsigned = (echo.parts ?? []).map(({ functionCall }) => ({ functionCall }));
    expect(await refusal(ask([question, { role: "model", parts: unsigned }, { role: "user", parts }]))).toContain(
      "missing a thought_signature",
    );
    expect((await ask([question, echo, { role: "user", parts }])).text).toBe("It is 4 degrees in Oslo.");
  });

  it("ollama", async () => {
    const provider = await provide("ollama", "same-tool-twice-no-ids", "text");
    const client = new Ollama({ host: provider.url });
    const tools = listOf("ollama", city, { name: "weather" }) as [];
    const question = { role: "user", content: "Weather?" };
    const { message } = await client.chat({ model: "m", messages: [question], tools });
    const result = { role: "tool", tool_name: "weather", content: "4" };
    expect(await refusal(client.chat({ model: "m", messages: [question, message, result], tools }))).toContain(
      "1 tool calls have no tool message",
    );
    const last = await client.chat({ model: "m", messages: [question, message, result, result], tools });
    expect(last.message.content).toBe("It is 4 degrees in Oslo.");
  });
});

const headers = { "content-type": "application/json", authorization: "Bearer k", "x-api-key": "k" };
const broken: readonly (readonly [dialect: RecordedDialect, path: string, body: object, refusal: unknown])[] = [
  [
    "openai",
    "/v1/chat/completions",
    { messages: [{ role: "user", content: "?" }], tools: listOf("openai", { type: "object" }) },
    { error: { type: "invalid_request_error", param: "/function/parameters", code: null } },
  ],
  [
    "openai-responses",
    "/v1/responses",
    { input: "?", tools: [], tool_choice: "required" },
    { error: { message: "'tool_choice' is only allowed when 'tools' are specified.", param: "/tool_choice" } },
  ],
  [
    "anthropic",
    "/v1/messages",
    { max_tokens: 9, messages: [{ role: "user", content: "?" }], tools: listOf("anthropic", {}) },
    { type: "error", error: { type: "invalid_request_error" } },
  ],
  [
    "gemini",
    "/v1beta/models/m:generateContent",
    { contents: [{ parts: [{ text: "?" }] }], tools: listOf("gemini-openapi", { type: ["object"] }) },
    { error: { code: 400, status: "INVALID_ARGUMENT" } },
  ],
  [
    "ollama",
    "/api/chat",
    { messages: [{ role: "user", content: "?" }], tools: listOf("ollama", { type: "object", properties: [] }) },
    { error: expect.stringContaining("json: cannot unmarshal array into Go struct field") },
  ],
];

describe("a refusal has the provider's own shape", () => {
  it.each(broken)("%s", async (dialect, path, body, expected) => {
    const provider = await provide(dialect);
    const answer = await fetch(provider.url + path, {
      method: "POST",
      headers: { ...headers, "anthropic-version": "2023-06-01", "x-goog-api-key": "k" },
      body: JSON.stringify({ model: "m", ...body }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject(expected as object);
  });

  it("names a header that is missing, and answers other paths with 404", async () => {
    const provider = await provide("anthropic");
    const post = (path: string) =>
      fetch(provider.url + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "?" }] }),
      });
    expect(dig(await (await post("/v1/messages")).json(), "error", "message")).toBe("x-api-key: header is required");
    expect((await post("/messages")).status).toBe(404);
  });

  it("tells that no turn is left", async () => {
    const provider = await provide("ollama");
    const answer = await fetch(`${provider.url}/api/chat`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "?" }] }),
    });
    expect([answer.status, await answer.json()]).toEqual([500, { error: "No recorded turn is left." }]);
  });
});

describe("recorded turns", () => {
  it.each(["openai", "openai-responses", "anthropic", "gemini", "ollama"] as const)(
    "of %s are JSON objects",
    (dialect) => {
      for (const name of recordedNames(dialect))
        expect(Object.keys(recordedTurn(dialect, name)).length).toBeGreaterThan(2);
    },
  );
});
