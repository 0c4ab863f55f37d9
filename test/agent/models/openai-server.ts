import type { ServerResponse } from "node:http";
import OpenAI from "openai";
import { onTestFinished } from "vitest";
import type { ModelPart } from "../../../src/agent/models/model.ts";
import { type CannedServer, startCannedServer } from "./canned-server.ts";

/** A server that answers every request so until the test ends, and OpenAI's client of it. */
export async function startOpenAi(
  answer: (response: ServerResponse) => void,
): Promise<{ readonly server: CannedServer; readonly client: OpenAI }> {
  const server = await startCannedServer(answer);
  onTestFinished(server.stop);
  return { server, client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "key", maxRetries: 0 }) };
}

export async function takeAll(parts: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const all: ModelPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}
