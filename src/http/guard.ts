import { createHash, timingSafeEqual } from "node:crypto";
import { anonymous, type Caller } from "../core/caller.ts";
import { CallError } from "../core/errors.ts";
import { type Exchange, header } from "./exchange.ts";

export interface GuardOptions {
  /** Keys that open the service; none opens it to all. @default [] */
  readonly apiKeys?: readonly string[];
  /** Host names it answers to. `loopback` is what a loopback address needs against DNS rebinding. @default "any" */
  readonly hosts?: "any" | "loopback";
}

/** Looks at every request before its route does. */
export interface Guard {
  /** @throws CallError `headers_too_large`, `bad_request`: what no route takes */
  checkRequest(exchange: Exchange): void;
  /**
   * @returns the caller
   * @throws CallError `forbidden`, `unauthorized`
   */
  checkCaller(exchange: Exchange): Caller | Promise<Caller>;
}

const maxHeaders = 100;
const loopbackHost = /^(?:localhost|[a-z0-9-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?(?::\d{1,5})?$/i;

export function createGuard({ apiKeys = [], hosts = "any" }: GuardOptions): Guard {
  const keys = apiKeys.map((key) => sha256(key));
  // Nearly every request names the same host: comparing is cheaper than a pattern.
  let lastHost: string | undefined;
  return {
    checkRequest({ incoming, host }) {
      if (incoming === undefined) return;
      checkHeaders(incoming.rawHeaders);
      if (!host && incoming.httpVersion !== "1.0") throw new CallError("bad_request", "The request has no Host.");
    },
    checkCaller(exchange) {
      if (hosts === "loopback" && (exchange.host === undefined || exchange.host !== lastHost)) {
        if (!loopbackHost.test(exchange.host ?? "")) {
          throw new CallError("forbidden", "The service does not answer to this Host name.");
        }
        lastHost = exchange.host;
      }
      checkOrigin(exchange);
      return keys.length === 0 ? anonymous : authenticate(keys, header(exchange, "authorization"));
    },
  };
}

/** Node keeps the first of two Host headers and joins two others; which one counts must not be left to chance. */
function checkHeaders(rawHeaders: readonly string[]): void {
  if (rawHeaders.length > maxHeaders * 2) {
    throw new CallError("headers_too_large", `The request has over ${maxHeaders} headers.`);
  }
  let hosts = 0;
  let authorizations = 0;
  let contentTypes = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && isNamed(name, "Host", "host")) hosts++;
    else if (name.length === 12 && isNamed(name, "Content-Type", "content-type")) contentTypes++;
    else if (name.length === 13 && isNamed(name, "Authorization", "authorization")) authorizations++;
  }
  if (hosts > 1) throw new CallError("bad_request", "The request has two Host headers.");
  if (authorizations > 1) throw new CallError("bad_request", "The request has two Authorization headers.");
  if (contentTypes > 1) throw new CallError("bad_request", "The request has two Content-Type headers.");
}

/** Whether a header has this name: in one of its usual spellings, or in any. */
function isNamed(name: string, usual: string, lower: string): boolean {
  return name === lower || name === usual || name.toLowerCase() === lower;
}

function checkOrigin(exchange: Exchange): void {
  const origin = exchange.headers["origin"];
  if (origin === undefined) return;
  if (origin === `http://${exchange.host}` || origin === `https://${exchange.host}`) return;
  throw new CallError("forbidden", "The service does not answer to pages of this origin.");
}

/** Every key is compared, by hash and in constant time: the answer's time tells nothing of the keys. */
function authenticate(keys: readonly Buffer[], authorization: string | undefined): Caller {
  const key = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1];
  const presented = sha256(key ?? "");
  let known = false;
  for (const candidate of keys) {
    if (timingSafeEqual(candidate, presented)) known = true;
  }
  if (key !== undefined && known) return { id: presented.toString("hex") };
  throw new CallError("unauthorized", "A key is needed: send it as Authorization: Bearer <key>.");
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
