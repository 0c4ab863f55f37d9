import { createAccessTokens } from "../../credentials/oauth.ts";
import { readCredentials } from "../../credentials/credentials.ts";
import { readRetryAfter } from "../../credentials/retry-after.ts";
import type { McpSetting } from "../setting.ts";
import type { FloodLimit } from "../flood-limit.ts";
import { withReading } from "./answer-body.ts";
import { statusFailure } from "./status-failure.ts";

/** A server may still quote a token that was replaced. */
const maxRememberedTokens = 4;
/** Headers that make MCP over HTTP: no setting replaces them. */
const own = /^(?:mcp-|content-|accept$|last-event-id$)/;

/**
 * The fetch of a server's transport: with the operator's credentials, for the origin of the server alone. A 401 renews a token once,
 * and repeats the request unless it calls a tool. A call that is refused with `Retry-After` rejects with an UpstreamError.
 * @param fetch obeys the egress rules
 * @param secrets gets the texts that no error and no log line may contain
 * @param flood limits the streams that the server sends
 * @throws SourceError for a value that a header cannot contain
 */
export function createServerFetch(
  { mcp, auth, headers }: Pick<McpSetting, "mcp" | "auth" | "headers">,
  fetch: typeof globalThis.fetch,
  secrets: string[],
  flood: FloodLimit,
): typeof globalThis.fetch {
  const credentials = readCredentials({
    ...(auth !== undefined && { auth }),
    ...(headers !== undefined && { headers }),
  });
  const tokens = auth !== undefined && "oauth2" in auth ? createAccessTokens(auth.oauth2, fetch) : undefined;
  const { origin } = new URL(mcp.url ?? "");
  secrets.push(...credentials.secrets);
  const used: string[] = [];
  const remember = (token: string): string => {
    if (used.includes(token)) return token;
    used.push(token);
    secrets.push(token);
    if (used.length > maxRememberedTokens) secrets.splice(secrets.indexOf(used.shift()!), 1);
    return token;
  };

  const send = async (url: URL, init: RequestInit | undefined, token: string | undefined): Promise<Response> => {
    const { headers: added, query, cookie } = credentials.additions({}, token);
    const all = new Headers(init?.headers);
    for (const [name, value] of added) if (!own.test(name.toLowerCase())) all.set(name, value);
    if (cookie !== "") all.set("cookie", cookie);
    const target = new URL(url);
    if (query !== "") target.search = target.search === "" ? query : `${target.search}&${query}`;
    if (holds(init?.body, '"method":')) flood.expect();
    const response = await fetch(target, { ...init, headers: all });
    const isCall = callsTool(init?.body);
    const retryAfterMs = isCall ? readRetryAfter(response) : undefined;
    if (retryAfterMs === undefined) {
      // A list stays as it is: its schemas may have such an integer as a bound.
      return withReading(response, { marksIntegers: isCall || (init?.method ?? "GET") === "GET", flood });
    }
    // The client's own error has no headers.
    void response.body?.cancel().catch(() => undefined);
    throw statusFailure(response.status, { retryAfterMs });
  };
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) return fetch(url, init);
    if (tokens === undefined) return send(url, init, undefined);
    const signal = init?.signal ?? new AbortController().signal;
    const token = remember(await tokens.get(signal));
    const response = await send(url, init, token);
    if (response.status !== 401) return response;
    tokens.refuse(token);
    if (callsTool(init?.body)) return response;
    void response.body?.cancel().catch(() => undefined);
    return send(url, init, remember(await tokens.get(signal)));
  };
}

function callsTool(body: unknown): boolean {
  return holds(body, '"method":"tools/call"');
}

function holds(body: unknown, json: string): boolean {
  return typeof body === "string" && body.includes(json);
}
