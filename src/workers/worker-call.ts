import type { Deadline } from "../async/deadline.ts";
import type { Cancellable } from "../core/call/call.ts";
import type { SourceContext } from "../core/source-context.ts";
import type { JsonObject } from "../json/object.ts";
import type { Offer, Share } from "./offer.ts";

/** What happens to a call that waits. */
export interface CallOwner {
  /** It was not handed out in time. */
  expired(call: WorkerCall): void;
  /** Its caller left, its time limit passed, or the service ends. */
  stopped(call: WorkerCall): void;
}

/**
 * A call of a worker's tool, from the queue to its answer. It is what the tool returns: `then` is called once, and the
 * answer settles it in the same turn, which a promise would not.
 *
 * A class, because its fields are created for every call and its methods must not be.
 */
export class WorkerCall implements Deadline, Cancellable {
  readonly offer: Offer;
  readonly args: JsonObject;
  readonly context: SourceContext;
  /** Grows from call to call. */
  readonly number: number;
  readonly #owner: CallOwner;
  expiresAt = 0;
  earlier: Deadline | undefined = undefined;
  later: Deadline | undefined = undefined;
  /** Where it waits. */
  queue: Set<WorkerCall> | undefined = undefined;
  /** The worker that has it. */
  share: Share | undefined = undefined;
  /** How often it was handed out. After the first time, it may have had its effect. */
  runs = 0;
  #settle: ((value: unknown) => unknown) | undefined = undefined;
  #fail: ((error: unknown) => unknown) | undefined = undefined;
  /** It settled before `then` was called. */
  #early: Settled | undefined = undefined;

  constructor(owner: CallOwner, offer: Offer, args: JsonObject, context: SourceContext, number: number) {
    this.#owner = owner;
    this.offer = offer;
    this.args = args;
    this.context = context;
    this.number = number;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- The call waits for it like for a promise.
  then(settle: (value: unknown) => unknown, fail: (error: unknown) => unknown): void {
    this.#settle = settle;
    this.#fail = fail;
    if (this.#early !== undefined) this.#report(this.#early);
  }

  resolve(value: unknown): void {
    this.#report({ value });
  }

  reject(error: unknown): void {
    this.#report({ error });
  }

  onExpire(): void {
    this.#owner.expired(this);
  }

  cancel(): void {
    this.#owner.stopped(this);
  }

  #report(settled: Settled): void {
    const [settle, fail] = [this.#settle, this.#fail];
    if (settle === undefined || fail === undefined) return void (this.#early ??= settled);
    // It settles once, and others may keep a reference to it for longer than its caller.
    this.#settle = ignore;
    this.#fail = ignore;
    if ("error" in settled) fail(settled.error);
    else settle(settled.value);
  }
}

type Settled = { readonly value: unknown } | { readonly error: unknown };

function ignore(): void {}
