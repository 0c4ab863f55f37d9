import { Agent, request as send } from "undici";
import { isJsonObject, type JsonObject, ownMember } from "../../json/object.ts";
import { encodeHeaderValue } from "../../dialects/mcp/header-value.ts";
import { errorMessage, rpcCodes } from "../json-rpc.ts";
import type { Replies, Request } from "../method.ts";
import {
  type ParameterHeader,
  readParameterHeaders,
  writeParameterHeaders,
} from "../../dialects/mcp/parameter-headers.ts";
import { metaKeys } from "../revisions.ts";
import { eventsOf } from "./events.ts";
import type { AnswerRequest } from "./serve-lines.ts";

/**
 * Passes the requests of a client on to the `/mcp` of a running Toolhost, and what it answers back.
 * @param url of `/mcp`
 */
export function createBridge(url: string, key: string | undefined): AnswerRequest {
  // A call may take longer than a client of HTTP waits by default: the service limits its time.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const common = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  /** By tool, from the last list. */
  let parameterHeaders: ReadonlyMap<unknown, readonly ParameterHeader[]> = new Map();

  return (request, text, replies, cancellation) => {
    const controller = new AbortController();
    cancellation.target = { cancel: () => controller.abort() };
    pass(request, text, replies, controller.signal).catch(() =>
      replies.respond(failure(request, `The Toolhost at ${url} cannot be reached, or its answer was incomplete.`)),
    );
  };

  async function pass(request: Request, body: string, replies: Replies, signal: AbortSignal): Promise<void> {
    const response = await exchange(request, body, replies, signal);
    if (!needsHeaders(request, response)) return replies.respond(response);
    // The client's list may be older than this bridge, or from another one. The call did not run.
    const list = { ...request, method: "tools/list", params: { _meta: request.params["_meta"] } };
    const { id, method, params } = list;
    await exchange(list, JSON.stringify({ jsonrpc: "2.0", id, method, params }), {}, signal);
    replies.respond(await exchange(request, body, replies, signal));
  }

  /** Whether a call lacks headers that only the list of tools names. */
  function needsHeaders({ era, method }: Request, response: string): boolean {
    if (era !== "modern" || method !== "tools/call" || !response.includes(String(rpcCodes.headerMismatch)))
      return false;
    return ownMember(ownMember(parse(response), "error"), "code") === rpcCodes.headerMismatch;
  }

  /** @returns the response, as a line */
  async function exchange(
    request: Request,
    body: string,
    { notify }: Pick<Replies, "notify">,
    signal: AbortSignal,
  ): Promise<string> {
    const headers = { ...common, ...(request.era === "modern" && headersOf(request)) };
    const {
      statusCode,
      headers: answered,
      body: answer,
    } = await send(url, {
      method: "POST",
      headers,
      body,
      signal,
      dispatcher,
    });
    let response: string | undefined;
    const isStream = String(answered["content-type"]).startsWith("text/event-stream");
    for await (const text of isStream ? eventsOf(answer) : [await answer.text()]) {
      const message = parse(text);
      if (!isJsonObject(message) || message["jsonrpc"] !== "2.0") break;
      // Not written anew: its numbers stay as they are. Line breaks are only between its values.
      const line = text.replaceAll(/[\r\n]/g, " ");
      if (message["method"] !== undefined) notify?.(line);
      else response = responseTo(request, message, line);
    }
    return (
      response ??
      failure(request, `The server at ${url} answered ${statusCode}, and the answer is not an MCP response.`)
    );
  }

  function responseTo({ method, id }: Request, message: JsonObject, line: string): string {
    if (method === "tools/list") noteHeaders(message["result"]);
    // What was refused before it was read has no id.
    return message["id"] === id ? line : JSON.stringify({ ...message, id });
  }

  function noteHeaders(result: unknown): void {
    const tools = ownMember(result, "tools");
    if (!Array.isArray(tools)) return;
    const listed = tools.filter(isJsonObject);
    parameterHeaders = new Map(listed.map(({ name, inputSchema }) => [name, headersIn(inputSchema)]));
  }

  function headersOf({ method, params, meta }: Request): Record<string, string> {
    const { name, arguments: args } = params;
    const headers: Record<string, string> = {
      "mcp-protocol-version": String(meta[metaKeys.protocolVersion]),
      "mcp-method": encodeHeaderValue(method),
    };
    if (method !== "tools/call" || typeof name !== "string") return headers;
    headers["mcp-name"] = encodeHeaderValue(name);
    return { ...headers, ...writeParameterHeaders(parameterHeaders.get(name) ?? [], args) };
  }
}

function headersIn(inputSchema: unknown): readonly ParameterHeader[] {
  return (isJsonObject(inputSchema) ? readParameterHeaders(inputSchema) : undefined) ?? [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

function failure({ id }: Request, message: string): string {
  return errorMessage({ code: rpcCodes.internalError, message, id });
}
