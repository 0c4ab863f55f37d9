import type { Client, PriorDiscovery, Transport } from "@modelcontextprotocol/client";
import { untilAborted } from "../../async/until-aborted.ts";
import { SourceError } from "../../core/source.ts";
import type { JsonObject } from "../../json/object.ts";
import { version } from "../../package.ts";
import { isProtocolError } from "./connect-failure.ts";
import { createUrlTransport, endSession } from "./http/transport.ts";
import type { FloodLimit } from "./flood-limit.ts";
import { subscribe } from "./subscription.ts";
import { createRequests, type Requests } from "./requests.ts";
import { createRequestAnswers } from "./server-requests.ts";
import type { McpServer } from "./setting.ts";
import { createStdioTransport } from "./stdio/transport.ts";

/** How long a server over stdio may take to answer the question for the new era; then it is asked in the old one. */
const probeMs = 5000;
/** How long the end of a session may take. */
const farewellMs = 1000;

export interface ConnectionListener {
  /** A line that the server wrote for people. */
  output(line: string): void;
  /** The server says that its tools changed. */
  toolsChanged(): void;
  /** A request could not reach the server over HTTP; others go on. */
  suspended(reason: string): void;
  /** The connection is of no more use. Called once, and not after `close`. */
  ended(reason: string): void;
}

/** A connection to a server, after the handshake. */
export interface Connection {
  readonly requests: Requests;
  /** Headers of a request can say what its arguments are: the server is one over HTTP, in the era that has them. */
  readonly takesParameterHeaders: boolean;
  /** Whether it has tools at all. */
  readonly hasTools: boolean;
  /** Whether it has forgotten the session, if a request was answered with this status. */
  hasLostSession(status: number): boolean;
  /** A request could not reach the server. Over HTTP, other requests go on. */
  suspend(reason: string): void;
  /** The server is of no more use: ends it and reports the reason. */
  fail(reason: string): void;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly server: McpServer;
  /** Reaches the URL of the server. */
  readonly fetch: typeof fetch;
  /** Of the server. */
  readonly flood: FloodLimit;
  readonly listener: ConnectionListener;
  readonly signal: AbortSignal;
}

/**
 * Connects to a server in the era that it speaks.
 * @throws SourceError for what operators can understand, the reason of the signal
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { server, signal } = options;
  const first = await createLink(options);
  try {
    // The transport over server-sent events is older than the new era.
    return await open(first, options, server.transport === "sse" ? { kind: "legacy" } : undefined);
  } catch (error) {
    await first.transport.close().catch(() => undefined);
    signal.throwIfAborted();
    // Some servers over stdio end when the first message is one that they do not know.
    if (server.url !== undefined || first.endedBy === undefined || error instanceof SourceError) throw error;
  }
  const second = await createLink(options);
  try {
    return await open(second, options, { kind: "legacy" });
  } catch (error) {
    await second.transport.close().catch(() => undefined);
    signal.throwIfAborted();
    // If the server answered, its end by `close` is not the reason.
    if (second.endedBy === undefined || isProtocolError(error)) throw error;
    throw new SourceError(second.endedBy, { cause: error });
  }
}

/** A transport, and what is known of its end. */
interface Link {
  readonly transport: Transport;
  endedBy: string | undefined;
  /** Hears of the end of a connection that was made. */
  onEnd?: (reason: string) => void;
}

async function createLink({ server, listener, fetch, flood }: ConnectOptions): Promise<Link> {
  if (server.url !== undefined) return { transport: await createUrlTransport(server, fetch), endedBy: undefined };
  const transport = createStdioTransport(server, flood, {
    output: listener.output,
    ended(reason) {
      link.endedBy ??= reason;
      link.onEnd?.(reason);
    },
  });
  const link: Link = { transport, endedBy: undefined };
  return link;
}

async function open(
  link: Link,
  { listener, signal, server }: ConnectOptions,
  prior?: PriorDiscovery,
): Promise<Connection> {
  // Loaded by the first server: it takes longer than all of Toolhost.
  const sdk = await import("@modelcontextprotocol/client");
  signal.throwIfAborted();
  const client = new sdk.Client(
    { name: "toolhost", version },
    {
      capabilities: {},
      versionNegotiation: { mode: "auto", ...(server.url === undefined && { probe: { timeoutMs: probeMs } }) },
    },
  );
  // What a server does wrong beside its answers is not a fault of the connection.
  client.onerror = () => undefined;
  await untilAborted(client.connect(link.transport, prior === undefined ? {} : { prior }), signal);

  const { transport } = link;
  const envelope = envelopeOf(client, sdk);
  const requests = createRequests(transport, envelope);
  const answerRequest = createRequestAnswers(transport);
  const pass = transport.onmessage;
  transport.onmessage = (message, extra) => {
    // A server may send many of them, and the client's way to a handler is long.
    if ("method" in message && message.method === "notifications/tools/list_changed") return listener.toolsChanged();
    if (!requests.take(message) && !answerRequest(message)) pass?.(message, extra);
  };
  const isModern = client.getProtocolEra() === "modern";
  const hasTools = client.getServerCapabilities()?.tools !== undefined;
  const subscription = isModern && client.getServerCapabilities()?.tools?.listChanged === true;
  const unsubscribe = subscription ? subscribe(client, listener.toolsChanged) : () => undefined;
  let isClosed = false;
  const end = (reason: string): void => {
    if (isClosed) return;
    isClosed = true;
    unsubscribe();
    requests.end(new SourceError(reason));
    listener.ended(reason);
    void client.close().catch(() => undefined);
  };
  link.onEnd = end;
  if (link.endedBy !== undefined) throw new SourceError(link.endedBy);
  return {
    requests,
    takesParameterHeaders: isModern && server.url !== undefined,
    hasTools,
    hasLostSession: (status) => status === 404 && transport.sessionId !== undefined,
    suspend(reason) {
      // A server over stdio ends by itself, or has not read its stdin yet.
      if (server.url !== undefined && !isClosed) listener.suspended(reason);
    },
    fail: end,
    async close() {
      isClosed = true;
      unsubscribe();
      await endSession(transport, farewellMs);
      await client.close();
      requests.end(new SourceError("it was closed"));
    },
  };
}

function envelopeOf(client: Client, sdk: typeof import("@modelcontextprotocol/client")): JsonObject {
  if (client.getProtocolEra() !== "modern") return {};
  return {
    [sdk.PROTOCOL_VERSION_META_KEY]: client.getNegotiatedProtocolVersion(),
    [sdk.CLIENT_INFO_META_KEY]: { name: "toolhost", version },
    [sdk.CLIENT_CAPABILITIES_META_KEY]: {},
  };
}
