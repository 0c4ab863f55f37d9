import type { JsonObject } from "../../json/object.ts";
import type { ToolContext } from "../../tool/tool.ts";

/**
 * The number of the tool whose own code runs on this thread now, 0 where none does. In shared memory, because a
 * watchdog must read it while this thread is blocked; one store, because it is written twice a call.
 *
 * A reader may set {@link sameRunBit} in it, to see whether it is still one run of the tool that it looks at: every other
 * run writes its plain number.
 */
export const currentTool = new Int32Array(new SharedArrayBuffer(4));

/** The bit that a reader sets. Numbers of tools are smaller. */
export const sameRunBit = 0x4000_0000;

const numbers = new Map<string, number>();

/** @returns the number that stands for the name, the same after every reload; from 1 */
export function numberTool(name: string): number {
  const number = numbers.get(name) ?? numbers.size + 1;
  numbers.set(name, number);
  return number;
}

/** A tool's own code, and the number that stands for it. */
export interface NumberedTool {
  readonly number: number;
  execute(args: JsonObject, context: ToolContext): unknown;
}

/** Calls the tool's own code, and lets the watchdog know whose it is. */
export function runNumbered(tool: NumberedTool, args: JsonObject, context: ToolContext): unknown {
  const outer = currentTool[0]!;
  currentTool[0] = tool.number;
  try {
    return tool.execute(args, context);
  } finally {
    currentTool[0] = outer;
  }
}
