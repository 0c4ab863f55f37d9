import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface RawExchange {
  /** Everything that the service sent. */
  readonly bytes: Buffer;
  /** How long the service took to close after the client had ended its side, in milliseconds. */
  readonly closeMs: number;
}

/** With nothing to read for so long, what was sent is taken to be answered, or to be no whole request. */
const quietMs = 15;

/**
 * Sends bytes on a connection of their own, waits until nothing more comes, ends its side and waits for the other.
 * @param closeLimitMs how long the service may take to close
 */
export async function exchangeRaw(
  port: number,
  segments: readonly Buffer[],
  closeLimitMs: number,
): Promise<RawExchange> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const chunks: Buffer[] = [];
  let lastAt = performance.now();
  // A service that refuses may reset while it is still sent to.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let isClosed = false;
  void closed.then(() => void (isClosed = true));
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    lastAt = performance.now();
  });

  for (const [index, segment] of segments.entries()) {
    if (index > 0) await sleep(1);
    if (isClosed) break;
    socket.write(segment);
  }
  lastAt = performance.now();
  while (!isClosed && performance.now() - lastAt < quietMs) await sleep(quietMs / 3);

  const endedAt = performance.now();
  if (!isClosed) {
    socket.end();
    await Promise.race([closed, sleep(closeLimitMs, undefined, { ref: false })]);
  }
  socket.destroy();
  return { bytes: Buffer.concat(chunks), closeMs: performance.now() - endedAt };
}
