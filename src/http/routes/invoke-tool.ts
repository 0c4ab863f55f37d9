import type { Call } from "../../core/call/call.ts";
import { type Caller, findTool } from "../../core/caller.ts";
import { CallError, errorCodes } from "../../core/errors.ts";
import { startCall, unknownTool } from "../../core/call/invoke.ts";
import type { JsonDocument } from "../../json/parse.ts";
import { type Outcome, outcomeCode, outcomeJson } from "../../core/outcome.ts";
import type { Registry } from "../../core/registry/registry.ts";
import { parentFrom } from "../../core/call/span.ts";
import { unwatchDeparture, watchDeparture } from "../node/connections.ts";
import { wantsStream } from "./accept.ts";
import type { Responder } from "../answer.ts";
import { type Exchange, header } from "../exchange.ts";
import { refuseAny, takeJsonBody } from "../body/json-body.ts";
import { badQuery, readBoolean, readQuery, readWholeNumber } from "../query.ts";
import type { BodyHandler, BodyLimits } from "../body/received-body.ts";
import { type HttpReply, retryAfter } from "../http-reply.ts";
import { streamCall } from "./stream.ts";

export interface InvokeOptions {
  /** Of a call, or of many that the caller wrote. */
  readonly body: BodyLimits;
  /** Of a model's reply, which may hold images and long reasoning beside its calls. */
  readonly reply: BodyLimits;
}

const invokeNames = ["timeoutMs", "repair", "hash"] as const;

/** `POST /tools/{name}/invoke`: the body is the arguments, the answer an outcome, as JSON or as a stream. */
export function invokeTool(
  registry: Registry,
  options: InvokeOptions,
  exchange: Exchange,
  caller: Caller,
  name: string,
  later: Responder,
): void {
  const invocation = new Invocation(registry, exchange, caller, name, later);
  try {
    invocation.settings = readCallSettings(exchange);
    takeJsonBody(exchange, options.body, invocation);
  } catch (error) {
    // Not at once: where Node's parser refuses what follows of the same bytes, that is the answer.
    queueMicrotask(() => invocation.refuseBody(error));
  }
}

/** A request for one call. A class, because there is one for every call, and its methods must not be made for each. */
class Invocation implements BodyHandler {
  readonly #registry: Registry;
  readonly #exchange: Exchange;
  readonly #caller: Caller;
  readonly #name: string;
  readonly #later: Responder;
  settings: CallSettings = noSettings;

  constructor(registry: Registry, exchange: Exchange, caller: Caller, name: string, later: Responder) {
    this.#registry = registry;
    this.#exchange = exchange;
    this.#caller = caller;
    this.#name = name;
    this.#later = later;
  }

  takeDocument(document: JsonDocument): void {
    const args = refuseAny(document);
    const registry = this.#registry;
    const exchange = this.#exchange;
    const later = this.#later;
    const cancellation = watchDeparture(exchange);
    const { session, parent, timeoutMs, repair, hash } = this.settings;
    const call: Call = {
      name: this.#name,
      arguments: args,
      caller: this.#caller,
      cancellation,
      requestId: exchange.requestId,
      session,
      parent,
      timeoutMs,
      repair,
      hash,
    };
    if (wantsStream(exchange) && findTool(registry, call) !== undefined) {
      return later.reply(streamCall(registry, call, () => unwatchDeparture(exchange, cancellation)));
    }
    startCall(registry, call, (outcome) => {
      unwatchDeparture(exchange, cancellation);
      later.reply(outcomeReply(outcome));
    });
  }

  refuseBody(error: unknown): void {
    const call = { name: this.#name, caller: this.#caller };
    // Looked for here only: where all is well, the call itself finds out.
    const isKnown = findTool(this.#registry, call) !== undefined;
    this.#later.fail(isKnown ? error : unknownTool(this.#registry, call));
  }
}

type CallSettings = Partial<Pick<Call, "session" | "parent" | "timeoutMs" | "repair" | "hash">>;

/** Each field is written out: one that is only absent would be read from Object.prototype. */
const noSettings: CallSettings = {
  session: undefined,
  parent: undefined,
  timeoutMs: undefined,
  repair: undefined,
  hash: undefined,
};

/** What the query and the headers say of how to call. @throws CallError `bad_request` */
export function readCallSettings(exchange: Exchange): CallSettings {
  const { headers, query } = exchange;
  refuseUnsupported(exchange);
  const session = header(exchange, "toolhost-session");
  if (session === undefined && query === "" && headers["traceparent"] === undefined) return noSettings;
  if (session !== undefined) checkSession(session, exchange);
  const parent = headers["traceparent"] === undefined ? undefined : parentFrom(headers);
  return { ...noSettings, session, parent, ...(query !== "" && readCallQuery(query)) };
}

function checkSession(session: string, { incoming }: Exchange): void {
  if (session.length > 255) throw new CallError("bad_request", "Toolhost-Session may have at most 255 characters.");
  // Node joins two into one, which neither of them is.
  const isNamed = (name: string, index: number): boolean =>
    index % 2 === 0 && name.toLowerCase() === "toolhost-session";
  if (session.includes(",") && incoming !== undefined && incoming.rawHeaders.filter(isNamed).length > 1) {
    throw new CallError("bad_request", "The request has two Toolhost-Session headers.");
  }
}

function readCallQuery(text: string): CallSettings {
  const { timeoutMs, repair, hash } = readQuery(text, invokeNames);
  if (hash !== undefined && !/^sha256:[0-9a-f]{64}$/.test(hash)) {
    throw badQuery("hash", "must be sha256: and 64 hexadecimal digits");
  }
  return { timeoutMs: readWholeNumber("timeoutMs", timeoutMs), repair: readBoolean("repair", repair), hash };
}

/** What a later version will do is refused until it does it: a key that is ignored promises what nobody keeps. */
function refuseUnsupported(exchange: Exchange): void {
  if (exchange.headers["idempotency-key"] !== undefined) {
    throw new CallError("bad_request", "Idempotency-Key is not supported by this version of Toolhost.");
  }
  const prefer = exchange.headers["prefer"];
  if (prefer !== undefined && /\brespond-async\b/i.test(String(prefer))) {
    throw new CallError("bad_request", "Prefer: respond-async is not supported by this version of Toolhost.");
  }
}

function outcomeReply(outcome: Outcome): HttpReply {
  const code = outcomeCode(outcome);
  const status = code === "ok" ? 200 : errorCodes[code].status;
  const headers: Record<string, string> = { "content-type": "application/json", "toolhost-outcome": code };
  if (outcome.status === "error") {
    const wait = retryAfter(status, outcome.error.retryAfterMs);
    if (wait !== undefined) headers["retry-after"] = wait;
  }
  return { status, headers, body: outcomeJson(outcome) };
}
