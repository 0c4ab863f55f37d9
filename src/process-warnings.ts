import type { CallRecord, Observer } from "./core/observer.ts";
import { isToolError } from "./errors/failure.ts";
import { reasonOf } from "./errors/reason.ts";

const warningType = "ToolhostWarning";
/** So many faults are remembered, so that each is a warning once. */
const maxKnown = 1000;

/**
 * The default observer of a registry: problems of tools, and errors that tools throw, become process warnings. Callers
 * learn only that there is a fault, so its cause would otherwise be lost.
 */
export function createProcessWarnings(): Observer {
  const known = new Set<string>();
  return {
    onToolWarning: ({ name, message }) => process.emitWarning(`${name}: ${message}`, warningType),
    onCall({ tool, code, cause }: CallRecord): void {
      if (code !== "tool_failed" || cause === undefined || isToolError(cause)) return;
      const reason = reasonOf(cause);
      const fault = `${tool}: ${reason ?? "something that is not an error was thrown"}`;
      if (known.has(fault)) return;
      if (known.size === maxKnown) known.clear();
      known.add(fault);
      // An error is shown with its stack, which names the tool's module.
      if (reason !== undefined) process.emitWarning(cause as Error);
      else process.emitWarning(fault, warningType);
    },
  };
}
