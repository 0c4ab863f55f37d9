import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface RecordedRequest {
  readonly method: string;
  /** As it came: still percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** How long to wait before anything is sent. @default 0 */
  readonly delayMs?: number;
  /** Closes the connection after half of the body. @default false */
  readonly cutOff?: boolean;
}

/** A local server in the place of a public API. */
export interface StandIn {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Gives this answer to every well-formed request from now on; without one, answers as the original would. */
  respondWith(answer?: Answer): void;
  close(): Promise<void>;
}

/**
 * Starts a stand-in on a free port of 127.0.0.1.
 * @param refuse answers what the original would refuse, whatever `respondWith` says
 * @param answer the original's everyday answer
 */
export async function startStandIn(original: {
  refuse: (request: RecordedRequest) => Answer | undefined;
  answer: (request: RecordedRequest) => Answer;
}): Promise<StandIn> {
  const requests: RecordedRequest[] = [];
  let fixed: Answer | undefined;

  const server = createServer(async (incoming, outgoing) => {
    const request = await record(incoming);
    requests.push(request);
    await send(outgoing, original.refuse(request) ?? fixed ?? original.answer(request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    respondWith: (answer) => {
      fixed = answer;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function jsonAnswer(value: unknown, status = 200): Answer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

export function textAnswer(body: string, status = 200): Answer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const [path = "", query = ""] = (incoming.url ?? "").split("?", 2);
  return {
    method: incoming.method ?? "",
    path,
    query: new URLSearchParams(query),
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString("utf8"),
  };
}

async function send(outgoing: ServerResponse, answer: Answer): Promise<void> {
  if (answer.delayMs !== undefined) await sleep(answer.delayMs, undefined, { ref: false });
  if (outgoing.destroyed) return;
  const body = typeof answer.body === "string" ? Buffer.from(answer.body) : (answer.body ?? Buffer.alloc(0));
  outgoing.writeHead(answer.status ?? 200, { ...answer.headers, "content-length": body.length });
  if (answer.cutOff !== true) {
    outgoing.end(body);
    return;
  }
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => outgoing.destroy());
}
