import type { ErrorBody } from "../../src/errors/errors.ts";
import { createRegistry, type Registry, type RegistryOptions } from "../../src/core/registry/registry.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { type App, type AppOptions, createApp } from "../../src/http/app.ts";
import { toolOf } from "../core/one-tool.ts";

/** The body of an answer to a call, or to a request that never became one. */
export interface AnswerBody {
  readonly status: "ok" | "error";
  readonly callId?: string;
  readonly result?: unknown;
  readonly error?: ErrorBody;
  readonly repairs?: readonly unknown[];
}

export type BodyBytes = string | Uint8Array<ArrayBuffer>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnswerBody;
}

/** An app whose tools are given by what they have beyond a tool that echoes its arguments. */
export function appOf(
  tools: readonly Partial<Tool>[],
  options: Partial<AppOptions> = {},
  registryOptions: RegistryOptions = {},
): { readonly app: App; readonly registry: Registry } {
  const registry = createRegistry({ env: {}, ...registryOptions, tools: tools.map(toolOf) });
  return { app: createApp({ registry, ...options }), registry };
}

/** Posts a body as JSON, but for what the test says, and reads the answer. */
export async function post(
  app: App,
  path: string,
  body?: BodyBytes,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const init = { method: "POST", headers: { ...type, ...headers }, ...(body !== undefined && { body }) };
  return readAnswer(await app.request(path, init));
}

export async function readAnswer(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as AnswerBody };
}
