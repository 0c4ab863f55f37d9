import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Writes lines to a descriptor. It never waits for the reader, except in `end`. */
export interface LineWriter {
  /** The descriptor that it writes to. A write to it does not block. */
  readonly fd: number;
  /** Adds a whole line, including its line break. All lines of one turn of the event loop are one write. */
  write(line: string): void;
  /** Resolves when all lines are written or cannot be written, or after `withinMs`. */
  written(withinMs: number): Promise<void>;
  /**
   * Writes what is left, and waits for the reader at most `withinMs`. For the end of the process: nothing else runs
   * meanwhile.
   */
  end(withinMs: number): void;
}

export interface LineWriterOptions {
  /** Makes the line that reports lines that could not be written. */
  readonly describeLost: (lines: number) => string;
  /** Maximum number of bytes that are kept for a slow reader; further lines are lost. @default 4194304 */
  readonly maxKeptBytes?: number;
}

/** A longer text is written before the end of the turn. */
const maxTurnLength = 65_536;
/** Interval between writes to a full pipe. */
const retryMs = 10;
/** Pause after an error of the descriptor (a full disk, a closed pipe). */
const pauseMs = 1000;

/**
 * Written by hand, because no library ends in every case: pino's sonic-boom retries a full disk or a full pipe without
 * end, even at the exit of the process, and a write on Node's thread pool that a full pipe blocks keeps `process.exit`
 * from ending.
 */
export function createLineWriter(
  fd: number,
  { describeLost, maxKeptBytes = 4_194_304 }: LineWriterOptions,
): LineWriter {
  /** The text of this turn. */
  let text = "";
  let lines = 0;
  /** Bytes that the reader has not taken yet. */
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let lost = 0;
  let pausedUntil = -Infinity;
  /** Whether the last write ended within a line. */
  let isCut = false;
  let timer: NodeJS.Timeout | undefined;
  let isEnding = false;

  return {
    fd,
    write(line) {
      if (lines === 0 && !isEnding) setImmediate(flush);
      lines++;
      text += line;
      if (isEnding || text.length >= maxTurnLength) flush();
    },
    async written(withinMs) {
      const until = performance.now() + withinMs;
      flush();
      while (keptBytes > 0 && performance.now() < until) {
        await sleep(retryMs / 2);
        sendKept();
      }
    },
    end(withinMs) {
      const until = performance.now() + withinMs;
      const cell = new Int32Array(new SharedArrayBuffer(4));
      isEnding = true;
      flush();
      while (keptBytes > 0 && performance.now() < until) {
        Atomics.wait(cell, 0, 0, retryMs / 2);
        sendKept();
      }
    },
  };

  function flush(): void {
    if (lines === 0) return;
    if (performance.now() < pausedUntil || keptBytes > maxKeptBytes) {
      lost += lines;
    } else {
      if (lost > 0 && keptBytes === 0) text = takeLost() + text;
      kept.push(Buffer.from(text));
      keptBytes += kept.at(-1)!.length;
      // Older text is sent first, and is retried by its own timer.
      if (timer === undefined || isEnding) sendKept();
    }
    text = "";
    lines = 0;
  }

  function takeLost(): string {
    const line = (isCut ? "\n" : "") + describeLost(lost);
    isCut = false;
    lost = 0;
    return line;
  }

  /** Writes until all is written or the reader accepts no more for now. */
  function sendKept(): void {
    clearTimeout(timer);
    timer = undefined;
    try {
      while (keptBytes > 0) {
        const bytes = kept[0]!;
        const count = writeSync(fd, bytes);
        keptBytes -= count;
        isCut = bytes[count - 1] !== lineBreak;
        if (count === bytes.length) kept.shift();
        else kept[0] = bytes.subarray(count);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return giveUp();
      timer = setTimeout(sendKept, retryMs);
      timer.unref();
    }
  }

  function giveUp(): void {
    for (const bytes of kept) for (const byte of bytes) if (byte === lineBreak) lost++;
    kept = [];
    keptBytes = 0;
    pausedUntil = performance.now() + pauseMs;
  }
}

const lineBreak = 10;

/**
 * The descriptor of stderr, or one of the same file that does not block. A pipe or a terminal is opened again if the
 * system supports it (Linux): the flag would otherwise apply to all processes that share it.
 */
export function openStderr(): number {
  const stderr = 2;
  try {
    if (fstatSync(stderr).isFile()) return stderr;
    if (process.platform === "linux") {
      return openSync("/proc/self/fd/2", constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    }
  } catch {
    // A socket, which cannot be opened by its name, or a system without /proc.
  }
  // Creating Node's own stream makes pipes and sockets non-blocking.
  void process.stderr;
  return stderr;
}
