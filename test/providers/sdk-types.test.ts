import type Anthropic from "@anthropic-ai/sdk";
import type { Content, Tool as GeminiTool } from "@google/genai";
import type { Tool as McpTool } from "@modelcontextprotocol/sdk/types.js";
import type { Message as OllamaMessage, Tool as OllamaTool } from "ollama";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { checkTools } from "./rules/check-tools.ts";
import { checkConversation } from "./check-conversation.ts";

/** What the official types take, the checkers take: the compiler holds one side of it, the tests the other. */
const parameters = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const tool = { name: "weather", description: "Tells the weather." };

const tools = {
  openai: [
    { type: "function", function: { ...tool, parameters, strict: false } },
  ] satisfies OpenAI.ChatCompletionTool[],
  "openai-responses": [{ type: "function", ...tool, parameters, strict: false }] satisfies OpenAI.Responses.Tool[],
  anthropic: [{ ...tool, input_schema: parameters }] satisfies Anthropic.Tool[],
  gemini: [{ functionDeclarations: [{ ...tool, parametersJsonSchema: parameters }] }] satisfies GeminiTool[],
  ollama: [{ type: "function", function: { ...tool, parameters } }] satisfies OllamaTool[],
  mcp: [{ ...tool, inputSchema: parameters, annotations: { readOnlyHint: true } }] satisfies McpTool[],
};

// The server knows `tool_call_id`, which the types of its client do not name yet.
type OllamaResult = OllamaMessage & { tool_call_id?: string };

const conversations = {
  openai: [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "4" },
  ] satisfies OpenAI.ChatCompletionMessageParam[],
  "openai-responses": [
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "4" },
  ] satisfies OpenAI.Responses.ResponseInputItem[],
  anthropic: [
    { role: "user", content: "Weather?" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "none", is_error: true }] },
  ] satisfies Anthropic.MessageParam[],
  gemini: [
    { role: "user", parts: [{ text: "Weather?" }] },
    { role: "model", parts: [{ functionCall: { id: "1", name: "weather", args: {} }, thoughtSignature: "c2ln" }] },
    { role: "user", parts: [{ functionResponse: { id: "1", name: "weather", response: { output: 4 } } }] },
  ] satisfies Content[],
  ollama: [
    { role: "assistant", content: "", tool_calls: [{ function: { name: "weather", arguments: {} } }] },
    { role: "tool", tool_name: "weather", content: "4" },
  ] satisfies OllamaResult[],
};

describe("what the official types take is taken", () => {
  it.each(Object.keys(tools) as (keyof typeof tools)[])("tools of %s", (dialect) => {
    expect(checkTools(dialect, tools[dialect])).toEqual([]);
  });

  it.each(Object.keys(conversations) as (keyof typeof conversations)[])("messages of %s", (dialect) => {
    expect(checkConversation(dialect, conversations[dialect])).toEqual([]);
  });
});
