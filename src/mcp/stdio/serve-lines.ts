import { inTime } from "../../async/in-time.ts";
import { untilAborted } from "../../async/until-aborted.ts";
import { cancel, type Cancellation } from "../../core/call/call.ts";
import { type JsonDocument, JsonSyntaxError, parseJson } from "../../json/parse.ts";
import { type Incoming, readIncoming } from "../incoming.ts";
import { errorMessage, ProtocolError, type RequestId, rpcCodes } from "../json-rpc.ts";
import type { Replies, Request } from "../method.ts";
import { type Line, linesOf } from "./lines.ts";

/** Answers a request. @param text the whole message */
export type AnswerRequest = (request: Request, text: string, replies: Replies, cancellation: Cancellation) => void;

export interface LineServing {
  readonly answer: AnswerRequest;
  /** Writes to the client. */
  readonly write: (text: string) => void;
  /** The longest message, in bytes. */
  readonly maxLineBytes: number;
  /** Ends it, without waiting for the end of the input. */
  readonly signal: AbortSignal;
}

/** How long running requests may take to end when the client has closed its side. */
const graceMs = 1000;

/**
 * Serves one client by lines, one message a line. Source: modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio.
 * Resolves soon after the end of the input.
 */
export async function serveLines(
  input: AsyncIterable<Uint8Array>,
  { answer, write, maxLineBytes, signal }: LineServing,
): Promise<void> {
  const running = new Map<RequestId, Cancellation>();
  let onIdle: (() => void) | undefined;
  const send = (message: string): void => write(`${message}\n`);
  const read = async (): Promise<void> => {
    for await (const line of linesOf(input, maxLineBytes)) take(line);
    if (running.size > 0) await inTime(new Promise<void>((resolve) => (onIdle = resolve)), graceMs, () => undefined);
  };
  await untilAborted(read(), signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  for (const cancellation of running.values()) cancel(cancellation);

  function take(line: Line): void {
    try {
      if ("fault" in line) throw new ProtocolError(rpcCodes.parseError, line.fault);
      if (line.text.trim() === "") return;
      const incoming = readIncoming(parseLine(line.text));
      if (incoming === undefined) return;
      if (incoming.id === undefined) return takeNotification(incoming);
      start(incoming as Request, line.text);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      send(errorMessage(error));
    }
  }

  function takeNotification({ method, params }: Incoming): void {
    const cancellation = running.get(params["requestId"] as RequestId);
    if (method === "notifications/cancelled" && cancellation !== undefined) cancel(cancellation);
  }

  function start(request: Request, text: string): void {
    const cancellation: Cancellation = { cancelled: false, target: undefined };
    running.set(request.id, cancellation);
    // Nothing may follow for a request that the client has cancelled.
    const notify = (message: string): void => {
      if (!cancellation.cancelled) send(message);
    };
    const respond = (message: string): void => {
      notify(message);
      if (running.get(request.id) === cancellation) running.delete(request.id);
      if (running.size === 0) onIdle?.();
    };
    answer(request, text, { notify, respond }, cancellation);
  }
}

function parseLine(text: string): JsonDocument {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ProtocolError(rpcCodes.parseError, error.message);
    throw error;
  }
}
