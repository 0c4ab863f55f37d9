import { liftDeadline, now, setDeadline } from "../async/deadline.ts";
import type { SourceContext } from "../core/source-context.ts";
import type { JsonObject } from "../json/object.ts";
import { noWorker, workerLost, workersBusy } from "./failures.ts";
import type { Offer, Share } from "./offer.ts";
import type { PollOwner } from "./poll.ts";
import { createSessions } from "./sessions.ts";
import { freeOf, type Worker } from "./worker.ts";
import { type CallOwner, WorkerCall } from "./worker-call.ts";

/** Brings calls to workers that ask for them. */
export interface Dispatch extends PollOwner {
  /** A call of the tool, which settles when it is over. @throws CallError `unavailable` if no worker offers the tool */
  start(offer: Offer, args: JsonObject, context: SourceContext): WorkerCall;
  /** Gives waiting calls to a worker whose poll has just come. */
  serve(worker: Worker): void;
  /** The worker has answered the call, which is then settled by the caller of this function. */
  end(call: WorkerCall): void;
  /** The worker gets no more calls. Those that wait for it go to others. */
  withdraw(worker: Worker): void;
  /** The worker is gone with its calls: each runs again elsewhere if it may, or fails. */
  abandon(worker: Worker): void;
}

/** @param mayRepeat whether running a tool twice is harmless */
export function createDispatch(mayRepeat: (offer: Offer) => boolean): Dispatch {
  const sessions = createSessions();
  let numbers = 0;
  let waiting = 0;
  let isScheduled = false;
  /** What changed in this turn. */
  const offersToServe = new Set<Offer>();
  const workersToServe = new Set<Worker>();

  const owner: CallOwner = {
    expired(call) {
      const failure = call.runs > 0 ? workerLost() : isFull(call) ? workersBusy() : noWorker();
      leaveQueue(call);
      call.reject(failure);
    },
    stopped(call) {
      const { share } = call;
      if (share !== undefined) {
        end(call);
        share.worker.cancelled.push(call.context.callId);
        wake(share.worker);
      } else if (call.queue !== undefined) leaveQueue(call);
      // Nobody waits for it: this only says that it does not run any more.
      call.reject(undefined);
    },
  };

  const enqueue = (call: WorkerCall): void => {
    const { offer, context } = call;
    const bound = context.session === undefined ? undefined : sessions.shareOf(context.session, offer);
    call.expiresAt = now() + context.queueMs;
    putInto(call, bound?.waiting ?? offer.waiting);
    setDeadline(call);
    offersToServe.add(offer);
    schedule();
  };
  const putInto = (call: WorkerCall, queue: Set<WorkerCall>): void => {
    if (call.queue === undefined) waiting++;
    else call.queue.delete(call);
    call.queue = queue;
    queue.add(call);
  };
  const leaveQueue = (call: WorkerCall): void => {
    if (call.queue === undefined) return;
    waiting--;
    call.queue.delete(call);
    call.queue = undefined;
    liftDeadline(call);
  };
  /** The calls of a turn of the event loop go out together. */
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(serveAll);
  };
  const wake = (worker: Worker): void => {
    if (worker.poll === undefined || (waiting === 0 && worker.cancelled.length === 0)) return;
    workersToServe.add(worker);
    schedule();
  };
  const serveAll = (): void => {
    isScheduled = false;
    const [offers, workers] = [[...offersToServe], [...workersToServe]];
    offersToServe.clear();
    workersToServe.clear();
    const polls = new Set(workers.flatMap(({ poll }) => poll ?? []));
    for (const offer of offers)
      for (const { worker } of serveOffer(offer)) if (worker.poll !== undefined) polls.add(worker.poll);
    for (const worker of workers) fill(worker);
    for (const poll of polls) if (poll.hasCalls || poll.worker.cancelled.length > 0) poll.answer();
  };
  /** @returns the shares that got calls */
  const serveOffer = (offer: Offer): Set<Share> => {
    const served = new Set<Share>();
    const give = (call: WorkerCall, share: Share): void => {
      handOut(call, share);
      served.add(share);
    };
    while (true) {
      const call = oldestOf(offer);
      const share = call === undefined ? undefined : freestOf(offer);
      if (call === undefined || share === undefined) break;
      give(call, share);
    }
    for (const share of offer.shares) {
      for (const call of share.waiting) {
        if (!hasRoom(share)) break;
        give(call, share);
      }
    }
    return served;
  };
  /** The oldest call that any worker may take. Those whose session has got a worker since go to that one. */
  const oldestOf = (offer: Offer): WorkerCall | undefined => {
    for (const call of offer.waiting) {
      const { session } = call.context;
      const bound = session === undefined ? undefined : sessions.shareOf(session, offer);
      if (bound === undefined) return call;
      putInto(call, bound.waiting);
      wake(bound.worker);
    }
    return undefined;
  };
  /** Fills the poll of a worker with the oldest calls of all its tools. */
  const fill = (worker: Worker): void => {
    while (waiting > 0) {
      let oldest: WorkerCall | undefined;
      let place: Share | undefined;
      for (const share of worker.shares.values()) {
        if (share.waiting.size === 0 && share.offer.waiting.size === 0) continue;
        if (!hasRoom(share)) continue;
        const shared = oldestOf(share.offer);
        const [own] = share.waiting;
        for (const call of [shared, own]) {
          if (call === undefined || (oldest !== undefined && oldest.number < call.number)) continue;
          oldest = call;
          place = share;
        }
      }
      if (oldest === undefined || place === undefined) return;
      handOut(oldest, place);
    }
  };
  const handOut = (call: WorkerCall, share: Share): void => {
    const { context } = call;
    const { worker } = share;
    leaveQueue(call);
    call.share = share;
    call.runs++;
    share.running++;
    worker.calls.set(context.callId, call);
    if (context.session !== undefined) sessions.bind(context.session, worker);
    worker.poll!.take(call);
  };
  const end = (call: WorkerCall): void => {
    const { share, context } = call;
    if (share === undefined) return;
    const { worker } = share;
    call.share = undefined;
    share.running--;
    worker.calls.delete(context.callId);
    worker.ended.add(context.callId);
    wake(worker);
  };
  const runAgain = (call: WorkerCall): void => {
    if (call.offer.shares.size > 0 && mayRepeat(call.offer)) enqueue(call);
    else call.reject(workerLost());
  };
  const withdraw = (worker: Worker): void => {
    const shares = [...worker.shares.values()];
    worker.shares.clear();
    for (const share of shares) share.offer.shares.delete(share);
    for (const { offer, waiting: own } of shares) {
      for (const call of own) putInto(call, offer.waiting);
      if (offer.shares.size > 0) {
        offersToServe.add(offer);
        schedule();
        continue;
      }
      for (const call of offer.waiting) {
        leaveQueue(call);
        call.reject(call.runs > 0 ? workerLost() : noWorker());
      }
    }
  };

  return {
    start(offer, args, context) {
      if (offer.shares.size === 0) throw noWorker();
      const call = new WorkerCall(owner, offer, args, context, numbers++);
      context.whenStopped(call);
      enqueue(call);
      return call;
    },
    serve(worker) {
      fill(worker);
    },
    end,
    withdraw,
    abandon(worker) {
      withdraw(worker);
      for (const call of worker.calls.values()) {
        end(call);
        runAgain(call);
      }
    },
    returned(worker, calls, cancelled) {
      worker.cancelled.unshift(...cancelled);
      for (const call of calls) {
        if (call.share?.worker !== worker) continue;
        end(call);
        call.runs--;
        if (call.offer.shares.size > 0) enqueue(call);
        else call.reject(call.runs > 0 ? workerLost() : noWorker());
      }
    },
  };
}

function hasRoom({ worker, offer, running }: Share): boolean {
  return (worker.poll?.room ?? 0) > 0 && freeOf(worker) > 0 && running < offer.concurrency;
}

/** The share whose worker can take the most calls; of those that are equal, the one that runs the fewest. */
function freestOf(offer: Offer): Share | undefined {
  let best: Share | undefined;
  for (const share of offer.shares) {
    if (!hasRoom(share)) continue;
    if (best === undefined || isFreer(share.worker, best.worker)) best = share;
  }
  return best;
}

function isFreer(worker: Worker, other: Worker): boolean {
  const [free, ofOther] = [freeOf(worker), freeOf(other)];
  return free === ofOther ? worker.calls.size < other.calls.size : free > ofOther;
}

/** Whether a worker that may take the call asks, or runs as many calls as it can. */
function isFull({ offer, queue }: WorkerCall): boolean {
  for (const { worker, waiting } of offer.shares) {
    if (queue !== offer.waiting && queue !== waiting) continue;
    const { poll, calls, concurrency, asked } = worker;
    if (poll !== undefined || calls.size >= Math.min(concurrency, Math.max(1, asked))) return true;
  }
  return false;
}
