import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { CallError } from "../../errors/errors.ts";
import { BodyMessage } from "./body-message.ts";
import { isInLine } from "./connections.ts";
import { readRequestId } from "../exchange.ts";
import { headersTooLarge } from "../guard/guard.ts";
import type { Refusal } from "../guard/refusal.ts";
import { errorReply } from "../http-reply.ts";

/** How long a client may continue to send a request that was already answered. */
export const drainMs = 500;

/** A socket with node:http's own fields, which its handling of broken requests reads too. */
type HttpSocket = Duplex & {
  readonly remoteAddress?: string | undefined;
  /** The next answer that the client expects. */
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
};

/** Sockets that sent something malformed: their parser reports each byte that follows as another error. */
const broken = new WeakSet<HttpSocket>();

type OnRefused = ((refusal: Refusal) => void) | undefined;

/** Whether a socket got its last answer: later data on it is not a request. */
export function isBroken(socket: Duplex): boolean {
  return broken.has(socket);
}

/**
 * Answers a request that Node's parser refuses, in Toolhost's error form: after the answers to earlier requests, and as
 * the last answer.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, onRefused?: OnRefused): void {
  // Its client left.
  if (error.code === "ECONNRESET" || error.code === "EPIPE") return void socket.destroy();
  // A request that waits in Toolhost's own queue is not read to its end: the client is not slow.
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && isInLine(socket)) return;
  answerLast(socket, toCallError(error.code), onRefused);
}

/**
 * CONNECT requests a tunnel, which this service does not support. Without a listener for its event, Node closes the
 * socket.
 */
export function answerConnect(socket: Duplex, allow: string, onRefused?: OnRefused): void {
  // From now on only this code reads the socket: received data is dropped, and an error closes the socket.
  socket.on("error", () => socket.destroy()).resume();
  answerLast(socket, new CallError("method_not_allowed", `This service accepts ${allow}.`), onRefused, { allow });
}

function answerLast(
  socket: HttpSocket,
  error: CallError,
  onRefused: OnRefused,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (broken.has(socket)) return;
  broken.add(socket);
  const unfinished = (socket as HttpSocket).parser?.incoming;
  if (unfinished instanceof BodyMessage && !unfinished.complete) unfinished.abandon();
  const requestId = readRequestId(undefined);
  const reply = errorReply(error, { ...headers, "x-request-id": requestId, connection: "close" });
  const { remoteAddress: remote } = socket;
  onRefused?.({ code: error.code, status: reply.status, requestId, remote });
  const body = reply.body as string;
  const lines = Object.entries({ ...reply.headers, "content-length": Buffer.byteLength(body) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const text = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.join("")}\r\n${body}`;
  whenOwed(socket, () => {
    // By `write`, because the first bytes of an answer may already be sent, and `write` removes them.
    socket.write(text);
    socket.end();
    setTimeout(() => socket.destroy(), drainMs).unref();
  });
}

/**
 * Waits for the answers to the complete requests before this one. A client would take an earlier answer for one of
 * these, and closing the connection would lose the results of their tools.
 */
function whenOwed(socket: HttpSocket, answer: () => void): void {
  const earlier = socket._httpMessage;
  if (earlier?.req.complete === true && !(earlier.req instanceof BodyMessage && earlier.req.isAbandoned)) {
    // node:http's own listener ran first, so the next answer is the expected one.
    earlier.once("finish", () => whenOwed(socket, answer));
    return;
  }
  // Ended by the last answer, which may still be on its way.
  if (!socket.writable) return;
  const incoming = socket.parser?.incoming;
  const isHalfRead = incoming != null && !incoming.complete;
  // The request was answered before its malformed part arrived: a client would take another answer for that to the next
  // request.
  if (isHalfRead && (earlier == null || earlier.headersSent)) return void socket.destroy();
  answer();
}

function toCallError(code: string | undefined): CallError {
  if (code === "HPE_HEADER_OVERFLOW") return headersTooLarge();
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new CallError("request_timeout", "The request did not arrive in time.");
  return new CallError("bad_request", "The request is not valid HTTP.");
}
