import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { UpstreamError } from "../errors/errors.ts";
import { BodyFault, type Outgoing } from "./outgoing.ts";

/** A response whose head has arrived. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** Not decoded yet. It must be read to its end or destroyed. */
  readonly body: Readable;
}

/**
 * Sends a request over a dispatcher and waits for the head of its response. Rejects immediately with the signal's own
 * reason if it aborts, and breaks off the body.
 * @throws UpstreamError, CallError `egress_blocked`, or the error of the tool's own body stream
 */
export function send(
  dispatcher: Dispatcher,
  request: Outgoing,
  signal: AbortSignal | undefined,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    let body: Readable | undefined;
    let connection: Dispatcher.DispatchController | undefined;
    let isOver = false;

    function end(): void {
      isOver = true;
      signal?.removeEventListener("abort", abort);
    }
    function fail(error: unknown): void {
      end();
      if (body === undefined) reject(error as Error);
      else body.destroy(error as Error);
    }
    function abort(): void {
      fail(signal?.reason);
      connection?.abort(signal?.reason);
    }

    signal?.throwIfAborted();
    signal?.addEventListener("abort", abort, { once: true });
    dispatcher.dispatch(toDispatchOptions(request), {
      onRequestStart(controller) {
        connection = controller;
        if (isOver) controller.abort(signal?.reason);
      },
      onResponseStart(controller, status, _headers, statusText = "") {
        if (status < 200) return;
        // Statuses above 599 do not exist (RFC 9110, section 15), and a Response does not accept them.
        if (status > 599)
          return controller.abort(new UpstreamError(`The service behind the tool did not send a valid status.`));
        // A reader gets the error. Without a reader, it must not end the process.
        body = new Readable({
          read: () => controller.resume(),
          destroy(error, done) {
            // Aborted, so that its connection is not used again.
            if (!isOver) controller.abort(error ?? new Error("The answer was not read to its end."));
            end();
            done(error);
          },
        }).on("error", () => undefined);
        try {
          resolve({ status, statusText, headers: readHeaders(controller.rawHeaders), body });
        } catch (error) {
          body = undefined;
          controller.abort(error as Error);
        }
      },
      onResponseData(controller, chunk) {
        if (body?.push(chunk) === false) controller.pause();
      },
      onResponseEnd() {
        end();
        body?.push(null);
      },
      onResponseError(_controller, error) {
        if (!isOver) fail(toFault(error));
      },
    });
  });
}

function toDispatchOptions({ method, url, headers, body }: Outgoing): Dispatcher.DispatchOptions {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as Dispatcher.HttpMethod,
    headers: [...headers].flat(),
    // Its types do not include async iterables, its documentation does.
    body: (body ?? null) as Uint8Array | string | null,
  };
}

/** Read as bytes, because HTTP defines no encoding for headers (RFC 9110, section 5.5). */
function readHeaders(raw: Dispatcher.DispatchController["rawHeaders"]): Headers {
  const headers = new Headers();
  const fields = (raw ?? []) as readonly (Buffer | string)[];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    headers.append(latin1(fields[index]!), latin1(fields[index + 1]!));
  }
  return headers;
}

function latin1(field: Buffer | string): string {
  return typeof field === "string" ? field : field.toString("latin1");
}

/**
 * Converts an error of the connection to one for the model. It is unknown whether the request had an effect: one that
 * was not sent fails in the connector.
 */
export function toFault(error: Error): unknown {
  if (error instanceof BodyFault) return error.cause;
  if (error.name === "CallError" || error.name === "UpstreamError") return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  switch (code) {
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
      // It was never sent: a fault of the tool.
      return new TypeError("fetch failed", { cause: error });
    case "UND_ERR_RES_EXCEEDED_MAX_SIZE":
      return tooLarge();
    case "UND_ERR_HEADERS_OVERFLOW":
      return new UpstreamError("The service behind the tool sent too many headers.", {
        cause: error,
      });
    default:
      return new UpstreamError(
        `The service behind the tool closed the connection early or did not send a valid answer${code === undefined ? "" : ` (${code})`}.`,
        { cause: error },
      );
  }
}

export function tooLarge(): UpstreamError {
  return new UpstreamError("The service behind the tool sent an answer that is too large. Ask it for less.");
}
