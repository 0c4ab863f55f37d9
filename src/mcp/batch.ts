import type { JsonDocument } from "../json/parse.ts";
import type { JsonRefusal } from "../json/refusals.ts";
import { ProtocolError, rpcCodes } from "./json-rpc.ts";
import type { Incoming } from "./incoming.ts";

/**
 * The only revision with batches, which its servers must accept. Source: modelcontextprotocol.io/specification/2025-03-26/basic,
 * "Batching"; the next revision removed them.
 */
export const batchRevision = "2025-03-26";
const maxMessages = 64;

/** The messages of a batch, each as a document of its own. @throws ProtocolError */
export function readBatch(messages: readonly unknown[], refusals: readonly JsonRefusal[]): readonly JsonDocument[] {
  if (messages.length === 0 || messages.length > maxMessages) {
    throw new ProtocolError(rpcCodes.invalidRequest, `A batch must contain 1 to ${maxMessages} messages.`);
  }
  if (refusals.some(({ path }) => path === "")) {
    throw new ProtocolError(rpcCodes.invalidRequest, "The batch contains too many values that are refused.");
  }
  return messages.map((value, index) => {
    const place = `/${index}`;
    const inside = refusals.filter(({ path }) => path === place || path.startsWith(`${place}/`));
    return { value, refusals: inside.map((refusal) => ({ ...refusal, path: refusal.path.slice(place.length) })) };
  });
}

/** What may not be a message of a batch. @throws ProtocolError */
export function refuseInBatch({ era, method, id }: Incoming): void {
  if (era === "legacy" && method !== "initialize") return;
  const what =
    method === "initialize" ? "initialize must not be part of a batch." : `Only ${batchRevision} has batches.`;
  throw new ProtocolError(rpcCodes.invalidRequest, what, id);
}

/**
 * Answers the messages of a batch together.
 * @param answer responds once to the message at an index: undefined if it needs no response
 * @param done gets all responses as one message; undefined if there are none
 */
export function answerBatch(
  count: number,
  answer: (index: number, respond: (response: string | undefined) => void) => void,
  done: (responses: string | undefined) => void,
): void {
  const responses: (string | undefined)[] = [];
  let left = count;
  for (let index = 0; index < count; index++) {
    answer(index, (response) => {
      responses[index] = response;
      if (--left > 0) return;
      const given = responses.filter((each) => each !== undefined);
      done(given.length === 0 ? undefined : `[${given.join(",")}]`);
    });
  }
}
