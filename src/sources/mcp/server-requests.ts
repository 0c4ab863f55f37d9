import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../../json/object.ts";

/** Answers on their way to a server. Over HTTP each is a request, and a server may ask without end. */
const maxAnswers = 4;

/**
 * Answers the requests of a server: it is there, and has nothing else to offer. The client's own answers are not limited.
 * @returns whether the message was a request
 */
export function createRequestAnswers(transport: Transport): (message: unknown) => boolean {
  let running = 0;
  const settle = (): void => void running--;
  const send = (message: JsonObject): void => {
    running++;
    transport.send(message as unknown as JSONRPCMessage).then(settle, settle);
  };
  return (message) => {
    if (!isJsonObject(message) || typeof message["method"] !== "string" || message["id"] === undefined) return false;
    if (running >= maxAnswers) return true;
    const { id, method } = message;
    if (method === "ping") send({ jsonrpc: "2.0", id, result: {} });
    else send({ jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } });
    return true;
  };
}
