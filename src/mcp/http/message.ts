import { cancel, type Cancellation } from "../../core/call/call.ts";
import { findTool } from "../../core/caller.ts";
import type { Registry } from "../../core/registry/registry.ts";
import type { BodyHandler } from "../../http/body/received-body.ts";
import { eventStream } from "../../http/event-stream.ts";
import { type Exchange, header } from "../../http/exchange.ts";
import { unwatchDeparture, watchDeparture } from "../../http/node/connections.ts";
import type { Responder } from "../../http/route.ts";
import type { JsonDocument } from "../../json/parse.ts";
import { isProgressToken } from "../call-tool.ts";
import type { McpHandler } from "../handler.ts";
import { batchRevision, readBatch } from "../batch.ts";
import { replyToBatch } from "./batch.ts";
import { checkHeaders } from "./headers.ts";
import { type Incoming, readIncoming } from "../incoming.ts";
import { ProtocolError } from "../json-rpc.ts";
import type { Connection, Method, Replies, Request } from "../method.ts";
import { accepted, messageReply, protocolReply } from "./protocol-reply.ts";

/** What the messages of a configuration have in common. */
export interface HttpServing {
  readonly registry: Registry;
  readonly handler: McpHandler;
}

/**
 * One message of a client over HTTP. A class, because there is one for every call, and its methods must not be made for
 * each.
 */
export class HttpMessage implements BodyHandler, Replies {
  readonly #serving: HttpServing;
  readonly #exchange: Exchange;
  readonly #connection: Omit<Connection, "cancellation">;
  readonly #responder: Responder;
  #cancellation: Cancellation | undefined = undefined;
  declare readonly notify: undefined;

  constructor(
    serving: HttpServing,
    exchange: Exchange,
    connection: Omit<Connection, "cancellation">,
    responder: Responder,
  ) {
    this.#serving = serving;
    this.#exchange = exchange;
    this.#connection = connection;
    this.#responder = responder;
  }

  takeDocument(document: JsonDocument): void {
    const exchange = this.#exchange;
    let incoming: Incoming | undefined;
    let method: Method;
    try {
      // A client of the revision with batches does not name it in a header.
      const revision = header(exchange, "mcp-protocol-version");
      if (Array.isArray(document.value) && (revision ?? batchRevision) === batchRevision) {
        const documents = readBatch(document.value, document.refusals);
        return replyToBatch(documents, this.#serving.handler, exchange, this.#connection, this.#responder);
      }
      incoming = readIncoming(document, revision);
      // A response or a notification. Over HTTP a client cancels by leaving, and no other notification changes anything.
      if (incoming?.id === undefined) return this.#responder.reply(accepted());
      if (incoming.era === "modern") checkHeaders(incoming, exchange, (name) => this.#find(name));
      method = this.#serving.handler.find(incoming as Request);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return this.#responder.reply(protocolReply(error, incoming?.era));
    }
    const request = incoming as Request;
    const cancellation = (this.#cancellation = watchDeparture(exchange));
    const { caller, choice, requestId, session, parent, headers } = this.#connection;
    const connection: Connection = { caller, choice, cancellation, requestId, session, parent, headers };
    if (!wantsProgress(request, exchange)) return method(request, connection, this);
    this.#responder.reply(
      eventStream(
        ({ send, offer, end }) =>
          method(request, connection, {
            notify: (message) => offer(eventText(message)),
            respond(message) {
              unwatchDeparture(exchange, cancellation);
              send(eventText(message));
              end();
            },
          }),
        () => cancel(cancellation),
      ),
    );
  }

  refuseBody(error: unknown): void {
    this.#responder.fail(error);
  }

  respond(message: string): void {
    unwatchDeparture(this.#exchange, this.#cancellation!);
    this.#responder.reply(messageReply(message));
  }

  #find(name: string): ReturnType<typeof findTool> {
    const { caller, choice } = this.#connection;
    return findTool(this.#serving.registry, { name, caller, only: choice?.names });
  }
}

/** A stream costs more than a reply: only who asked for progress gets one. */
function wantsProgress({ method, meta }: Request, { headers: { accept } }: Exchange): boolean {
  if (method !== "tools/call" || !isProgressToken(meta["progressToken"])) return false;
  return typeof accept !== "string" || /text\/event-stream|\*\/\*/i.test(accept);
}

/** One event (text/event-stream); JSON has no line breaks. */
function eventText(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}
