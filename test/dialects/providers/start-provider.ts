import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { RecordedDialect } from "../recorded/recorded-turn.ts";
import { isObject, type Json } from "../rules/breach.ts";
import { checkTools } from "../rules/check-tools.ts";
import { checkConversation } from "./check-conversation.ts";
import type { ConversationBreach } from "./conversation.ts";
import { toolChoiceBreaches } from "./tool-choice.ts";
import { type Wire, wires } from "./wire.ts";

export interface ProviderOptions {
  readonly dialect: RecordedDialect;
  /** Whole answers, given in this order, one for each request that is good. */
  readonly turns: readonly unknown[];
}

export interface ProviderRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  /** What it was refused by: empty where it was answered. */
  readonly breaches: readonly ConversationBreach[];
}

export interface StandIn {
  /** `http://127.0.0.1:…`, without a path. */
  readonly url: string;
  readonly requests: readonly ProviderRequest[];
  stop(): Promise<void>;
}

/**
 * A stand-in of a provider: refuses what the provider refuses, in its words, and answers the rest with recorded turns.
 * It knows what it answered before, and so whether that came back unchanged.
 */
export async function startProvider({ dialect, turns }: ProviderOptions): Promise<StandIn> {
  const requests: ProviderRequest[] = [];
  const sent: unknown[] = [];
  const wire = wires[dialect];

  const answer = (request: IncomingMessage, written: string): { status: number; value: unknown } => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    if (request.method !== "POST" || !wire.path.test(path)) {
      return { status: 404, value: wire.refusal(404, `Unknown request URL: ${request.method} ${path}.`, "") };
    }
    const body = readObject(written);
    if (body === undefined) return { status: 400, value: wire.refusal(400, "The body is no JSON object.", "") };
    const breaches = [...headBreaches(wire, request.headers, body), ...bodyBreaches(dialect, body, sent)];
    requests.push({ path, headers: request.headers, body, breaches });
    const [first] = breaches;
    if (first !== undefined) return { status: 400, value: wire.refusal(400, first.message, first.path) };
    if (sent.length === turns.length) return { status: 500, value: wire.refusal(500, "No recorded turn is left.", "") };
    const turn = turns[sent.length];
    sent.push(turn);
    return { status: 200, value: turn };
  };

  const server = createServer(async (request, response) => {
    const { status, value } = answer(request, await text(request));
    write(response, status, value);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function headBreaches(wire: Wire, headers: IncomingHttpHeaders, body: Json): ConversationBreach[] {
  const keyless = wire.key.length > 0 && !wire.key.some((name) => headers[name]);
  const wrong = Object.entries({ ...wire.headers, "content-type": /^application\/json\b/ })
    .filter(([name, form]) => !form.test(String(headers[name] ?? "")))
    .map(([name]) => name);
  const missing = [...(keyless ? wire.key.slice(0, 1) : []), ...wrong].map((name) => ({
    path: "",
    rule: "header",
    message: `${name}: header is required`,
  }));
  const absent = wire.required
    .filter((field) => !Object.hasOwn(body, field))
    .map((field) => ({ path: `/${field}`, rule: "field", message: `${field}: Field required` }));
  const streams =
    body["stream"] === true ? [{ path: "/stream", rule: "stream", message: "Nothing is streamed here." }] : [];
  return [...missing, ...absent, ...streams];
}

function bodyBreaches(dialect: RecordedDialect, body: Json, sent: readonly unknown[]): ConversationBreach[] {
  return [
    ...(Object.hasOwn(body, "tools") ? checkTools(dialect, body["tools"]) : []),
    ...toolChoiceBreaches(dialect, body),
    ...checkConversation(dialect, wires[dialect].conversation(body, sent), sent),
  ];
}

function readObject(written: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(written);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function write(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
