import { Writable } from "node:stream";
import { maxLineLength } from "./thread-messages.ts";

type OnLine = (level: "info" | "warn", text: string) => void;

/**
 * Passes on what the thread's code writes to stdout and stderr, and so to `console`, line by line. It runs in the
 * thread, because on the main thread even a discarded line would already have cost something.
 */
export function captureOutput(onLine: OnLine): void {
  for (const [stream, level] of [
    ["stdout", "info"],
    ["stderr", "warn"],
  ] as const) {
    const lines = createLineStream((text) => onLine(level, text));
    Object.defineProperty(process, stream, { value: lines, configurable: true, enumerable: true });
  }
}

function createLineStream(onLine: (text: string) => void): Writable {
  let begun = "";
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const lines = (begun + String(chunk)).split("\n");
      // A line without an end is kept only up to the length that is passed on.
      begun = (lines.pop() ?? "").slice(0, maxLineLength);
      for (const line of lines) if (line !== "") onLine(line);
      done();
    },
  });
}

/** Limit of a thread's messages per second, with a count of those that were left out. */
export interface OutputBudget {
  /** Whether one more may be sent. */
  take(): boolean;
  /** Reports the number left out since the last report. */
  settle(): void;
}

const messagesASecond = 500;

/** @param onLeftOut gets the number that was left out, at the end of the second */
export function createOutputBudget(onLeftOut: (count: number) => void): OutputBudget {
  let left = messagesASecond;
  let leftOut = 0;
  let since = performance.now();
  const settle = (): void => {
    if (leftOut > 0) onLeftOut(leftOut);
    leftOut = 0;
  };
  return {
    settle,
    take() {
      if (left > 0) {
        left--;
        return true;
      }
      const time = performance.now();
      if (time - since < 1000) {
        leftOut++;
        return false;
      }
      since = time;
      left = messagesASecond - 1;
      settle();
      return true;
    },
  };
}
