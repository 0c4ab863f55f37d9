import type { Model, ModelRequest } from "../../../src/agent/models/model.ts";

/** A turn in which the user says hello: what a test is about is given. */
export function requestWith(fields: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [], system: undefined, tools: [], toolChoice: {}, signal: undefined, ...fields };
}

/** All of a model's stream: its text, and the reply that comes last. */
export async function readStream(model: Model, request: ModelRequest): Promise<{ text: string; reply: unknown }> {
  let text = "";
  let reply: unknown;
  for await (const part of model.stream(request)) {
    if (part.type === "text") text += part.text;
    else reply = part.reply;
  }
  return { text, reply };
}
