import { createServer, type RequestListener } from "node:http";
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { createOutboundFetch, type OutboundFetchOptions } from "../../src/egress/fetch.ts";

export interface LocalServer {
  readonly url: string;
  readonly port: number;
  /** Connections that have reached it so far. */
  readonly connections: number;
}

/** A server on loopback, which ends with the test. */
export function startServer(answer: RequestListener, host = "127.0.0.1", port = 0): Promise<LocalServer> {
  return listen(createServer({ maxHeaderSize: 65_536 }, answer), host, port);
}

/** The same without HTTP: what it writes goes out as it is, once a request has come. */
export function startRaw(answer: (socket: Socket) => void): Promise<LocalServer> {
  const server = createSocketServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => answer(socket));
  });
  return listen(server, "127.0.0.1");
}

async function listen(server: Server, host: string, wantedPort = 0): Promise<LocalServer> {
  let connections = 0;
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(wantedPort, host, resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    get connections() {
      return connections;
    },
  };
}

/** Goes out to these servers, wherever they are. */
export function fetchFor(servers: readonly LocalServer[], options: OutboundFetchOptions = {}): typeof fetch {
  return createOutboundFetch({ ...options, origins: servers.map(({ url }) => url) });
}

/** What a promise is rejected with, as plain data. */
export async function failureOf(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return Object.assign({ name: (error as Error).name, message: (error as Error).message }, error);
  }
  throw new Error("It was expected to fail and did not.");
}
