import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { CallError, type ErrorCode } from "../core/errors.ts";
import type { App } from "./app.ts";
import { exchangeOfIncoming } from "./exchange.ts";
import { wantsStream } from "./invoke-tool.ts";
import { errorReply, type Reply } from "./reply.ts";

const headersTimeoutMs = 10_000;
const bodyTimeoutMs = 15_000;
/** Above what load balancers keep idle connections for, so that they close first. */
const keepAliveTimeoutMs = 72_000;
/** How long a client may go on sending a body that was answered already. */
const drainMs = 500;

/**
 * The app on node:http, not yet listening. Calls take a short way past Hono's and the adapter's objects, which cost as
 * much as the rest of a call: the same route, guard and answer, written to the socket directly.
 */
export function createServer(app: App): Server {
  const throughHono = getRequestListener(app.fetch, {
    errorHandler: () => toResponse(errorReply(new CallError("bad_request", "The request's target or Host is malformed."))),
  });
  const { answer, invoke } = app.answering;
  const server = createHttpServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: bodyTimeoutMs,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: keepAliveTimeoutMs,
      // The guard answers in our own shape to what Node would answer without a body.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      const name = incoming.method === "POST" ? calledTool(incoming.url ?? "") : undefined;
      if (name === undefined || wantsStream(incoming)) return void throughHono(incoming, outgoing);
      void answer(exchangeOfIncoming(incoming), invoke, name, false, (reply) => send(incoming, outgoing, reply));
    },
  );
  // Counted by the guard: Node would drop what is over its count in silence.
  server.maxHeadersCount = 0;
  server.on("clientError", answerBrokenRequest);
  server.on("checkExpectation", (_incoming: IncomingMessage, outgoing: ServerResponse) => {
    const reply = errorReply(new CallError("bad_request", "Only Expect: 100-continue is understood."));
    outgoing.writeHead(reply.status, { ...reply.headers, connection: "close" }).end(reply.body);
  });
  return server;
}

/** The tool that a target calls, where the name needs no decoding. */
function calledTool(target: string): string | undefined {
  return /^\/tools\/([a-zA-Z0-9_-]+)\/invoke(?:\?|$)/.exec(target)?.[1];
}

function send(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body }: Reply): void {
  const text = body as string; // Only streams are anything else, and they do not come this way.
  headers["content-length"] = String(Buffer.byteLength(text));
  outgoing.writeHead(status, headers);
  outgoing.end(text);
  if (incoming.complete) return;
  incoming.resume();
  setTimeout(() => incoming.complete || incoming.socket.destroy(), drainMs).unref();
}

/** What Node's parser refuses, in our shape. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const { status, headers, body } = errorReply(toCallError(error.code));
  const lines = Object.entries({ ...headers, connection: "close", "content-length": Buffer.byteLength(String(body)) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${reasonPhrases[status] ?? "Bad Request"}\r\n${head}\r\n${String(body)}`);
}

const reasonPhrases: Record<number, string> = {
  408: "Request Timeout",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
};

function toCallError(code: string | undefined): CallError {
  const [ours, message]: [ErrorCode, string] =
    code === "HPE_HEADER_OVERFLOW"
      ? ["headers_too_large", "The headers are larger than 16 KiB."]
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["request_timeout", "The request did not arrive in time."]
        : ["bad_request", "The request is not valid HTTP."];
  return new CallError(ours, message);
}

function toResponse({ body, status, headers }: Reply): Response {
  return new Response(body, { status, headers });
}
