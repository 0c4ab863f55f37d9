import type { Worker } from "node:worker_threads";
import { openThreadInspector, type ThreadInspector } from "./thread-inspector.ts";

/** Ends threads that use too much memory before V8's own limit is met, which may end the process. */
export interface HeapWatch {
  /** Looks at the thread from now on, until it is let go. It counts as busy: it boots. */
  watch(worker: Worker, onOver: () => void): WatchedThread;
}

/** A thread that is looked at: often while it is busy, seldom otherwise. */
export interface WatchedThread {
  setBusy(): void;
  setIdle(): void;
  /** It is gone. */
  letGo(): void;
}

interface Watched {
  readonly threadId: number;
  busySince: number | undefined;
  isAsked: boolean;
  /** How many looks in a row found too much. */
  over: number;
  onOver(): void;
}

const busyLookMs = 50;
/** What a call leaves behind, a timer or a promise, goes on without one. */
const idleLookMs = 500;
/** What is found is partly garbage: that it stays is what counts. */
const mostOver = 5;

/** @param maxBytes what a thread's heap may hold for long; at twice that, found twice, it is ended at once. Buffers are not in the heap */
export function createHeapWatch(maxBytes: number): HeapWatch {
  const watched = new Set<Watched>();
  let busyTimer: NodeJS.Timeout | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let inspector: ThreadInspector | undefined;

  return {
    watch({ threadId }, onOver) {
      const each: Watched = { threadId, busySince: undefined, isAsked: false, over: 0, onOver };
      watched.add(each);
      idleTimer ??= setInterval(lookAtAll, idleLookMs).unref();
      setBusy(each);
      return {
        setBusy: () => setBusy(each),
        setIdle: () => void (each.busySince = undefined),
        letGo: () => void watched.delete(each),
      };
    },
  };

  function setBusy(each: Watched): void {
    each.busySince = performance.now();
    busyTimer ??= setInterval(lookAtBusy, busyLookMs).unref();
  }

  function lookAtBusy(): void {
    const time = performance.now();
    let isAnyBusy = false;
    for (const each of watched) {
      if (each.busySince === undefined) continue;
      isAnyBusy = true;
      // Most calls are over by then, and cost nothing here.
      if (time - each.busySince >= busyLookMs) void judge(each);
    }
    if (isAnyBusy) return;
    clearInterval(busyTimer);
    busyTimer = undefined;
  }

  /** Those in quick calls too: each may leave a little. */
  function lookAtAll(): void {
    if (watched.size === 0) return rest();
    for (const each of watched) void judge(each);
  }

  function rest(): void {
    clearInterval(idleTimer);
    idleTimer = undefined;
    inspector?.close();
    inspector = undefined;
  }

  async function judge(each: Watched): Promise<void> {
    if (each.isAsked) return;
    each.isAsked = true;
    const bytes = await weigh(each);
    each.isAsked = false;
    each.over = bytes > maxBytes ? each.over + 1 : 0;
    // Twice too much is looked at twice all the same: the first look may have come upon garbage, which it had collected.
    const isFarOver = bytes > maxBytes * 2 && each.over > 1;
    if ((each.over > mostOver || isFarOver) && watched.has(each)) each.onOver();
  }

  async function weigh({ threadId, over, busySince }: Watched): Promise<number> {
    inspector ??= openThreadInspector();
    const { heapBytes, collectGarbage } = inspector;
    const bytes = await heapBytes(threadId);
    if (bytes <= maxBytes || over > 0) return bytes;
    collectGarbage(threadId);
    // V8 leaves the garbage of quick calls where it is. An idle thread is judged without it, at once.
    return busySince === undefined ? heapBytes(threadId) : bytes;
  }
}
