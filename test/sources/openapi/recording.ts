import type { IncomingMessage, ServerResponse } from "node:http";
import type { OperationContext } from "../../../src/sources/openapi/call/call-operation.ts";
import { fetchFor, type LocalServer, startServer } from "../../egress/servers.ts";

/** A request as it came over the wire. */
export interface Recorded {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** As sent, without those of the connection and of fetch itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface RecordingServer extends LocalServer {
  readonly requests: readonly Recorded[];
  readonly context: OperationContext;
}

type Answer = (request: Recorded, response: ServerResponse) => void;

const ofConnection = new Set(
  "host connection content-length transfer-encoding accept-encoding accept-language sec-fetch-mode user-agent".split(
    " ",
  ),
);

/** A server that records what it gets, and the context of calls that reach it. */
export async function startRecording(answer: Answer = (_, response) => response.end()): Promise<RecordingServer> {
  const requests: Recorded[] = [];
  const server = await startServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const recorded = record(incoming, Buffer.concat(chunks));
      requests.push(recorded);
      answer(recorded, response);
    });
  });
  return Object.assign(server, { requests, context: contextOf(fetchFor([server])) });
}

export function contextOf(
  fetch: typeof globalThis.fetch,
  signal: OperationContext["signal"] = new AbortController().signal,
): OperationContext {
  return {
    signal,
    fetch: (input, init) => fetch(input, { signal, ...init }),
    headers: {},
    trace: undefined,
  };
}

function record({ method = "", url = "", rawHeaders }: IncomingMessage, body: Buffer): Recorded {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!ofConnection.has(name)) headers[name] = rawHeaders[index + 1]!;
  }
  return { method, target: url, headers, body };
}
