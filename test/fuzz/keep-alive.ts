import { connect, type Socket } from "node:net";
import { readAnswers, type WireAnswer } from "./http-answers.ts";

/** A connection that is kept as long as the service keeps it. */
export interface KeepAlive {
  /**
   * Sends requests at once and waits for the answer to each. After an answer that ends the connection, those that were
   * not answered are sent again on a new one.
   * @throws Error where answers are malformed, missing or too many
   */
  exchange(requests: readonly Buffer[]): Promise<WireAnswer[]>;
  close(): void;
}

/**
 * Longer than the time limit of heads: after a request with `Upgrade`, Node's parser reports no error of a later head on
 * the connection, so that it is answered 408 at that limit (10 to 11 s).
 */
const patienceMs = 15_000;

export function createKeepAlive(port: number): KeepAlive {
  let socket: Socket | undefined;
  return {
    async exchange(requests) {
      const answers: WireAnswer[] = [];
      while (answers.length < requests.length) {
        socket = socket === undefined || socket.destroyed ? await open(port) : socket;
        const came = await exchangeOn(socket, requests.slice(answers.length));
        answers.push(...came.answers);
        if (!came.isKept) socket.destroy();
      }
      return answers;
    },
    close: () => void socket?.destroy(),
  };
}

/** @returns the answers that came before the connection ended, of which there is at least one */
function exchangeOn(
  socket: Socket,
  requests: readonly Buffer[],
): Promise<{ readonly answers: readonly WireAnswer[]; readonly isKept: boolean }> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const mayBeHead = requests.some((request) => request.subarray(0, 5).toString() === "HEAD ");
    const look = (ended: boolean): void => {
      try {
        const { answers, left } = readAnswers(bytes, { ended: ended || isHead(bytes), mayBeHead });
        if (answers.length > requests.length || (answers.length === requests.length && left > 0)) {
          throw new Error(`${requests.length} requests got ${answers.length} answers and ${left} bytes more.`);
        }
        const isLast = ended || answers.at(-1)?.headers["connection"] === "close";
        if (isLast && answers.length === 0) throw new Error("The connection ended without an answer.");
        if (isLast || answers.length === requests.length) done(() => resolve({ answers, isKept: !isLast }));
      } catch (error) {
        done(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
    };
    // A single answer to HEAD is complete where its head is.
    const isHead = (came: Buffer): boolean => mayBeHead && requests.length === 1 && came.includes("\r\n\r\n");
    const onData = (chunk: Buffer): void => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      look(false);
    };
    const onClose = (): void => look(true);
    const timer = setTimeout(() => done(() => reject(new Error(`No answer in ${patienceMs} ms.`))), patienceMs);
    socket.on("data", onData);
    socket.once("close", onClose);
    for (const request of requests) socket.write(request);

    function done(settle: () => void): void {
      clearTimeout(timer);
      socket.off("data", onData);
      socket.off("close", onClose);
      settle();
    }
  });
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
}
