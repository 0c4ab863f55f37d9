import { CallError } from "../../src/errors/errors.ts";
import type { Caller } from "../../src/core/caller.ts";
import { readJsonBody, refuseAny } from "../../src/http/body/json-body.ts";
import type { BodyLimits } from "../../src/http/body/received-body.ts";
import { type HttpReply, jsonReply } from "../../src/http/http-reply.ts";
import type { Route } from "../../src/http/route.ts";

/** A door that only the tests have: message boards, with every kind of route that a door may need. */
export interface BoardDoor {
  readonly routes: readonly Route[];
  /** Polls that wait for a message. */
  readonly polls: Array<(reply: HttpReply) => void>;
  /** Streams that have begun and have not ended. */
  readonly streams: { open: number };
  /** How large the first event of a stream is. */
  eventBytes: number;
}

export const workerToken = "token-of-a-worker";

export function createBoardDoor(): BoardDoor {
  const boards = new Map<string, unknown[]>();
  const polls: BoardDoor["polls"] = [];
  const streams = { open: 0 };
  const body: BodyLimits = { maxBytes: 1000, held: { bytes: 0 }, maxHeldBytes: 10_000 };
  const boardOf = (name: string): unknown[] => boards.get(name) ?? [];
  const read: Route<"/boards/:board"> = {
    method: "GET",
    path: "/boards/:board",
    isFor: "callers",
    responseHeaders: ["board-length"],
    handle: (_exchange, _caller, { board }) =>
      jsonReply({ board, messages: boardOf(board) }, { "board-length": String(boardOf(board).length) }),
  };
  const write: Route<"/boards/:name"> = {
    method: "POST",
    path: "/boards/:name",
    isFor: "callers",
    requestHeaders: ["board-author"],
    async handle(exchange, caller, { name }) {
      const message = refuseAny(await readJsonBody(exchange, body));
      const author = exchange.headers["board-author"] ?? caller.id;
      boards.set(name, [...boardOf(name), { author, message }]);
      polls.splice(0).forEach((answer) => answer(jsonReply({ message })));
      return jsonReply({ length: boardOf(name).length }, {}, 201);
    },
  };
  const clear: Route<"/boards/:board"> = {
    method: "DELETE",
    path: "/boards/:board",
    isFor: "callers",
    handle(_exchange, _caller, { board }) {
      boards.delete(board);
      return { status: 204, headers: {}, body: null };
    },
  };
  const message: Route<"/boards/:board/messages/:index"> = {
    method: "GET",
    path: "/boards/:board/messages/:index",
    isFor: "callers",
    handle(_exchange, _caller, { board, index }) {
      const found = boardOf(board)[Number(index)];
      if (found === undefined) throw new CallError("not_found", `Board ${board} has no message ${index}.`);
      return jsonReply(found);
    },
  };
  const next: Route<"/boards/next"> = {
    method: "GET",
    path: "/boards/next",
    isFor: "callers",
    holdsDrain: false,
    handle(_exchange, _caller, _parameters, responder) {
      polls.push((reply) => responder.reply(reply));
      return undefined;
    },
  };
  const nextOrEnd: Route<"/boards/next-or-end"> = {
    method: "GET",
    path: "/boards/next-or-end",
    isFor: "callers",
    holdsDrain: false,
    handle(_exchange, _caller, _parameters, responder) {
      polls.push((reply) => responder.reply(reply));
      responder.ending.addEventListener("abort", () => responder.reply(jsonReply({ message: null })), { once: true });
      return undefined;
    },
  };
  const ticks: Route<"/ticks"> = {
    method: "GET",
    path: "/ticks",
    isFor: "callers",
    handle() {
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          streams.open++;
          controller.enqueue(new TextEncoder().encode(`data: ${"1".repeat(door.eventBytes)}\n\n`));
        },
        cancel: () => void streams.open--,
      });
      return { status: 200, headers: { "content-type": "text/event-stream" }, body: stream };
    },
  };
  const feed: Route<"/feed"> = { ...ticks, path: "/feed", holdsDrain: false };
  const page: Route<"/pages/*"> = {
    method: "GET",
    path: "/pages/*",
    isFor: "anyone",
    handle: (_exchange, caller, { "*": rest }) => jsonReply({ page: rest, caller: caller.id }),
  };
  const secrets: Route<"/board-secrets"> = {
    method: "GET",
    path: "/board-secrets",
    isFor: "operators",
    handle: () => jsonReply({ secret: true }),
  };
  const register: Route<"/workers"> = {
    method: "POST",
    path: "/workers",
    isFor: asWorker,
    startsCalls: true,
    handle: (_exchange, caller) => jsonReply({ worker: caller.id }, {}, 201),
  };
  const rpc: Route<"/rpc"> = {
    method: "POST",
    path: "/rpc",
    isFor: "callers",
    errorReply: ({ code }) => jsonReply({ jsonrpc: "2.0", error: { code: -32_000, message: code } }, {}, 400),
    handle() {
      throw new Error("a fault");
    },
  };
  const door: BoardDoor = {
    routes: [read, write, clear, message, next, nextOrEnd, ticks, feed, page, secrets, register, rpc],
    polls,
    streams,
    eventBytes: 1,
  };
  return door;
}

function asWorker(authorization: string | undefined): Caller {
  if (authorization === `Bearer ${workerToken}`) return { id: "worker" };
  throw new CallError("unauthorized", "A worker's token is needed here.");
}
