import type { JsonObject } from "../../json/object.ts";
import type { ToolContext } from "../../tool/tool.ts";

/**
 * The number of the tool whose own code runs on this thread now, 0 if none does. In shared memory, because a watchdog
 * must read it while this thread is blocked. Set by a single store, because it is written twice per call.
 *
 * A reader may set {@link sameRunBit} in it, to detect whether it is still the same run of the tool: every other run
 * writes its plain number.
 */
export const currentTool = new Int32Array(new SharedArrayBuffer(4));

/** The bit that a reader sets. Numbers of tools are smaller. */
export const sameRunBit = 0x4000_0000;

const numbers = new Map<string, number>();

/** @returns the number of the name, the same after every reload; from 1 */
export function numberTool(name: string): number {
  const number = numbers.get(name) ?? numbers.size + 1;
  numbers.set(name, number);
  return number;
}

/** A tool's own code, with the number of its name. */
export interface NumberedTool {
  readonly number: number;
  execute(args: JsonObject, context: ToolContext): unknown;
}

/** Calls the tool's own code, and shows the watchdog which tool runs. */
export function runNumbered(tool: NumberedTool, args: JsonObject, context: ToolContext): unknown {
  const outer = currentTool[0]!;
  currentTool[0] = tool.number;
  try {
    return tool.execute(args, context);
  } finally {
    currentTool[0] = outer;
  }
}
