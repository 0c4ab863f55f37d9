import { isUtf8 } from "node:buffer";
import { inTime } from "../../async/in-time.ts";
import { createLineSplitter } from "../../async/line-splitter.ts";
import { untilAborted } from "../../async/until-aborted.ts";
import { cancel, type Cancellation } from "../../core/call/call.ts";
import { elementTexts } from "../../json/slice.ts";
import { type JsonDocument, JsonSyntaxError, parseJson } from "../../json/parse.ts";
import { answerBatch, batchRevision, readBatch, refuseInBatch } from "../batch.ts";
import { type Incoming, readIncoming } from "../incoming.ts";
import { errorMessage, ProtocolError, type RequestId, rpcCodes } from "../json-rpc.ts";
import type { Replies, Request } from "../method.ts";

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

/** A client must not use an id twice; if it does, both requests are answered, and are cancelled together. */
interface RunningRequest extends Cancellation {
  readonly id: RequestId;
  /** When something was last sent before its response. */
  notifiedAt: number;
}

/**
 * So long after a notification its response is sent: clients of the TypeScript SDK up to version 1 drop notifications that they read
 * together with the response.
 */
const apartMs = 25;
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
  const running = new Set<RunningRequest>();
  let hasBatches = false;
  let onIdle: (() => void) | undefined;
  const send = (message: string | undefined): void => {
    if (message !== undefined) write(`${message}\n`);
  };
  const lines = createLineSplitter(maxLineBytes, take, () => refuse(`The line is longer than ${maxLineBytes} bytes.`));
  const read = async (): Promise<void> => {
    for await (const chunk of input) lines.push(chunk);
    lines.end();
    if (running.size > 0) await inTime(new Promise<void>((resolve) => (onIdle = resolve)), graceMs, () => undefined);
  };
  await untilAborted(read(), signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  for (const one of running) cancel(one);

  function refuse(fault: string): void {
    send(errorMessage({ code: rpcCodes.parseError, message: fault }));
  }

  function take(line: Buffer): void {
    if (!isUtf8(line)) return refuse("The line is not UTF-8.");
    const text = line.toString("utf8");
    try {
      if (text.trim() === "") return;
      const document = parseLine(text);
      if (hasBatches && Array.isArray(document.value)) return takeBatch(document.value, document, text);
      const incoming = readIncoming(document);
      if (incoming?.method === "initialize") hasBatches = incoming.params["protocolVersion"] === batchRevision;
      if (incoming !== undefined) takeMessage(incoming, text, send);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      send(errorMessage(error));
    }
  }

  function takeMessage(incoming: Incoming, text: string, respond: (response: string | undefined) => void): void {
    if (incoming.id === undefined) takeNotification(incoming);
    else start(incoming as Request, text, respond);
  }

  function takeBatch(messages: readonly unknown[], { refusals }: JsonDocument, text: string): void {
    const documents = readBatch(messages, refusals);
    const texts = [...elementTexts(text)];
    answerBatch(
      documents.length,
      (index, respond) => {
        try {
          const incoming = readIncoming(documents[index]!);
          if (incoming?.id !== undefined) refuseInBatch(incoming);
          if (incoming !== undefined) takeMessage(incoming, texts[index]!, respond);
          if (incoming?.id === undefined) respond(undefined);
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error;
          respond(errorMessage(error));
        }
      },
      send,
    );
  }

  function takeNotification({ method, params }: Incoming): void {
    if (method !== "notifications/cancelled") return;
    for (const one of running) if (one.id === params["requestId"]) cancel(one);
  }

  function start(request: Request, text: string, done: (response: string | undefined) => void): void {
    const one: RunningRequest = { id: request.id, cancelled: false, target: undefined, notifiedAt: -Infinity };
    running.add(one);
    // Nothing may follow for a request that the client has cancelled.
    const notify = (message: string): void => {
      if (one.cancelled) return;
      one.notifiedAt = performance.now();
      send(message);
    };
    const finish = (message: string): void => {
      running.delete(one);
      done(one.cancelled ? undefined : message);
      if (running.size === 0) onIdle?.();
    };
    const respond = (message: string): void => {
      const waitMs = one.notifiedAt + apartMs - performance.now();
      if (waitMs > 0) setTimeout(finish, waitMs, message);
      else finish(message);
    };
    answer(request, text, { notify, respond }, one);
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
