import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request to the server, as it came. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly message: {
    readonly id?: number | string;
    readonly method?: string;
    readonly params?: Record<string, unknown>;
  };
}

/** An MCP server over HTTP, without our code and without an SDK. */
export interface HttpServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  era: "legacy" | "modern";
  tools: readonly unknown[];
  /** Answers as a stream of events instead of JSON. */
  streams: boolean;
  /** What it sends in place of the JSON of an answer, for what a value cannot express. */
  wire: (json: string) => string;
  /** The session that it knows; undefined: it has none. */
  session: string | undefined;
  /** Answers a request with this status, if it is a number. */
  refuse: (request: SeenRequest) => number | undefined;
  /** The body of such an answer. */
  refusal: string;
  /** Headers of each refusal. */
  refusalHeaders: Readonly<Record<string, string>>;
  /** Answers a call. Undefined: it is not answered. */
  call: (params: Record<string, unknown>, request: SeenRequest) => unknown;
  /** Requests whose connection was closed by the client. */
  readonly left: SeenRequest[];
  stop(): Promise<void>;
}

export async function startHttpServer(changes: Partial<HttpServer> = {}): Promise<HttpServer> {
  const http = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const server: HttpServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    seen: [],
    left: [],
    era: "legacy",
    tools: [{ name: "one", inputSchema: { type: "object" } }],
    streams: false,
    wire: (json) => json,
    session: undefined,
    refuse: () => undefined,
    refusal: "refused",
    refusalHeaders: {},
    call: ({ name }) => ({ content: [], structuredContent: { name } }),
    async stop() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
    ...changes,
  };
  onTestFinished(() => server.stop());
  return server;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const message = (body === "" ? {} : JSON.parse(body)) as SeenRequest["message"];
    const { method = "", url = "", headers } = request;
    const seen = { method, url, headers, message };
    server.seen.push(seen);
    const end = (status: number, text = ""): void => void response.writeHead(status).end(text);
    const status = server.refuse(seen);
    if (status !== undefined) return void response.writeHead(status, server.refusalHeaders).end(server.refusal);
    if (method !== "POST") return end(method === "DELETE" ? 200 : 405);
    if (server.session !== undefined && message.method !== "initialize" && message.method !== "server/discover") {
      if (headers["mcp-session-id"] !== server.session) return end(404);
    }
    if (message.id === undefined) return end(202);
    response.on("close", () => {
      if (!response.writableEnded) server.left.push(seen);
    });
    const answered = answer(seen);
    if (answered === undefined) {
      // It is alive, and does not answer.
      if (server.streams) response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      return;
    }
    const text = server.wire(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answered }));
    if (message.method === "initialize" && server.session !== undefined) {
      response.setHeader("mcp-session-id", server.session);
    }
    if (server.streams) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const token = (message.params?.["_meta"] as { progressToken?: unknown } | undefined)?.progressToken;
      if (token !== undefined) {
        const params = { progressToken: token, progress: 1 };
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })}\n\n`);
      }
      return void response.end(`data: ${text.replaceAll("\n", "\ndata: ")}\n\n`);
    }
    const isError = "error" in answered && server.era === "modern";
    response.writeHead(isError ? 404 : 200, { "content-type": "application/json" }).end(text);
  }

  function answer(request: SeenRequest): { readonly result?: unknown; readonly error?: unknown } | undefined {
    const { method, params = {} } = request.message;
    const isModern = server.era === "modern";
    const complete = (result: object) => ({ result: isModern ? { resultType: "complete", ...result } : result });
    const unknown = { error: { code: -32601, message: "Method not found" } };
    switch (method) {
      case "server/discover":
        if (!isModern) return unknown;
        return complete({
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: "private",
        });
      case "initialize":
        if (isModern) return unknown;
        return complete({
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "over HTTP", version: "1" },
        });
      case "tools/list":
        return complete({ tools: server.tools, ...(isModern && { ttlMs: 0, cacheScope: "private" }) });
      case "tools/call": {
        const result = server.call(params, request);
        return result === undefined ? undefined : complete(result as object);
      }
      default:
        return unknown;
    }
  }
}
