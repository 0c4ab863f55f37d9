import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { CallError, type ErrorCode } from "../core/errors.ts";
import { readRequestId } from "./exchange.ts";
import { errorReply } from "./reply.ts";

/** How long a client may go on sending a request that was answered already. */
export const drainMs = 500;

/** A socket and the answer that it is owed next; Node's own way with broken requests looks there too. */
type AnsweringSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** What Node's parser refuses, in our shape. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: AnsweringSocket): void {
  // Where a request before the broken one still waits, what is written now would be taken for the answer to that.
  const isOwed = socket._httpMessage?.req.complete === true;
  if (isOwed || !socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const reply = errorReply(toCallError(error.code), { "x-request-id": readRequestId(undefined), connection: "close" });
  const body = reply.body as string;
  const headers = Object.entries({ ...reply.headers, "content-length": Buffer.byteLength(body) });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${head}\r\n${body}`);
  setTimeout(() => socket.destroy(), drainMs).unref();
}

function toCallError(code: string | undefined): CallError {
  const [ours, message]: [ErrorCode, string] =
    code === "HPE_HEADER_OVERFLOW"
      ? ["headers_too_large", "The headers are larger than 16 KiB."]
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["request_timeout", "The request did not arrive in time."]
        : ["bad_request", "The request is not valid HTTP."];
  return new CallError(ours, message);
}
