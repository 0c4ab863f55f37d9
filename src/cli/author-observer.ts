import { inspect } from "node:util";
import type { Observer } from "../core/observer.ts";
import { isToolError } from "../errors/failure.ts";
import { reasonOf } from "../errors/reason.ts";
import { escapeControls, type Io } from "./io.ts";

/** Shows on stderr what an outcome hides from a model: the original error, and the tool's log. */
export function createAuthorObserver({ err }: Io): Observer {
  return {
    onCall({ code, cause }) {
      // The outcome has all that a ToolError says.
      if (cause === undefined || isToolError(cause)) return;
      if (code !== "upstream_failed") return err(`${inspect(cause)}\n`);
      const root = rootOf(cause);
      const reason = root === cause ? undefined : reasonOf(root);
      if (reason !== undefined) err(`cause: ${escapeControls(reason)}\n`);
    },
    onToolLog({ level, message, fields }) {
      err(`${level}: ${message}${fields === undefined ? "" : ` ${JSON.stringify(fields)}`}\n`);
    },
  };
}

/** The first error: the stacks of the others are inside the HTTP client and do not help an author. */
function rootOf(error: unknown): unknown {
  let root: unknown = error;
  for (let depth = 0; depth < 10 && root instanceof Error && root.cause !== undefined; depth++) root = root.cause;
  return root;
}
