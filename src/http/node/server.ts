import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { getRequestListener } from "@hono/node-server";
import { CallError } from "../../errors/errors.ts";
import { canonicalHost } from "../../net/host-name.ts";
import { wantsStream } from "../routes/accept.ts";
import type { App } from "../app.ts";
import { sendByTurn } from "./answers-of-turn.ts";
import { BodyMessage } from "./body-message.ts";
import { answerBrokenRequest, answerConnect, drainMs, isBroken } from "./broken-request.ts";
import { endAfterThis, endIdleConnections, enter, isEnding, leave, waitInLine } from "./connections.ts";
import { HeadResponse } from "./head-response.ts";
import { type Exchange, exchangeOfIncoming, readRequestId } from "../exchange.ts";
import type { Refusal } from "../guard/refusal.ts";
import { errorReply, type HttpReply, toResponse } from "../http-reply.ts";

const headersTimeoutMs = 10_000;
const bodyTimeoutMs = 15_000;
/** Longer than the idle time of load balancers, so that they close connections first. */
const idleMs = 72_000;
const toolsPrefix = "/tools/";
const invokeSuffix = "/invoke";

/** The current app, which may be replaced while the server runs. */
export interface Serving {
  app: App;
}

/**
 * The app on node:http, not yet listening. Calls take a short way past Hono's and the adapter's objects, which cost as
 * much as the rest of a call: the same route, guard and answer, written to the socket directly.
 */
export function createServer(serving: Serving): Server {
  /**
   * The request that is passed to Hono: the adapter refuses a malformed target at once, and does not report the
   * request.
   */
  let handedOver: IncomingMessage | undefined;
  const throughHono = getRequestListener((request, env) => serving.app.fetch(request, env), {
    hostname: "localhost", // HTTP/1.0 asks without a Host
    errorHandler: () => toResponse(refuse(handedOver, "The request's target or Host is malformed.")),
  });
  const server = createHttpServer<typeof IncomingMessage, typeof ServerResponse>(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: bodyTimeoutMs,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 0, // endIdleConnections sees to it
      IncomingMessage: BodyMessage,
      ServerResponse: HeadResponse,
      // The guard answers in Toolhost's error form; Node would answer without a body.
      requireHostHeader: false,
    },
    takeRequest,
  );
  endIdleConnections(server, idleMs);
  // A client may close its sending side and wait for the answer. probeHalfClosed finds out whether it waits or has
  // left.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // The guard counts them: Node would silently drop headers above its own limit.
  server.maxHeadersCount = 0;
  const deliver = sendByTurn(send);
  const onRefused = (refusal: Refusal): void => serving.app.answering.onRefused?.(refusal);
  server.on("clientError", (error, socket) => answerBrokenRequest(error, socket, onRefused));
  server.on("connect", (_incoming, socket) => answerConnect(socket, serving.app.answering.allow, onRefused));
  // The reader of the body requests it: a request that is refused before does not send it.
  server.on("checkContinue", takeRequest);
  server.on("checkExpectation", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { status, headers, body } = refuse(incoming, "Only Expect: 100-continue is supported.");
    const length = String(Buffer.byteLength(body as string));
    outgoing.writeHead(status, { ...headers, "content-length": length, connection: "close" }).end(body);
  });
  return server;

  function takeRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (isBroken(incoming.socket) || isEnding(incoming.socket)) return;
    // The end of such a request is uncertain (RFC 9112, section 6.1), so the data after it is not read as a request.
    if (incoming.httpVersionMinor === 0 && "transfer-encoding" in incoming.headers) {
      outgoing.shouldKeepAlive = false;
      endAfterThis(incoming.socket);
    }
    if (enter(incoming.socket)) serve(incoming, outgoing);
    else waitInLine(incoming.socket, () => serve(incoming, outgoing));
  }

  function serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    // The client is answered that it did not run.
    if (incoming instanceof BodyMessage && incoming.isAbandoned) return;
    const { answer, invoke, findFrequent, wholeService } = serving.app.answering;
    const name = incoming.method === "POST" ? calledTool(incoming.url ?? "") : undefined;
    if (name !== undefined && !wantsStream(incoming)) {
      return answer(exchangeOfIncoming(incoming, outgoing), invoke, { name }, deliver);
    }
    const frequent = findFrequent(incoming.method, pathOf(incoming.url ?? ""));
    if (frequent !== undefined) {
      return answer(exchangeOfIncoming(incoming, outgoing), frequent.route, frequent.parameters, deliver);
    }
    // Not a path, so Hono has no route for it.
    if (incoming.url === "*" && incoming.method === "OPTIONS") {
      return answer(exchangeOfIncoming(incoming, outgoing), wholeService, {}, deliver);
    }
    outgoing.once("close", () => leave(incoming.socket));
    spellHost(incoming);
    handedOver = incoming;
    void throughHono(incoming, outgoing);
    handedOver = undefined;
  }

  function refuse(incoming: IncomingMessage | undefined, problem: string): HttpReply {
    const requestId = readRequestId(incoming?.headers["x-request-id"]);
    const reply = errorReply(new CallError("bad_request", problem), { "x-request-id": requestId });
    const { status } = reply;
    onRefused({
      code: "bad_request",
      status,
      requestId,
      method: incoming?.method,
      remote: incoming?.socket.remoteAddress,
    });
    return reply;
  }
}

/** The adapter refuses a Host that URL would spell in another way, such as `[0:0:0:0:0:0:0:1]`. */
function spellHost({ headers }: IncomingMessage): void {
  const host = headers.host === undefined ? undefined : canonicalHost(headers.host);
  if (host !== undefined) headers.host = host;
}

/** The tool that a target calls. By hand: a regular expression costs every call as much as all its checks. */
function calledTool(target: string): string | undefined {
  if (!target.startsWith(toolsPrefix)) return undefined;
  const end = target.indexOf("/", toolsPrefix.length);
  // Hono handles encoded or empty names and longer paths.
  if (end <= toolsPrefix.length || !target.startsWith(invokeSuffix, end)) return undefined;
  const rest = end + invokeSuffix.length;
  if (target.length > rest && target[rest] !== "?") return undefined;
  const name = target.slice(toolsPrefix.length, end);
  return name.includes("%") || name.includes("?") ? undefined : name;
}

function pathOf(target: string): string {
  const mark = target.indexOf("?");
  return mark === -1 ? target : target.slice(0, mark);
}

function send({ incoming, outgoing }: Exchange, reply: HttpReply): void {
  const isOut = sendReply(outgoing as HeadResponse, reply);
  const { socket } = incoming!;
  // An answer that waits for earlier answers or for a slow client still counts, because it uses memory like a call.
  if (isOut) leave(socket);
  else outgoing!.once("close", () => leave(socket));
  if (incoming!.complete) return;
  incoming!.resume();
  setTimeout(() => incoming!.complete || incoming!.socket.destroy(), drainMs).unref();
}

/** @returns whether all of it is out already */
function sendReply(outgoing: HeadResponse, reply: HttpReply): boolean {
  const { status, headers, body } = reply;
  if (!(body instanceof ReadableStream)) return outgoing.sendWhole(reply, body ?? "");
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  // A reader that leaves cancels the stream.
  pipeline(Readable.fromWeb(body as NodeReadableStream), outgoing, () => undefined);
  return false;
}
