import type { Call } from "../../core/call/call.ts";
import { type Caller, findTool, findUnread, missingTool } from "../../core/caller.ts";
import { errorCodes } from "../../errors/errors.ts";
import type { Registry } from "../../core/registry/registry.ts";
import type { JsonDocument } from "../../json/parse.ts";
import { isReplay, type Outcome, outcomeCode, outcomeJson } from "../../core/outcome.ts";
import { unwatchDeparture, watchDeparture } from "../node/connections.ts";
import { wantsStream } from "./accept.ts";
import type { Responder, Route } from "../route.ts";
import type { Exchange } from "../exchange.ts";
import { refuseAny, takeJsonBody } from "../body/json-body.ts";
import type { BodyHandler } from "../body/received-body.ts";
import { type HttpReply, retryAfter } from "../http-reply.ts";
import { type CallSettings, noSettings, readCallSettings } from "./call-settings.ts";
import type { Calling } from "./calling.ts";
import { streamCall } from "./stream.ts";

/** `POST /tools/{name}/invoke`: the body is the arguments, the answer an outcome, as JSON or as a stream. */
export function createInvokeRoute(calling: Calling): Route<"/tools/:name/invoke"> {
  return {
    method: "POST",
    path: "/tools/:name/invoke",
    isFor: "callers",
    startsCalls: true,
    requestHeaders: ["toolhost-session", "traceparent", "tracestate"],
    handle(exchange, caller, { name }, responder) {
      const invocation = new Invocation(calling, exchange, caller, name, responder);
      try {
        invocation.settings = readCallSettings(exchange, calling.forwardedHeaders);
        takeJsonBody(exchange, calling.body, invocation);
      } catch (error) {
        // In a separate turn: if Node's parser refuses the rest of the same bytes, that error is the answer.
        queueMicrotask(() => invocation.refuseBody(error));
      }
      return undefined;
    },
  };
}

/** A request for one call. A class, because there is one for every call, and its methods must not be made for each. */
class Invocation implements BodyHandler {
  readonly #calling: Calling;
  readonly #exchange: Exchange;
  readonly #caller: Caller;
  readonly #name: string;
  readonly #responder: Responder;
  settings: CallSettings = noSettings;

  constructor(calling: Calling, exchange: Exchange, caller: Caller, name: string, responder: Responder) {
    this.#calling = calling;
    this.#exchange = exchange;
    this.#caller = caller;
    this.#name = name;
    this.#responder = responder;
  }

  takeDocument(document: JsonDocument): void {
    const args = refuseAny(document);
    const { registry, startCall } = this.#calling;
    const exchange = this.#exchange;
    const responder = this.#responder;
    const cancellation = watchDeparture(exchange);
    const { session, parent, timeoutMs, repair, hash, headers } = this.settings;
    const call: Call = {
      name: this.#name,
      callId: undefined,
      arguments: args,
      caller: this.#caller,
      cancellation,
      requestId: exchange.requestId,
      session,
      parent,
      timeoutMs,
      repair,
      hash,
      headers,
    };
    if (wantsStream(exchange) && mayExist(registry, call)) {
      return responder.reply(streamCall(startCall, call, () => unwatchDeparture(exchange, cancellation)));
    }
    startCall(call, (outcome) => {
      unwatchDeparture(exchange, cancellation);
      responder.reply(outcomeReply(outcome));
    });
  }

  refuseBody(error: unknown): void {
    const call = { name: this.#name, caller: this.#caller };
    // Only for an invalid body: with a valid body, the call itself finds the tool.
    const { registry } = this.#calling;
    this.#responder.fail(mayExist(registry, call) ? error : missingTool(registry, call));
  }
}

function mayExist(registry: Registry, call: Pick<Call, "name" | "caller">): boolean {
  return findTool(registry, call) !== undefined || findUnread(registry, call) !== undefined;
}

function outcomeReply(outcome: Outcome): HttpReply {
  const code = outcomeCode(outcome);
  const status = code === "ok" ? 200 : errorCodes[code].status;
  const headers: Record<string, string> = { "content-type": "application/json", "toolhost-outcome": code };
  if (isReplay(outcome)) headers["idempotency-replayed"] = "true";
  if (outcome.status === "error") {
    const wait = retryAfter(status, outcome.error.retryAfterMs);
    if (wait !== undefined) headers["retry-after"] = wait;
  }
  return { status, headers, body: outcomeJson(outcome) };
}
