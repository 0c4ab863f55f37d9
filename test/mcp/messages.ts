import type { Era } from "../../src/mcp/revisions.ts";
import { mcpDoor } from "../../src/mcp/http/door.ts";
import type { RegistryOptions } from "../../src/core/registry/registry.ts";
import type { AppOptions } from "../../src/http/app.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { appOf } from "../http/app-in-memory.ts";

/** A message of the server, whatever it is. */
export interface ServerMessage {
  readonly jsonrpc?: string;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** In their order; several in a stream. */
  readonly messages: readonly ServerMessage[];
  /** The last of them. */
  readonly message: ServerMessage;
}

export const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** An app with tools that also serves MCP. */
export function mcpApp(
  tools: readonly Partial<Tool>[],
  options: Partial<AppOptions> = {},
  registryOptions: RegistryOptions = {},
): ReturnType<typeof appOf> {
  return appOf(tools, { doors: [mcpDoor], ...options }, registryOptions);
}

/** What answers requests: an app in memory, or one behind a socket. */
export interface Asked {
  request(path: string, init?: RequestInit): Response | Promise<Response>;
}

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly path?: string;
  readonly id?: unknown;
}

/** Sends a request as a client of an era does, but for what the test says. A header that is undefined is left out. */
export async function ask(
  app: Asked,
  era: Era,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { headers = {}, path = "/mcp", id = 1 }: AskOptions = {},
): Promise<McpAnswer> {
  const meta = params["_meta"] as object | undefined;
  const isModern = era === "modern";
  const ofEra = isModern
    ? {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": typeof params["name"] === "string" ? params["name"] : undefined,
      }
    : { "mcp-protocol-version": "2025-11-25" };
  const sent = {
    jsonrpc: "2.0",
    id,
    method,
    params: isModern ? { ...params, _meta: { ...modernMeta, ...meta } } : params,
  };
  return post(app, JSON.stringify(sent), { ...ofEra, ...headers }, path);
}

/** Posts any text. */
export async function post(
  app: Asked,
  body: string,
  headers: Readonly<Record<string, string | undefined>> = {},
  path = "/mcp",
): Promise<McpAnswer> {
  const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return readMcpAnswer(await app.request(path, { method: "POST", headers: given, body }));
}

export async function readMcpAnswer(response: Response): Promise<McpAnswer> {
  const text = await response.text();
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const texts = isStream
    ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data)
    : text === ""
      ? []
      : [text];
  const messages = texts.map((each) => JSON.parse(each) as ServerMessage);
  return { status: response.status, headers: response.headers, messages, message: messages.at(-1) ?? {} };
}

/** Calls a tool. */
export function callTool(
  app: Asked,
  era: Era,
  name: string,
  args?: unknown,
  { meta, ...options }: AskOptions & { readonly meta?: object } = {},
): Promise<McpAnswer> {
  const params = { name, ...(args !== undefined && { arguments: args }), ...(meta !== undefined && { _meta: meta }) };
  return ask(app, era, "tools/call", params, options);
}
