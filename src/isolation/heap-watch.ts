import type { Worker } from "node:worker_threads";
import { openThreadInspector, type ThreadInspector } from "./thread-inspector.ts";

/** Ends threads that use too much memory before V8's own limit is met, which may end the process. */
export interface HeapWatch {
  /** Looks at the thread from now on, until what it returns is called. */
  watch(worker: Worker, onOver: () => void): () => void;
}

interface Watched {
  readonly threadId: number;
  readonly since: number;
  isAsked: boolean;
  /** How many looks in a row found too much. */
  over: number;
  onOver(): void;
}

const lookMs = 50;
/** What is found is partly garbage: that it stays is what counts. */
const mostOver = 5;

/** @param maxBytes what a thread's heap may hold for long; at twice that it is ended at once. Buffers are not in the heap */
export function createHeapWatch(maxBytes: number): HeapWatch {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let inspector: ThreadInspector | undefined;

  return {
    watch({ threadId }, onOver) {
      const each: Watched = { threadId, since: performance.now(), isAsked: false, over: 0, onOver };
      watched.add(each);
      timer ??= setInterval(look, lookMs).unref();
      return () => void watched.delete(each);
    },
  };

  function look(): void {
    if (watched.size === 0) return rest();
    const time = performance.now();
    for (const each of watched) {
      // Most calls are over by then, and cost nothing here.
      if (each.isAsked || time - each.since < lookMs) continue;
      each.isAsked = true;
      void judge(each);
    }
  }

  function rest(): void {
    clearInterval(timer);
    timer = undefined;
    inspector?.close();
    inspector = undefined;
  }

  async function judge(each: Watched): Promise<void> {
    inspector ??= openThreadInspector();
    const { heapBytes, collectGarbage } = inspector;
    const bytes = await heapBytes(each.threadId);
    each.isAsked = false;
    each.over = bytes > maxBytes ? each.over + 1 : 0;
    if (each.over === 1) collectGarbage(each.threadId);
    if ((each.over > mostOver || bytes > maxBytes * 2) && watched.has(each)) each.onOver();
  }
}
