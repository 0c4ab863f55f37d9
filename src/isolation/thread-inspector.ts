import { type NodeWorker, Session } from "node:inspector";
import { isJsonObject } from "../json/object.ts";

/** Measures the heaps of threads, even while their code is in a loop. */
export interface ThreadInspector {
  /** @returns the size of the thread's heap, including garbage; 0 if the thread is gone */
  heapBytes(threadId: number): Promise<number>;
  /** Makes an idle thread collect garbage. A busy one does so by itself. */
  collectGarbage(threadId: number): void;
  /** Disconnects from every thread. Pending requests get no answer. */
  close(): void;
}

interface Question {
  readonly session: string;
  answer(result: unknown): void;
}

/**
 * Uses Node's inspector inside the process, without opening a port. Its requests interrupt a thread at any point, which
 * a message cannot, and Node 20 has no `worker.getHeapStatistics`.
 */
export function openThreadInspector(): ThreadInspector {
  const sessions = new Map<number, string>();
  const questions = new Map<number, Question>();
  let asked = 0;

  const own = new Session();
  own.connect();
  own.on("NodeWorker.attachedToWorker", ({ params }) => {
    // "[worker 3] name": only the title contains the thread's number; `workerId` is the inspector's own count.
    const { title } = params.workerInfo;
    sessions.set(Number(/\d+/.exec(title)?.[0]), params.sessionId);
  });
  own.on("NodeWorker.detachedFromWorker", ({ params }) => forget(params.sessionId));
  own.on("NodeWorker.receivedMessageFromWorker", ({ params }) => receive(params));
  own.post("NodeWorker.enable", { waitForDebuggerOnStart: false });

  return {
    async heapBytes(threadId) {
      const usage = await ask(threadId, "Runtime.getHeapUsage");
      return isJsonObject(usage) && typeof usage["usedSize"] === "number" ? usage["usedSize"] : 0;
    },
    collectGarbage(threadId) {
      void ask(threadId, "HeapProfiler.collectGarbage");
    },
    close() {
      sessions.clear();
      own.disconnect();
    },
  };

  function ask(threadId: number, method: string): Promise<unknown> {
    const session = sessions.get(threadId);
    if (session === undefined) return Promise.resolve(undefined);
    const id = ++asked;
    return new Promise((resolve) => {
      questions.set(id, { session, answer: resolve });
      const message = JSON.stringify({ id, method });
      own.post("NodeWorker.sendMessageToWorker", { sessionId: session, message }, (error) => {
        if (error !== null) answer(id, undefined);
      });
    });
  }

  function receive({ message }: NodeWorker.ReceivedMessageFromWorkerEventDataType): void {
    const { id, result } = JSON.parse(message) as { id?: number; result?: unknown };
    if (id !== undefined) answer(id, result);
  }

  function answer(id: number, result: unknown): void {
    questions.get(id)?.answer(result);
    questions.delete(id);
  }

  /** The thread is gone, and its pending requests get no answer. */
  function forget(session: string): void {
    for (const [threadId, each] of sessions) if (each === session) sessions.delete(threadId);
    for (const [id, question] of questions) if (question.session === session) answer(id, undefined);
  }
}
