import type { Caller } from "../core/caller.ts";
import { CallError } from "../errors/errors.ts";
import { refuseAny, takeJsonBody, readJsonBody } from "../http/body/json-body.ts";
import type { BodyHandler } from "../http/body/received-body.ts";
import type { Door } from "../http/door.ts";
import { errorReply, type HttpReply, jsonReply } from "../http/http-reply.ts";
import { badQuery, readQuery } from "../http/query.ts";
import type { Responder, Route } from "../http/route.ts";
import type { JsonDocument } from "../json/parse.ts";
import { type Receipt, takeAnswer, takeAnswers } from "./answers.ts";
import { bounds } from "./bounds.ts";
import type { Dispatch } from "./dispatch.ts";
import { unknownWorker } from "./failures.ts";
import { WaitingPoll } from "./poll.ts";
import type { Worker } from "./worker.ts";
import type { Workers } from "./workers.ts";

const defaultWaitMs = 20_000;
/** Shorter than a lease: a worker that waits for calls keeps it. */
const maxWaitMs = 25_000;
const defaultMax = 10;

/** The routes of workers: `/workers` and what is below it. They take the token of a worker, and no key. */
export function createWorkersDoor(workers: Workers): Door {
  return ({ reply: body }) => {
    const isFor = workers.authenticate;
    const register: Route<"/workers"> = {
      method: "POST",
      path: "/workers",
      isFor,
      startsCalls: true,
      async handle(exchange, token) {
        readQuery(exchange.query, []);
        const document = await readJsonBody(exchange, body);
        return jsonReply(await workers.register(token.id, refuseAny(document)), {}, 201);
      },
    };
    const poll: Route<"/workers/:id/poll"> = {
      method: "POST",
      path: "/workers/:id/poll",
      isFor,
      isFrequent: true,
      holdsDrain: false,
      handle(exchange, token, { id }, responder) {
        const worker = workers.find(token.id, id);
        const { waitMs, max } = readQuery(exchange.query, ["waitMs", "max"]);
        const settings = {
          waitMs: Math.min(readCount("waitMs", waitMs) ?? defaultWaitMs, maxWaitMs),
          max: Math.min(readCount("max", max) ?? defaultMax, bounds.callsOfPoll),
        };
        if (worker.isLeaving && (settings.max > 0 || worker.calls.size === 0)) throw unknownWorker();
        worker.hasLease = true;
        waitForCalls(
          workers.dispatch,
          new WaitingPoll(workers.dispatch, worker, { exchange, responder }, settings),
          settings,
        );
        return undefined;
      },
    };
    const answer: Route<"/workers/:id/calls/:callId"> = {
      method: "POST",
      path: "/workers/:id/calls/:callId",
      isFor,
      isFrequent: true,
      handle(exchange, token, { id, callId }, responder) {
        workers.find(token.id, id);
        readQuery(exchange.query, []);
        takeJsonBody(
          exchange,
          body,
          new AnswersBody(workers, token, id, responder, (worker, { value, refusals }) =>
            replyTo(takeAnswer(workers, worker, callId, value, refusals[0])),
          ),
        );
        return undefined;
      },
    };
    const answers: Route<"/workers/:id/calls"> = {
      method: "POST",
      path: "/workers/:id/calls",
      isFor,
      isFrequent: true,
      handle(exchange, token, { id }, responder) {
        workers.find(token.id, id);
        readQuery(exchange.query, []);
        takeJsonBody(
          exchange,
          body,
          new AnswersBody(workers, token, id, responder, (worker, document) => {
            takeAnswers(workers, worker, document);
            return noContent();
          }),
        );
        return undefined;
      },
    };
    const leave: Route<"/workers/:id"> = {
      method: "DELETE",
      path: "/workers/:id",
      isFor,
      handle(exchange, token, { id }) {
        readQuery(exchange.query, []);
        workers.leave(workers.find(token.id, id));
        return noContent();
      },
    };
    return [register, poll, answer, answers, leave];
  };
}

/** Answers of a worker as they come. */
class AnswersBody implements BodyHandler {
  readonly endsCalls = true;
  readonly #workers: Workers;
  readonly #token: Caller;
  readonly #id: string;
  readonly #responder: Responder;
  readonly #take: (worker: Worker, document: JsonDocument) => HttpReply;

  constructor(
    workers: Workers,
    token: Caller,
    id: string,
    responder: Responder,
    take: (worker: Worker, document: JsonDocument) => HttpReply,
  ) {
    this.#workers = workers;
    this.#token = token;
    this.#id = id;
    this.#responder = responder;
    this.#take = take;
  }

  takeDocument(document: JsonDocument): void {
    // A long body renews the lease again.
    const worker = this.#workers.find(this.#token.id, this.#id);
    this.#responder.reply(this.#take(worker, document));
  }

  refuseBody(error: unknown): void {
    this.#responder.fail(error);
  }
}

function waitForCalls(
  dispatch: Dispatch,
  poll: WaitingPoll,
  { waitMs, max }: { readonly waitMs: number; readonly max: number },
): void {
  const { worker } = poll;
  // A worker has one poll: it may have lost the answer to the one before.
  worker.poll?.answer();
  worker.poll = poll;
  worker.asked = max;
  if (max > 0) dispatch.serve(worker);
  if (poll.isAbandoned || poll.hasCalls || worker.cancelled.length > 0 || waitMs === 0) return poll.answer();
  poll.wait();
}

function replyTo(receipt: Receipt): HttpReply {
  switch (receipt) {
    case "taken":
      return noContent();
    case "over": {
      const message = "The call is over: it was answered, its time limit passed, or its caller left.";
      return { ...errorReply(new CallError("not_found", message)), status: 410 };
    }
    case "unknown":
      throw new CallError("not_found", "This worker was not given a call with this id.");
  }
}

function noContent(): HttpReply {
  return { status: 204, headers: {}, body: null };
}

/** A whole number from 0. */
function readCount(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw badQuery(name, "must be a whole number");
}
