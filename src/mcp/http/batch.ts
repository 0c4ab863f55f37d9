import { cancel, type Cancellation } from "../../core/call/call.ts";
import type { Exchange } from "../../http/exchange.ts";
import { unwatchDeparture, watchDeparture } from "../../http/node/connections.ts";
import type { Responder } from "../../http/route.ts";
import type { JsonDocument } from "../../json/parse.ts";
import { answerBatch, refuseInBatch } from "../batch.ts";
import type { McpHandler } from "../handler.ts";
import { readIncoming } from "../incoming.ts";
import { errorMessage, ProtocolError } from "../json-rpc.ts";
import type { Connection, Request } from "../method.ts";
import { accepted, messageReply } from "./protocol-reply.ts";

/** Answers a batch in one piece, so none of its calls gets progress. All are cancelled when the client leaves. */
export function replyToBatch(
  documents: readonly JsonDocument[],
  handler: McpHandler,
  exchange: Exchange,
  shared: Omit<Connection, "cancellation">,
  responder: Responder,
): void {
  const departure = watchDeparture(exchange);
  // One per call: a cancellation affects a single call, and ends with it.
  const cancellations = documents.map((): Cancellation => ({ cancelled: departure.cancelled }));
  departure.target = { cancel: () => cancellations.forEach(cancel) };
  answerBatch(
    documents.length,
    (index, respond) => {
      try {
        const incoming = readIncoming(documents[index]!);
        if (incoming?.id === undefined) return respond(undefined);
        refuseInBatch(incoming);
        const request = incoming as Request;
        handler.find(request)(request, { ...shared, cancellation: cancellations[index] }, { respond });
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        respond(errorMessage(error));
      }
    },
    (responses) => {
      unwatchDeparture(exchange, departure);
      responder.reply(responses === undefined ? accepted() : messageReply(responses));
    },
  );
}
