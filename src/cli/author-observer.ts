import { inspect } from "node:util";
import type { Observer } from "../core/observer.ts";
import { isToolError } from "../errors/failure.ts";
import type { Io } from "./io.ts";

/** Shows on stderr what an outcome hides from a model: the original error, and the tool's log. */
export function createAuthorObserver({ err }: Io): Observer {
  return {
    onCall({ cause }) {
      // The outcome has all that a ToolError says.
      if (cause !== undefined && !isToolError(cause)) err(`${inspect(cause)}\n`);
    },
    onToolLog({ level, message, fields }) {
      err(`${level}: ${message}${fields === undefined ? "" : ` ${JSON.stringify(fields)}`}\n`);
    },
  };
}
