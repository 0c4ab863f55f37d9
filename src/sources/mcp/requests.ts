import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../../json/object.ts";

/** The `error` of a JSON-RPC answer. */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface RequestOptions {
  /** If it aborts, the server is told so, and the request rejects with its reason. */
  readonly signal: AbortSignal;
  /** Gets the parameters of progress notifications. @default the server is asked for none */
  readonly onProgress?: (params: JsonObject) => void;
  /** Members of `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Sent with the request over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Requests beside those of the official client, over its connection. The client refuses a whole list for one faulty tool and a
 * whole result for one unknown block, checks results of failed calls, and takes several times as long for a call.
 */
export interface Requests {
  /** @throws McpError, what the transport threw, the reason of the signal, or what `end` was called with */
  send(method: string, params: JsonObject, options: RequestOptions): Promise<unknown>;
  /** @returns whether the message belongs to one of these requests */
  take(message: unknown): boolean;
  /** Fails what runs. */
  end(error: Error): void;
}

/** Ids of the client begin with 0, and it sends few requests. */
const firstId = 1_000_001;

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((params: JsonObject) => void) | undefined;
}

/** @param envelope what `_meta` of each message contains in the era of the connection */
export function createRequests(transport: Transport, envelope: JsonObject): Requests {
  const pending = new Map<unknown, Pending>();
  let nextId = firstId;
  const hasEnvelope = Object.keys(envelope).length > 0;

  const cancel = (id: number, reason: unknown): void => {
    const request = pending.get(id);
    if (request === undefined) return;
    pending.delete(id);
    request.reject(reason);
    // In the era with the envelope, the end of the request's own stream says so.
    if (hasEnvelope && transport.hasPerRequestStream === true) return;
    const params = { requestId: id, reason: "the caller no longer waits", ...(hasEnvelope && { _meta: envelope }) };
    const message = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    transport.send(message as JSONRPCMessage).catch(() => undefined);
  };
  return {
    send(method, params, { signal, onProgress, meta, headers }) {
      signal.throwIfAborted();
      const id = nextId++;
      const all = { ...envelope, ...meta, ...(onProgress !== undefined && { progressToken: id }) };
      const withMeta = Object.keys(all).length > 0 ? { ...params, _meta: all } : params;
      const message = { jsonrpc: "2.0", id, method, params: withMeta };
      return new Promise((resolve, reject) => {
        const onAbort = (): void => cancel(id, signal.reason);
        const settle = (): boolean => {
          signal.removeEventListener("abort", onAbort);
          return pending.delete(id);
        };
        const fail = (error: unknown): void => {
          if (settle()) reject(error as Error);
        };
        pending.set(id, {
          onProgress,
          resolve(result) {
            settle();
            resolve(result);
          },
          reject(error) {
            settle();
            reject(error as Error);
          },
        });
        signal.addEventListener("abort", onAbort, { once: true });
        transport
          .send(message as JSONRPCMessage, {
            requestSignal: signal,
            onRequestStreamEnd: () => fail(new Error("the answer ended before its result")),
            ...(headers !== undefined && { headers }),
          })
          .catch(fail);
      });
    },
    take(message) {
      if (!isJsonObject(message)) return false;
      const { id, method, params } = message;
      if (method === undefined) {
        const request = pending.get(id);
        if (request === undefined) return typeof id === "number" && id >= firstId;
        if (isJsonObject(message["error"])) request.reject(toError(message["error"]));
        else request.resolve(message["result"]);
        return true;
      }
      if (method !== "notifications/progress" || !isJsonObject(params)) return false;
      const token = params["progressToken"];
      pending.get(token)?.onProgress?.(params);
      return typeof token === "number" && token >= firstId;
    },
    end(error) {
      for (const request of pending.values()) request.reject(error);
    },
  };
}

function toError({ code, message }: JsonObject): McpError {
  return new McpError(typeof code === "number" ? code : 0, typeof message === "string" ? message : "");
}
