import type { Call } from "../../core/call/call.ts";
import { parentFrom } from "../../core/call/span.ts";
import { CallError } from "../../errors/errors.ts";
import { type Exchange, header } from "../exchange.ts";
import { badQuery, readBoolean, readQuery, readWholeNumber } from "../query.ts";

const invokeNames = ["timeoutMs", "repair", "hash"] as const;

/** The settings of a call in the request. */
export type CallSettings = Partial<Pick<Call, "session" | "parent" | "timeoutMs" | "repair" | "hash" | "headers">>;

/** Each field is set explicitly: an absent one would be read from Object.prototype. */
export const noSettings: CallSettings = {
  session: undefined,
  parent: undefined,
  timeoutMs: undefined,
  repair: undefined,
  hash: undefined,
  headers: undefined,
};

/**
 * Reads the settings of a call from the query and the headers.
 * @param query the part of the query that contains settings of a call @default all of it
 * @param forwarded the headers that are sent on to sources, in lower case; other headers are not kept
 * @throws CallError `bad_request`
 */
export function readCallSettings(
  exchange: Exchange,
  forwarded: ReadonlySet<string>,
  query = exchange.query,
): CallSettings {
  const { headers } = exchange;
  refuseUnsupported(exchange);
  const session = header(exchange, "toolhost-session");
  const isPlain = session === undefined && query === "" && headers["traceparent"] === undefined;
  if (isPlain && forwarded.size === 0) return noSettings;
  if (session !== undefined) checkSession(session, exchange);
  const parent = headers["traceparent"] === undefined ? undefined : parentFrom(headers);
  const kept = forwarded.size === 0 ? undefined : pickHeaders(headers, forwarded);
  return { ...noSettings, session, parent, headers: kept, ...(query !== "" && readCallQuery(query)) };
}

function pickHeaders(headers: Exchange["headers"], names: ReadonlySet<string>): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (typeof value === "string") picked[name] = value;
  }
  return picked;
}

function checkSession(session: string, { incoming }: Exchange): void {
  if (session.length > 255) throw new CallError("bad_request", "Toolhost-Session may have at most 255 characters.");
  // Node joins two headers into one value, which equals neither of them.
  const isNamed = (name: string, index: number): boolean =>
    index % 2 === 0 && name.toLowerCase() === "toolhost-session";
  if (session.includes(",") && incoming !== undefined && incoming.rawHeaders.filter(isNamed).length > 1) {
    throw new CallError("bad_request", "The request has two Toolhost-Session headers.");
  }
}

function readCallQuery(text: string): CallSettings {
  const { timeoutMs, repair, hash } = readQuery(text, invokeNames);
  if (hash !== undefined && !/^sha256:[0-9a-f]{64}$/.test(hash)) {
    throw badQuery("hash", 'must be "sha256:" followed by 64 hexadecimal digits');
  }
  return { timeoutMs: readWholeNumber("timeoutMs", timeoutMs), repair: readBoolean("repair", repair), hash };
}

/** Features of later versions are refused until they exist: ignoring a key would break its promise. */
function refuseUnsupported(exchange: Exchange): void {
  if (exchange.headers["idempotency-key"] !== undefined) {
    throw new CallError("bad_request", "Idempotency-Key is not supported by this version of Toolhost.");
  }
  const prefer = exchange.headers["prefer"];
  if (prefer !== undefined && /\brespond-async\b/i.test(String(prefer))) {
    throw new CallError("bad_request", "Prefer: respond-async is not supported by this version of Toolhost.");
  }
}
