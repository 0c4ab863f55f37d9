import { type Deadline, liftDeadline, now, setDeadline } from "../async/deadline.ts";
import type { Cancellable, Cancellation } from "../core/call/call.ts";
import type { Exchange } from "../http/exchange.ts";
import { unwatchDeparture, watchDeparture } from "../http/node/connections.ts";
import type { Responder } from "../http/route.ts";
import { bounds } from "./bounds.ts";
import type { Worker } from "./worker.ts";
import type { WorkerCall } from "./worker-call.ts";

/** What a poll reports when its worker gets nothing. */
export interface PollOwner {
  /** Called with the calls of an answer of which nothing was written, because the connection had ended. */
  returned(worker: Worker, calls: readonly WorkerCall[], cancelled: readonly string[]): void;
}

/**
 * A worker that asks for calls, until it is answered. A class, because there may be one for every call, and its methods
 * must not be made for each.
 */
export class WaitingPoll implements Deadline, Cancellable {
  readonly worker: Worker;
  readonly expiresAt: number;
  earlier: Deadline | undefined = undefined;
  later: Deadline | undefined = undefined;
  /** How many more calls the worker takes with this answer. */
  room: number;
  readonly #owner: PollOwner;
  readonly #exchange: Exchange;
  readonly #responder: Responder;
  readonly #departure: Cancellation;
  #calls: WorkerCall[] = [];
  #text = "";
  #isOver = false;

  constructor(
    owner: PollOwner,
    worker: Worker,
    request: { readonly exchange: Exchange; readonly responder: Responder },
    { waitMs, max }: { readonly waitMs: number; readonly max: number },
  ) {
    this.#owner = owner;
    this.worker = worker;
    this.#exchange = request.exchange;
    this.#responder = request.responder;
    this.expiresAt = now() + waitMs;
    this.#departure = watchDeparture(request.exchange);
    this.#departure.target = this;
    this.room = this.isAbandoned ? 0 : max;
  }

  /** Whether the connection ended before the poll was read. */
  get isAbandoned(): boolean {
    return this.#departure.cancelled;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  /** Adds a call to the answer. */
  take(call: WorkerCall): void {
    const text = textOf(call);
    this.#text += this.#text === "" ? text : `,${text}`;
    this.#calls.push(call);
    this.room--;
    if (this.#text.length > bounds.pollLength) this.room = 0;
  }

  wait(): void {
    setDeadline(this);
  }

  onExpire(): void {
    this.answer();
  }

  /** The worker's connection has ended. */
  cancel(): void {
    this.answer();
  }

  /** Sends the calls that it took, and the cancellations of its worker. */
  answer(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { worker } = this;
    if (worker.poll === this) worker.poll = undefined;
    liftDeadline(this);
    unwatchDeparture(this.#exchange, this.#departure);
    const calls = this.#calls;
    const { cancelled } = worker;
    const isEmpty = calls.length === 0 && cancelled.length === 0;
    if (cancelled.length > 0) worker.cancelled = [];
    const socket = isEmpty ? undefined : this.#exchange.incoming?.socket;
    const written = socket?.bytesWritten;
    this.#responder.reply({
      status: 200,
      headers: { "content-type": "application/json" },
      body: `{"calls":[${this.#text}],"cancelled":${cancelled.length === 0 ? "[]" : JSON.stringify(cancelled)}}`,
    });
    if (socket === undefined) return;
    // The answer is written before the immediates that are set now. The connection may also have ended after the write:
    // then the worker may run the calls, and no other worker must get them.
    setImmediate(() => {
      if (socket.destroyed && socket.bytesWritten === written) this.#owner.returned(worker, calls, cancelled);
    });
  }
}

function textOf({ context, offer, args, runs }: WorkerCall): string {
  const { callId, remainingMs, attempt, session, trace } = context;
  return JSON.stringify({
    callId,
    tool: offer.tool.name,
    arguments: args,
    timeoutMs: remainingMs,
    attempt: attempt + runs - 1,
    session,
    traceparent: trace?.traceparent,
  });
}
