import { Agent, type Dispatcher, request } from "undici";
import { isJsonObject, ownMember } from "../json/object.ts";

/** The service did not answer, or cannot answer now: the same request may be sent again. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
  /** How long the service asked to wait, in milliseconds; 0 if it did not. */
  readonly askedMs: number;

  constructor(message: string, askedMs = 0, cause?: unknown) {
    super(message, { cause });
    this.askedMs = askedMs;
  }
}

/** The service refused a request: the same request would be refused again. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Requests to the `/workers` of a service. */
export interface Connection {
  /**
   * @param path behind `/workers`
   * @param body JSON
   * @param heldMs how long the service may hold the answer, in milliseconds
   * @param signal gives the request up
   * @returns the JSON of the answer; undefined if it has none
   * @throws Unreachable, Refused
   */
  post(path: string, body: string | undefined, heldMs?: number, signal?: AbortSignal): Promise<unknown>;
  /** @throws Unreachable, Refused */
  delete(path: string): Promise<void>;
  /** Gives up all requests. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /** The URL of `/workers`. */
  readonly url: string;
  readonly token: string;
  /** Called before each request. */
  readonly onSend?: () => void;
}

/** How long the service may take to answer beyond what it was asked to hold the answer, and to send a body. */
const answerMs = 15_000;
const connectMs = 10_000;

export function createConnection({ url, token, onSend }: ConnectionOptions): Connection {
  const dispatcher = new Agent({ connect: { timeout: connectMs }, bodyTimeout: answerMs });
  const authorization = `Bearer ${token}`;

  async function exchange(
    method: "POST" | "DELETE",
    path: string,
    { body, heldMs = 0, signal }: { body?: string | undefined; heldMs?: number; signal?: AbortSignal | undefined },
  ): Promise<unknown> {
    onSend?.();
    let answer: Dispatcher.ResponseData;
    let text: string;
    try {
      answer = await request(url + path, {
        method,
        headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body }),
        ...(signal !== undefined && { signal }),
        headersTimeout: heldMs + answerMs,
        dispatcher,
      });
      text = await answer.body.text();
    } catch (error) {
      throw new Unreachable(`the service cannot be reached (${codeOf(error)})`, 0, error);
    }
    return read(answer, text);
  }
  return {
    post: (path, body, heldMs = 0, signal) => exchange("POST", path, { body, heldMs, signal }),
    delete: async (path) => void (await exchange("DELETE", path, {})),
    close: () => dispatcher.destroy(),
  };
}

/** @throws Unreachable, Refused */
function read({ statusCode, headers }: Dispatcher.ResponseData, text: string): unknown {
  const json = parse(text);
  if (statusCode >= 200 && statusCode < 300) {
    if (text !== "" && json === undefined)
      throw new Unreachable(`the service answered with status ${statusCode}, but without JSON`);
    return json;
  }
  const message = ownMember(ownMember(json, "error"), "message");
  const isTemporary = statusCode >= 500 || statusCode === 408 || statusCode === 429;
  // A proxy whose service is down may answer with any status.
  if (isTemporary || typeof message !== "string") {
    const asked = Number(headers["retry-after"]);
    throw new Unreachable(`the service answered ${statusCode}`, asked > 0 ? asked * 1000 : 0);
  }
  throw new Refused(statusCode, message);
}

function parse(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "no answer";
}
