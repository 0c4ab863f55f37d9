import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Writes lines to a descriptor. Never waits for its reader, unless it is asked to. */
export interface LineWriter {
  /** What it writes to. A write to it does not block. */
  readonly fd: number;
  /** Adds a whole line, its line break included. All lines of one turn of the event loop are one write. */
  write(line: string): void;
  /** Resolves when all lines are written, or cannot be, or after `withinMs`. */
  written(withinMs: number): Promise<void>;
  /** Writes what is left, and waits for the reader at most `withinMs`. For the end of the process: nothing else runs meanwhile. */
  end(withinMs: number): void;
}

export interface LineWriterOptions {
  /** Makes the line that reports lines that could not be written. */
  readonly describeLost: (lines: number) => string;
  /** How many bytes are kept for a reader that is too slow; lines beyond are lost. @default 4194304 */
  readonly maxKeptBytes?: number;
}

/** So much text does not wait for the end of the turn. */
const maxTurnLength = 65_536;
/** How often a full pipe is tried again. */
const retryMs = 10;
/** How long a descriptor that fails (a full disk, a closed pipe) is left alone. */
const pauseMs = 1000;

/**
 * By hand, as no library ends in every case: pino's sonic-boom tries a full disk or a full pipe again without end, also
 * in the exit of the process, and a write on Node's thread pool that a full pipe blocks keeps `process.exit` from ending.
 */
export function createLineWriter(
  fd: number,
  { describeLost, maxKeptBytes = 4_194_304 }: LineWriterOptions,
): LineWriter {
  /** Of this turn. */
  let text = "";
  let lines = 0;
  /** What the reader has not taken yet. */
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let lost = 0;
  let pausedUntil = -Infinity;
  /** What is out ends within a line. */
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
      // What was kept before goes first, and is tried again by itself.
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

  /** Writes until all is written or the reader takes no more for now. */
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
 * The descriptor of stderr, or one of the same file, to which a write does not block. A pipe or a terminal is opened
 * anew where the system can (Linux): the flag would hold for all processes that share it.
 */
export function openStderr(): number {
  const stderr = 2;
  try {
    if (fstatSync(stderr).isFile()) return stderr;
    if (process.platform === "linux") {
      return openSync("/proc/self/fd/2", constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    }
  } catch {
    // A socket, which cannot be opened by its name, or no /proc.
  }
  // Node's own stream, once it is made, does not block on pipes and sockets.
  void process.stderr;
  return stderr;
}
