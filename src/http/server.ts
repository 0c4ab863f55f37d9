import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { CallError } from "../core/errors.ts";
import { wantsStream } from "./accept.ts";
import type { App } from "./app.ts";
import { BodyMessage } from "./body-message.ts";
import { answerBrokenRequest, answerConnect, drainMs, isBroken } from "./broken-request.ts";
import { endIdleConnections, enter, leave, waitInLine } from "./connections.ts";
import { HeadResponse } from "./head-response.ts";
import { type Exchange, exchangeOfIncoming, readRequestId } from "./exchange.ts";
import type { Refusal } from "./refusal.ts";
import { errorReply, type Reply } from "./reply.ts";

const headersTimeoutMs = 10_000;
const bodyTimeoutMs = 15_000;
/** Above what load balancers keep idle connections for, so that they close first. */
const idleMs = 72_000;
const toolsPrefix = "/tools/";
const invokeSuffix = "/invoke";

/** What answers now. Another app may be put in its place while the server runs. */
export interface Serving {
  app: App;
}

/**
 * The app on node:http, not yet listening. Calls take a short way past Hono's and the adapter's objects, which cost as
 * much as the rest of a call: the same route, guard and answer, written to the socket directly.
 */
export function createServer(serving: Serving): Server {
  const throughHono = getRequestListener((request, env) => serving.app.fetch(request, env), {
    hostname: "localhost", // HTTP/1.0 asks without a Host
    errorHandler: () => toResponse(refuse("The request's target or Host is malformed.")),
  });
  const server = createHttpServer<typeof IncomingMessage, typeof ServerResponse>(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: bodyTimeoutMs,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 0, // endIdleConnections sees to it
      IncomingMessage: BodyMessage,
      ServerResponse: HeadResponse,
      // The guard answers in our own shape to what Node would answer without a body.
      requireHostHeader: false,
    },
    takeRequest,
  );
  endIdleConnections(server, idleMs);
  // A client may end its side and wait for the answer. Whether it does, or has left, is found out by probeHalfClosed.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // Counted by the guard: Node would drop what is over its count in silence.
  server.maxHeadersCount = 0;
  const onRefused = (refusal: Refusal): void => serving.app.answering.onRefused?.(refusal);
  server.on("clientError", (error, socket) => answerBrokenRequest(error, socket, onRefused));
  server.on("connect", (_incoming, socket) => answerConnect(socket, onRefused));
  // Whoever reads the body asks for it: a request that is refused before need not send it.
  server.on("checkContinue", takeRequest);
  server.on("checkExpectation", (_incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { status, headers, body } = refuse("Only Expect: 100-continue is understood.");
    const length = String(Buffer.byteLength(body as string));
    outgoing.writeHead(status, { ...headers, "content-length": length, connection: "close" }).end(body);
  });
  return server;

  function takeRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (isBroken(incoming.socket)) return;
    if (enter(incoming.socket)) serve(incoming, outgoing);
    else waitInLine(incoming.socket, () => serve(incoming, outgoing));
  }

  function serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    // Told that it did not run while it waited.
    if (incoming instanceof BodyMessage && incoming.isAbandoned) return;
    const name = incoming.method === "POST" ? calledTool(incoming.url ?? "") : undefined;
    if (name === undefined || wantsStream(incoming)) {
      outgoing.once("close", () => leave(incoming.socket));
      return void throughHono(incoming, outgoing);
    }
    const { answer, invoke } = serving.app.answering;
    answer(exchangeOfIncoming(incoming, outgoing), invoke, name, send);
  }
}

function refuse(problem: string): Reply {
  return errorReply(new CallError("bad_request", problem), { "x-request-id": readRequestId(undefined) });
}

/** The tool that a target calls. By hand: a regular expression costs every call as much as all its checks. */
function calledTool(target: string): string | undefined {
  if (!target.startsWith(toolsPrefix)) return undefined;
  const end = target.indexOf("/", toolsPrefix.length);
  // Names that are encoded or empty, and longer paths, are Hono's to take apart.
  if (end <= toolsPrefix.length || !target.startsWith(invokeSuffix, end)) return undefined;
  const rest = end + invokeSuffix.length;
  if (target.length > rest && target[rest] !== "?") return undefined;
  const name = target.slice(toolsPrefix.length, end);
  return name.includes("%") || name.includes("?") ? undefined : name;
}

function send({ incoming, outgoing }: Exchange, reply: Reply): void {
  // Only streams are anything else, and they do not come this way.
  const isOut = (outgoing as HeadResponse).sendText(reply, reply.body as string);
  const { socket } = incoming!;
  // An answer that waits, for those before it or for a slow reader, still counts: it takes memory as a call does.
  if (isOut) leave(socket);
  else outgoing!.once("close", () => leave(socket));
  if (incoming!.complete) return;
  incoming!.resume();
  setTimeout(() => incoming!.complete || incoming!.socket.destroy(), drainMs).unref();
}

function toResponse({ body, status, headers }: Reply): Response {
  return new Response(body, { status, headers });
}
