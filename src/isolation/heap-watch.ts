import type { Worker } from "node:worker_threads";
import { openThreadInspector, type ThreadInspector } from "./thread-inspector.ts";

/** Ends threads that use too much memory before they reach V8's own limit, which may end the process. */
export interface HeapWatch {
  /** Watches the thread from now until `letGo`. It starts as busy, because it boots. */
  watch(worker: Worker, onOver: () => void): WatchedThread;
}

/** A watched thread: checked often while it is busy, rarely otherwise. */
export interface WatchedThread {
  setBusy(): void;
  setIdle(): void;
  /** Called when it is gone. */
  letGo(): void;
}

interface Watched {
  readonly threadId: number;
  busySince: number | undefined;
  isAsked: boolean;
  /** Number of consecutive checks that found too much. */
  over: number;
  onOver(): void;
}

const busyLookMs = 50;
/** Timers and promises that a call leaves behind continue after it. */
const idleLookMs = 500;
/** The measured heap includes garbage: only an excess that persists counts. */
const mostOver = 5;

/**
 * @param maxBytes limit of a thread's heap, if it persists; a thread that exceeds twice the limit in two checks is
 * ended at once. Buffers are not in the heap
 */
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
      // Most calls have ended by then, and cost nothing here.
      if (time - each.busySince >= busyLookMs) void judge(each);
    }
    if (isAnyBusy) return;
    clearInterval(busyTimer);
    busyTimer = undefined;
  }

  /** Includes threads with quick calls: each call may leave a little memory behind. */
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
    // Twice the limit is checked twice as well: the first check may have counted garbage that has been collected since.
    const isFarOver = bytes > maxBytes * 2 && each.over > 1;
    if ((each.over > mostOver || isFarOver) && watched.has(each)) each.onOver();
  }

  async function weigh({ threadId, over, busySince }: Watched): Promise<number> {
    inspector ??= openThreadInspector();
    const { heapBytes, collectGarbage } = inspector;
    const bytes = await heapBytes(threadId);
    if (bytes <= maxBytes || over > 0) return bytes;
    collectGarbage(threadId);
    // V8 does not collect the garbage of quick calls immediately. An idle thread is measured without it, at once.
    return busySince === undefined ? heapBytes(threadId) : bytes;
  }
}
