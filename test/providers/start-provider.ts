import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import { isObject, type Json } from "./rules/breach.ts";
import { checkTools } from "./rules/check-tools.ts";
import { type Answer, brokenAnswer, jsonAnswer, streamedAnswer, wholeAnswer, write } from "./answers.ts";
import { checkConversation } from "./check-conversation.ts";
import { containerBreaches } from "./container.ts";
import type { ConversationBreach } from "./conversation.ts";
import { clientTools, ownToolBreaches } from "./own-tools.ts";
import { storedBreaches } from "./stored.ts";
import { thoughtBreaches } from "./thoughts.ts";
import { streams } from "./stream/streams.ts";
import { toolChoiceBreaches } from "./tool-choice.ts";
import { isBrokenOff, isRefusal, isStreamedTurn } from "./turns.ts";
import { type Wire, wires } from "./wire.ts";

export interface ProviderOptions {
  readonly dialect: RecordedDialect;
  /**
   * Given in this order, one for each request that is good: whole answers, which are cut into the provider's own events
   * where a stream is asked for; or what `refusal`, `brokenOff`, `stalled` and `streamedAs` of turns.ts make.
   */
  readonly turns: readonly unknown[];
}

export interface ProviderRequest {
  readonly path: string;
  readonly isStreamed: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  /** What it was refused by: empty where it was answered. */
  readonly breaches: readonly ConversationBreach[];
  /** Kept when the connection has closed before the answer was whole, as it does where the client leaves. */
  readonly left: Promise<void>;
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
  let given = 0;

  const refuse = (status: number, message: string, path = "", headers = {}): Answer =>
    jsonAnswer(status, wire.refusal(status, message, path), headers);
  const answer = (request: IncomingMessage, written: string, left: Promise<void>): Answer => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const path = url.pathname;
    if (request.method !== "POST" || !wire.path.test(path)) {
      return refuse(404, `Unknown request URL: ${request.method} ${path}.`);
    }
    const body = readObject(written);
    if (body === undefined) return refuse(400, "The body is no JSON object.");
    const isStreamed = streams[dialect].isAsked(body, url);
    const breaches = [
      ...headBreaches(wire, request.headers, body),
      ...streamBreaches(dialect, body, url),
      ...bodyBreaches(dialect, body, sent),
    ];
    requests.push({ path, isStreamed, headers: request.headers, body, breaches, left });
    const [first] = breaches;
    if (first !== undefined) return refuse(400, first.message, first.path);
    if (given === turns.length) return refuse(500, "No recorded turn is left.");
    const turn = turns[given];
    given += 1;
    if (isRefusal(turn)) return refuse(turn.status, turn.message, "", turn.headers);
    if (isBrokenOff(turn)) return brokenAnswer(dialect, turn, isStreamed ? body : undefined);
    if (isStreamedTurn(turn)) {
      sent.push(turn.turn);
      return streamedAnswer(dialect, turn, isStreamed ? body : undefined);
    }
    sent.push(turn);
    return wholeAnswer(dialect, turn, isStreamed ? body : undefined);
  };

  const server = createServer(async (request, response) => {
    const left = leaving(response);
    await write(response, answer(request, await text(request), left));
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

function leaving(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", () => {
      if (!response.writableFinished) resolve();
    });
  });
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
  return [...missing, ...absent];
}

function streamBreaches(dialect: RecordedDialect, body: Json, url: URL): ConversationBreach[] {
  const isStreamed = streams[dialect].isAsked(body, url);
  if (dialect === "gemini" && isStreamed && url.searchParams.get("alt") !== "sse") {
    return [{ path: "", rule: "stream", message: "A stream is told here as server-sent events alone: alt=sse." }];
  }
  if (dialect === "gemini" && Object.hasOwn(body, "stream")) {
    const message = 'Invalid JSON payload received. Unknown name "stream": Cannot find field.';
    return [{ path: "/stream", rule: "stream", message }];
  }
  if (dialect === "openai" && !isStreamed && body["stream_options"] != null) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return [{ path: "/stream_options", rule: "stream", message }];
  }
  return [];
}

function bodyBreaches(dialect: RecordedDialect, body: Json, sent: readonly unknown[]): ConversationBreach[] {
  return [
    ...(Object.hasOwn(body, "tools") ? checkTools(dialect, clientTools(dialect, body["tools"])) : []),
    ...ownToolBreaches(dialect, body),
    ...toolChoiceBreaches(dialect, body),
    ...storedBreaches(dialect, body, sent),
    ...containerBreaches(dialect, body, sent),
    ...thoughtBreaches(dialect, body, sent),
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
