import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createOutboundFetch } from "../../../src/egress/fetch.ts";
import type { McpSetting } from "../../../src/sources/mcp/setting.ts";
import { type Hosted, hostSetting, namesOf } from "./scripted.ts";

const soon = { timeout: 60_000, interval: 10 };
const fetch = createOutboundFetch({ allow: ["127.0.0.1"] });

interface SseServer {
  readonly url: string;
  /** What the stream names as the place for messages. */
  endpoint: string;
  /** The `authorization` of each request. */
  readonly credentials: (string | undefined)[];
  readonly streams: Set<ServerResponse>;
  /** JSON of the result of a call. */
  result: (id: unknown) => string;
}

/** An MCP server over the transport of 2024-11-05: a stream for all that it sends, and requests for what it gets. */
async function startSseServer(): Promise<SseServer> {
  const http = createServer((request, response) => {
    server.credentials.push(request.headers.authorization);
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      // A client connects again after three seconds, unless the server names another time.
      response.write(`retry: 20\n\nevent: endpoint\ndata: ${server.endpoint}\n\n`);
      server.streams.add(response);
      return void response.on("close", () => server.streams.delete(response));
    }
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => void (body += text));
    request.on("end", () => {
      response.writeHead(202).end("Accepted");
      const { id, method } = JSON.parse(body) as { id?: number | string; method: string };
      // Servers of its time may not answer what they do not know.
      if (id === undefined || method === "server/discover") return;
      const answer =
        method === "initialize"
          ? `"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`
          : method === "tools/list"
            ? `"result":{"tools":[{"name":"one","inputSchema":{"type":"object"}}]}`
            : method === "tools/call"
              ? `"result":${server.result(id)}`
              : `"error":{"code":-32601,"message":"Method not found"}`;
      for (const stream of server.streams)
        stream.write(`event: message\ndata: {"jsonrpc":"2.0","id":${JSON.stringify(id)},${answer}}\n\n`);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const server: SseServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`,
    endpoint: "/messages?session=1",
    credentials: [],
    streams: new Set(),
    result: (id) => `{"content":[],"structuredContent":{"id":${String(id)}}}`,
  };
  return server;
}

function hostSse({ url }: SseServer, setting: Partial<McpSetting> = {}): Promise<Hosted> {
  return hostSetting({ mcp: { url, transport: "sse" }, ...setting }, 30_000, fetch);
}

test("a server over the older transport is listed and called, with the credentials in each request", async () => {
  const server = await startSseServer();
  const hosted = await hostSse(server, { auth: { bearer: "secret-token" } });
  expect(namesOf(hosted)).toEqual(["s_one"]);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => hosted.call("one")));
  const ids = outcomes.map((outcome) => (outcome as unknown as { result: { id: number } }).result.id);
  expect(new Set(ids).size).toBe(50);
  expect(new Set(server.credentials)).toEqual(new Set(["Bearer secret-token"]));
});

test("an integer that would be rounded is invalid_result here too", async () => {
  const server = await startSseServer();
  const hosted = await hostSse(server);
  server.result = () => `{"content":[],"structuredContent":[1234567890123456789012345]}`;
  expect(await hosted.call("one")).toMatchObject({ error: { code: "invalid_result" } });
});

test("messages go to the origin of the stream alone", async () => {
  const other = await startSseServer();
  const server = await startSseServer();
  server.endpoint = `${new URL(other.url).origin}/messages`;
  const hosted = await hostSse(server, { auth: { bearer: "secret-token" } });
  expect(hosted.status().state).toBe("failed");
  expect(other.credentials).toEqual([]);
});

test("a stream that breaks during a call ends it at its limit, and later calls work again", async () => {
  const server = await startSseServer();
  const hosted = await hostSse(server, { timeoutMs: 500 });
  server.result = () => {
    for (const stream of server.streams) stream.destroy();
    return "{}";
  };
  expect(await hosted.call("one")).toMatchObject({ status: "error" });
  server.result = () => `{"content":[],"structuredContent":{"back":true}}`;
  await vi.waitFor(async () => expect(await hosted.call("one")).toMatchObject({ result: { back: true } }), soon);
});
