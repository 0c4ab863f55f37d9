import type { Model, ModelPart, ModelRequest } from "../../src/agent/models/model.ts";
import type { ModelDialect } from "../../src/dialects/dialects.ts";

export interface ScriptedModel extends Model {
  /** What it was asked, as it stood then. */
  readonly requests: ModelRequest[];
}

/** Gives these replies one after the other, an error by throwing it. Streams give their text in two pieces. */
export function scriptedModel(replies: readonly unknown[], dialect: ModelDialect = "openai"): ScriptedModel {
  const requests: ModelRequest[] = [];
  async function next(request: ModelRequest): Promise<unknown> {
    const reply = replies[requests.length];
    requests.push({ ...request, messages: structuredClone(request.messages) });
    if (reply === undefined) throw new Error("The script has no more replies.");
    if (reply instanceof Error) throw reply;
    return typeof reply === "function" ? (reply as (request: ModelRequest) => unknown)(request) : reply;
  }
  return {
    dialect,
    requests,
    generate: next,
    async *stream(request): AsyncGenerator<ModelPart> {
      const reply = await next(request);
      const text = (reply as { choices?: { message?: { content?: string } }[] }).choices?.[0]?.message?.content ?? "";
      for (const piece of [text.slice(0, 2), text.slice(2)]) yield { type: "text", text: piece };
      yield { type: "reply", reply };
    },
  };
}

/** A chat completion of OpenAI that says this. */
export function says(content: string | null, more: object = {}, finish = "stop"): object {
  return {
    choices: [{ index: 0, message: { role: "assistant", content, ...more }, finish_reason: finish }],
    usage: { prompt_tokens: 10, completion_tokens: 2 },
  };
}

/** One that calls tools: each as its id, name and arguments. */
export function calls(...made: [id: string, name: string, args: unknown][]): object {
  const toolCalls = made.map(([id, name, args]) => ({
    id,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
  return says(null, { tool_calls: toolCalls }, "tool_calls");
}
