import { Writable } from "node:stream";
import { maxLineLength } from "./thread-messages.ts";

type OnLine = (level: "info" | "warn", text: string) => void;

/**
 * Hands over what the thread's code writes to stdout and stderr, line by line, and so what it gives to `console`. Here
 * and not on the main thread, where every line that is thrown away would have cost something already.
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
      // A line without an end is not kept beyond what would be passed on.
      begun = (lines.pop() ?? "").slice(0, maxLineLength);
      for (const line of lines) if (line !== "") onLine(line);
      done();
    },
  });
}

/** How much a thread may say: so many messages a second, and how many were left out. */
export interface OutputBudget {
  /** Whether one more may be sent. */
  take(): boolean;
  /** Tells of what was left out since it was last told. */
  settle(): void;
}

const messagesASecond = 500;

/** @param onLeftOut hears how many were left out, once the second is over */
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
