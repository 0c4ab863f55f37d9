import type { JsonObject } from "../json/object.ts";
import { CallError } from "../errors/errors.ts";
import { toCallError } from "../errors/failure.ts";
import { describeIssues } from "../schema/issues.ts";
import { toLibraryIssues } from "../schema/library/issues.ts";
import type { Validate } from "../schema/library/read.ts";
import { isThenable } from "../async/thenable.ts";

type Execute<Context> = (args: JsonObject, context: Context) => unknown;

/**
 * Runs a library's own check before a tool's function, which gets the arguments that the check returns. The check gets
 * a copy: if it modifies the copy, the next attempt still starts from the arguments as sent.
 * @returns a function that throws, or rejects with, a CallError if the arguments are refused or the check fails
 */
export function validateFirst<Context extends { readonly signal: AbortSignal }>(
  validate: Validate,
  execute: Execute<Context>,
): Execute<Context> {
  return (args, context) => {
    const answer = runCheck(() => validate(structuredClone(args)));
    if (isThenable(answer)) return validateLater(answer, args, context, execute);
    return execute(readOutput(answer, args), context);
  };
}

async function validateLater<Context extends { readonly signal: AbortSignal }>(
  pending: PromiseLike<unknown>,
  args: JsonObject,
  context: Context,
  execute: Execute<Context>,
): Promise<unknown> {
  let answer: unknown;
  try {
    answer = await pending;
  } catch (thrown) {
    throw checkFailed(thrown);
  }
  const output = readOutput(answer, args);
  // The call was answered while the check ran: the tool must not have its effect now.
  context.signal.throwIfAborted();
  return execute(output, context);
}

function readOutput(answer: unknown, args: JsonObject): JsonObject {
  const { issues, value } = runCheck(() => {
    const result = answer as { readonly issues?: unknown; readonly value?: unknown };
    return result.issues === undefined
      ? { issues: undefined, value: result.value }
      : { issues: toLibraryIssues(result.issues, args), value: undefined };
  });
  if (issues === undefined) return value as JsonObject;
  throw new CallError(
    "invalid_arguments",
    `The arguments do not match the tool's parameters: ${describeIssues(issues)}. Correct them and call again.`,
    { issues },
  );
}

function runCheck<Result>(check: () => Result): Result {
  try {
    return check();
  } catch (thrown) {
    throw checkFailed(thrown);
  }
}

/** A check that fails does not mean that the arguments are invalid. */
function checkFailed(thrown: unknown): CallError {
  const error = toCallError(thrown, false);
  // The message of a ToolError is meant for the model.
  if (error.code === "tool_failed" && error.extras.action !== undefined) {
    return new CallError("tool_failed", error.message, { ...error.extras, ran: "no" }, error.cause);
  }
  return new CallError(
    "tool_failed",
    "The tool's own check of the arguments stopped with an internal error, so the tool was not run. Other arguments may work; the same call will likely fail again.",
    { ran: "no" },
    thrown,
  );
}
