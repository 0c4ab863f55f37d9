import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** What the server answers with: a JSON body, or server-sent events. */
export interface Canned {
  readonly status?: number;
  readonly json?: unknown;
  readonly events?: readonly object[];
  /** Leaves the stream open behind its last event. */
  readonly staysOpen?: boolean;
}

export interface CannedServer {
  readonly url: string;
  readonly requests: { readonly path: string; readonly body: Record<string, unknown> }[];
  /** Settles when a client has left an answer that was not over. */
  readonly left: Promise<unknown>;
}

/** Answers every request alike, and is stopped with the test. */
export async function startCanned(canned: Canned): Promise<CannedServer> {
  const requests: CannedServer["requests"] = [];
  let leave: (value?: unknown) => void;
  const left = new Promise((resolve) => (leave = resolve));
  const server = createServer(async (request, response) => {
    response.on("close", () => !response.writableFinished && leave());
    requests.push({ path: request.url ?? "", body: (await json(request)) as Record<string, unknown> });
    answer(response, canned);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, left };
}

function answer(response: ServerResponse, { status = 200, json: body, events, staysOpen = false }: Canned): void {
  if (events === undefined) {
    if (staysOpen) return;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    return;
  }
  response.writeHead(status, { "content-type": "text/event-stream" });
  for (const event of events) {
    const { type } = event as { type?: string };
    response.write(`${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`);
  }
  if (!staysOpen) response.end();
}
