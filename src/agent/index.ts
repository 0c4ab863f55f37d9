/**
 * The exports of `toolhost/agent`, by name. A new line adds public API. It loads no provider's SDK: the caller
 * passes a client to each model.
 */
export type { ModelDialect } from "../dialects/dialects.ts";
export { createAgent } from "./agent.ts";
export { anthropic } from "./models/anthropic.ts";
export { gemini } from "./models/gemini.ts";
export { ollama } from "./models/ollama.ts";
export { openai } from "./models/openai.ts";
export { openaiResponses } from "./models/openai-responses.ts";
export { StreamError } from "../dialects/streaming/accumulator.ts";
export { hasToolCalls, isToolResult } from "./types.ts";
export { defineTool } from "../tool/tool.ts";

export type { Agent, ChatStream } from "./agent.ts";
export type { Model, ModelPart, ModelRequest } from "./models/model.ts";
export type { AgentOptions, ChatOptions } from "./options.ts";
export type { Usage } from "../dialects/conversation/conversation.ts";
export type { RemoteToolhost } from "./remote.ts";
export type { ChatResult } from "./rounds.ts";
export type {
  AgentTool,
  AssistantMessage,
  ChatMessage,
  ChatToolCall,
  ExecutableDefinition,
  SystemMessage,
  ToolCall,
  AgentToolChoice,
  OpenAiTool,
  ToolMessage,
  UserMessage,
} from "./types.ts";
