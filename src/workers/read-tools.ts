import { setImmediate as nextTurn } from "node:timers/promises";
import { reasonOf } from "../errors/reason.ts";
import type { Offer } from "./offer.ts";
import { type OfferedTool, readOfferedTool, shownName } from "./offered-tool.ts";
import type { ToolState } from "./offers.ts";
import type { TokenRights } from "./tokens.ts";

/** How long tools are read without a turn for calls, in milliseconds. */
const turnMs = 5;

/** A tool that was read: it is refused, or may be offered. */
export type ReadTool =
  | ToolState
  | { readonly name: string; readonly offered: OfferedTool; readonly made: Offer | undefined };

/**
 * Reads the tools of a registration. Their schemas are checked, which takes time: calls have their turns in between.
 * @param makeNew makes the offer of a tool that nobody offers yet. If it throws, the tool is refused
 */
export async function readTools(
  tools: readonly unknown[],
  rights: TokenRights,
  makeNew: (offered: OfferedTool) => Offer | undefined,
): Promise<ReadTool[]> {
  const read: ReadTool[] = [];
  const names = new Set<string>();
  let turnEnd = performance.now() + turnMs;
  for (const [index, given] of tools.entries()) {
    if (performance.now() > turnEnd) {
      await nextTurn();
      turnEnd = performance.now() + turnMs;
    }
    try {
      const offered = readOfferedTool(given, rights);
      if (names.has(offered.name)) throw new Error("the registration has another tool with this name");
      names.add(offered.name);
      read.push({ name: offered.name, offered, made: makeNew(offered) });
    } catch (error) {
      const reason = reasonOf(error) ?? "it cannot be read";
      read.push({ name: shownName(given, index), state: "refused", reason });
    }
  }
  return read;
}
