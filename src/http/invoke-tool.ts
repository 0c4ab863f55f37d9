import type { Call } from "../core/call.ts";
import { type Caller, findTool } from "../core/caller.ts";
import { CallError, errorCodes } from "../core/errors.ts";
import { startCall, unknownTool } from "../core/invoke.ts";
import { type Outcome, outcomeCode, outcomeJson } from "../core/outcome.ts";
import type { Registry } from "../core/registry.ts";
import { parentFrom } from "../core/span.ts";
import { unwatchDeparture, watchDeparture } from "./connections.ts";
import { acceptsStream } from "./accept.ts";
import type { Later } from "./answer.ts";
import { type Exchange, header } from "./exchange.ts";
import { refuseAny, takeJsonBody } from "./json-body.ts";
import { badQuery, readBoolean, readQuery, readWholeNumber } from "./query.ts";
import type { BodyLimits } from "./received-body.ts";
import { type Reply, retryAfter } from "./reply.ts";
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
  later: Later,
): void {
  const refuse = (error: unknown): void => {
    // Looked for here only: where all is well, the call itself finds out.
    later.fail(findTool(registry, { name, caller }) === undefined ? unknownTool(registry, { name, caller }) : error);
  };
  try {
    const settings = readCallSettings(exchange);
    takeJsonBody(exchange, options.body, refuse, (document) => {
      const args = refuseAny(document);
      const cancellation = watchDeparture(exchange);
      const { session, parent, timeoutMs, repair, hash } = settings;
      const { requestId } = exchange;
      const call: Call = {
        name,
        arguments: args,
        caller,
        cancellation,
        requestId,
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
    });
  } catch (error) {
    // Not at once: where Node's parser refuses what follows of the same bytes, that is the answer.
    queueMicrotask(() => refuse(error));
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

const eventStream = "text/event-stream";

export function wantsStream({ headers }: Pick<Exchange, "headers">): boolean {
  const accept = headers["accept"];
  return typeof accept === "string" && accept.length >= eventStream.length && acceptsStream(accept);
}

function outcomeReply(outcome: Outcome): Reply {
  const code = outcomeCode(outcome);
  const status = code === "ok" ? 200 : errorCodes[code].status;
  const headers: Record<string, string> = { "content-type": "application/json", "toolhost-outcome": code };
  if (outcome.status === "error") {
    const wait = retryAfter(status, outcome.error.retryAfterMs);
    if (wait !== undefined) headers["retry-after"] = wait;
  }
  return { status, headers, body: outcomeJson(outcome) };
}
