import { isThenable } from "../../async/thenable.ts";
import { CallError } from "../../errors/errors.ts";
import type { JsonObject } from "../../json/object.ts";
import { decodeToken } from "../../json/pointer.ts";
import { mentions } from "../../schema/fixed/fixed-properties.ts";
import { describeIssues, type Issue } from "../../schema/issues.ts";
import type { Binding } from "../../tool/bind-tool.ts";
import type { ToolContext } from "../../tool/tool.ts";

type Execute = (args: JsonObject, context: ToolContext) => unknown;

/** Removes bound arguments from the messages of a schema library, which checks them in the tool's thread. */
export function withoutBoundIssues(binding: Binding, execute: Execute): Execute {
  const reworded = (thrown: unknown): unknown => {
    if (!(thrown instanceof CallError) || thrown.extras.issues === undefined) return thrown;
    const { issues } = thrown.extras;
    const others = issuesOfSent(binding, issues);
    if (others.length === issues.length && others.every((issue, index) => issue === issues[index])) return thrown;
    return others.length > 0 ? invalidArguments(others) : cannotRun(thrown.message);
  };
  const rethrow = (thrown: unknown): never => {
    throw reworded(thrown);
  };
  return (args, context) => {
    let returned: unknown;
    try {
      returned = execute(args, context);
    } catch (thrown) {
      throw reworded(thrown);
    }
    return isThenable(returned) ? returned.then(undefined, rethrow) : returned;
  };
}

/** The issues of the arguments that a caller sent, in words that name no bound argument. */
export function issuesOfSent(binding: Binding, issues: readonly Issue[]): Issue[] {
  return issues.flatMap((issue) =>
    binding.bound.has(topLevelName(issue.path)) ? [] : [withoutBoundWords(binding, issue)],
  );
}

/** The top-level name in a JSON Pointer. */
export function topLevelName(path: string): string {
  return decodeToken(path.split("/", 2)[1] ?? "");
}

/** @param issues if there are none, the arguments are not valid together with the bound ones */
export function invalidArguments(issues: readonly Issue[]): CallError {
  const told = issues.length > 0 ? issues : [notTogether];
  return new CallError(
    "invalid_arguments",
    `The arguments do not match the tool's parameters: ${describeIssues(told)}. Correct them and call again.`,
    { issues: told },
  );
}

const notTogether: Issue = { path: "", message: "is not a combination that the tool accepts", keyword: "allOf" };

/**
 * The error for a bound argument that is missing or not valid.
 * @param reason for the log
 */
export function cannotRun(reason: string): CallError {
  return new CallError(
    "unavailable",
    "The tool cannot run for this caller. The operator can change that, and another caller may be able to call the tool.",
    { action: "stop", retryable: false },
    new Error(reason),
  );
}

/** The caller can correct its own argument, so the issue stays; its words may not name a bound argument. */
function withoutBoundWords({ bound }: Binding, issue: Issue): Issue {
  const { path, message, keyword, expected, suggestion } = issue;
  const isSafe = ![message, expected, suggestion].some((words) => words !== undefined && mentions(bound, words));
  return isSafe ? issue : { path, message: "is not valid", keyword };
}
