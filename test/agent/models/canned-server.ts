import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export interface CannedServer {
  readonly url: string;
  /** The bodies that were sent, in order. */
  readonly bodies: readonly Record<string, unknown>[];
  /** The paths that were asked for, with their queries. */
  readonly paths: readonly string[];
  /** Comes true when a connection closes before its answer was over. */
  readonly left: Promise<true>;
  stop(): Promise<void>;
}

/** Answers each request alike, and keeps what it was sent. */
export async function startCannedServer(answer: (response: ServerResponse) => void): Promise<CannedServer> {
  const bodies: Record<string, unknown>[] = [];
  const paths: string[] = [];
  let tellLeft: (left: true) => void;
  const left = new Promise<true>((resolve) => (tellLeft = resolve));
  const server = createServer(async (request, response) => {
    response.on("close", () => {
      if (!response.writableFinished) tellLeft(true);
    });
    paths.push(request.url ?? "");
    bodies.push((await json(request)) as Record<string, unknown>);
    answer(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    paths,
    left,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export function answerJson(status: number, value: unknown): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
}

/** Server-sent events. @param isOpen the last leaves the connection open, as where more is to come */
export function answerEvents(
  events: readonly object[],
  isOpen = false,
  last = "data: [DONE]\n\n",
): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
      if ("type" in event) response.write(`event: ${String(event.type)}\n`);
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    if (!isOpen) response.end(last);
  };
}
