import { expect } from "vitest";
import type { RegistryOptions } from "../../src/core/registry/registry.ts";
import type { Tool } from "../../src/tool/tool.ts";
import type { DialectName } from "../../src/dialects/dialects.ts";
import { appOf, post } from "../http/app-in-memory.ts";
import type { Result } from "../http/routes/call-results.ts";

/** The answer to a reply that was handed to `POST /calls?format=…`. */
export interface ReplyAnswer {
  readonly messages: readonly Record<string, unknown>[];
  readonly results: readonly Result[];
  readonly done: boolean;
  readonly resume?: boolean;
  readonly warnings: readonly { readonly call: number | null; readonly message: string }[];
}

export interface AskOptions {
  readonly tools?: readonly Partial<Tool>[];
  readonly query?: string;
  readonly registry?: RegistryOptions;
}

const place = { type: "object", properties: { location: { type: "string" } }, required: ["location"] };

/** Tools that the replies of these tests call. */
export const weatherTools: readonly Partial<Tool>[] = [
  { name: "get_weather", parameters: place, execute: ({ location }) => ({ location, temperature: 12 }) },
  { name: "now", execute: () => "noon" },
  {
    name: "echo",
    parameters: { type: "object", properties: { limit: { type: "integer" } } },
    execute: (args) => args,
  },
  {
    name: "fail",
    execute: () => {
      throw new Error("secret");
    },
  },
];

/** Hands a reply, as a value or as its text, to an app with the tools. */
export async function askText(format: DialectName, reply: unknown, options: AskOptions = {}): Promise<string> {
  const { tools = weatherTools, query = "", registry = {} } = options;
  const { app } = appOf(tools, {}, registry);
  const body = typeof reply === "string" ? reply : JSON.stringify(reply);
  const headers = { "content-type": "application/json" };
  const response = await app.request(`/calls?format=${format}${query}`, { method: "POST", headers, body });
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(200);
  return text;
}

export async function ask(format: DialectName, reply: unknown, options: AskOptions = {}): Promise<ReplyAnswer> {
  return JSON.parse(await askText(format, reply, options)) as ReplyAnswer;
}

/** The message of the 400 that a body gets which is no reply of that format. */
export async function refusalOf(format: DialectName, reply: unknown): Promise<string> {
  const { app } = appOf(weatherTools);
  const text = typeof reply === "string" ? reply : JSON.stringify(reply);
  const { status, body } = await post(app, `/calls?format=${format}`, text);
  expect({ status, code: body.error?.code }, text).toEqual({ status: 400, code: "bad_request" });
  return body.error!.message;
}

/** `ok`, or the code of each result. */
export const codesOf = ({ results }: ReplyAnswer): string[] => results.map(({ error }) => error?.code ?? "ok");
