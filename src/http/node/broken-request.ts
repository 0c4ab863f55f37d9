import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { CallError } from "../../errors/errors.ts";
import { BodyMessage } from "./body-message.ts";
import { isInLine } from "./connections.ts";
import { readRequestId } from "../exchange.ts";
import { headersTooLarge } from "../guard/guard.ts";
import type { Refusal } from "../guard/refusal.ts";
import { errorReply } from "../http-reply.ts";

/** How long a client may go on sending a request that was answered already. */
export const drainMs = 500;

/** A socket with what node:http keeps on it; its own way with broken requests looks there too. */
type HttpSocket = Duplex & {
  readonly remoteAddress?: string | undefined;
  /** The answer that the client is owed next. */
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
};

/** Sockets that sent something malformed: their parser reports each byte that follows as another error. */
const broken = new WeakSet<HttpSocket>();

type OnRefused = ((refusal: Refusal) => void) | undefined;

/** Whether a socket was given its last answer: nothing that it still brings is a request. */
export function isBroken(socket: Duplex): boolean {
  return broken.has(socket);
}

/** What Node's parser refuses, in our shape: after the answers to what came before it, and as the last one. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, onRefused?: OnRefused): void {
  // Its client left.
  if (error.code === "ECONNRESET" || error.code === "EPIPE") return void socket.destroy();
  // What waits in our own line is not read to its end: that is not the client's slowness.
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && isInLine(socket)) return;
  answerLast(socket, toCallError(error.code), onRefused);
}

/** CONNECT asks for a tunnel, which this service does not offer. Without a listener for its event, Node closes the socket. */
export function answerConnect(socket: Duplex, allow: string, onRefused?: OnRefused): void {
  // From here on only this code reads the socket: what it sends is dropped, and an error ends it.
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
    // By `write`: the first bytes of an answer may be out already, and are taken off there.
    socket.write(text);
    socket.end();
    setTimeout(() => socket.destroy(), drainMs).unref();
  });
}

/**
 * Waits for the answers to the whole requests that came before. What is written earlier would be taken for one of
 * them, and ending the connection would lose what their tools did.
 */
function whenOwed(socket: HttpSocket, answer: () => void): void {
  const earlier = socket._httpMessage;
  if (earlier?.req.complete === true && !(earlier.req instanceof BodyMessage && earlier.req.isAbandoned)) {
    // node:http's own listener came first, and has made the next answer the one that is owed.
    earlier.once("finish", () => whenOwed(socket, answer));
    return;
  }
  // Ended by the last answer, which may still be on its way.
  if (!socket.writable) return;
  const incoming = socket.parser?.incoming;
  const isHalfRead = incoming != null && !incoming.complete;
  // Its request was answered before the rest of it broke: another answer would be taken for that to the next request.
  if (isHalfRead && (earlier == null || earlier.headersSent)) return void socket.destroy();
  answer();
}

function toCallError(code: string | undefined): CallError {
  if (code === "HPE_HEADER_OVERFLOW") return headersTooLarge();
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new CallError("request_timeout", "The request did not arrive in time.");
  return new CallError("bad_request", "The request is not valid HTTP.");
}
