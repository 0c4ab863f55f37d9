import { type NodeWorker, Session } from "node:inspector";
import { isJsonObject } from "../json/object.ts";

/** Asks threads about their heaps, though their code may be in the middle of a loop. */
export interface ThreadInspector {
  /** @returns what the thread's heap holds, garbage included; 0 where the thread is gone */
  heapBytes(threadId: number): Promise<number>;
  /** Has a thread that waits rid itself of garbage. One that is busy does so on its own. */
  collectGarbage(threadId: number): void;
  /** Leaves every thread alone again. Open questions get no answer. */
  close(): void;
}

interface Question {
  readonly session: string;
  answer(result: unknown): void;
}

/**
 * By Node's inspector, inside the process: no port is opened. Its questions interrupt a thread wherever it is, which no
 * message does, and Node 20 has no `worker.getHeapStatistics`.
 */
export function openThreadInspector(): ThreadInspector {
  const sessions = new Map<number, string>();
  const questions = new Map<number, Question>();
  let asked = 0;

  const own = new Session();
  own.connect();
  own.on("NodeWorker.attachedToWorker", ({ params }) => {
    // "[worker 3] name": the thread's number stands nowhere else; `workerId` is a count of the inspector's own.
    const { title } = params.workerInfo;
    sessions.set(Number(/\d+/.exec(title)?.[0]), params.sessionId);
  });
  own.on("NodeWorker.detachedFromWorker", ({ params }) => forget(params.sessionId));
  own.on("NodeWorker.receivedMessageFromWorker", ({ params }) => hear(params));
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

  function hear({ message }: NodeWorker.ReceivedMessageFromWorkerEventDataType): void {
    const { id, result } = JSON.parse(message) as { id?: number; result?: unknown };
    if (id !== undefined) answer(id, result);
  }

  function answer(id: number, result: unknown): void {
    questions.get(id)?.answer(result);
    questions.delete(id);
  }

  /** The thread is gone, and answers nothing more. */
  function forget(session: string): void {
    for (const [threadId, each] of sessions) if (each === session) sessions.delete(threadId);
    for (const [id, question] of questions) if (question.session === session) answer(id, undefined);
  }
}
