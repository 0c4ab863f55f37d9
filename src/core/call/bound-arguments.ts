import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { decodeToken, pointerToken } from "../../json/pointer.ts";
import { mentions } from "../../schema/fixed/fixed-properties.ts";
import { describeIssues, type Issue, issuesOf, toIssues } from "../../schema/issues.ts";
import { isThenable } from "../../async/thenable.ts";
import { type Repaired, repairArguments } from "../../schema/repair.ts";
import type { Finding } from "../../schema/check.ts";
import { CallError } from "../../errors/errors.ts";
import { type Binding, findClaim } from "../../tool/bind-tool.ts";
import type { RegisteredTool } from "../registry/registered-tool.ts";
import type { ToolContext } from "../../tool/tool.ts";
import type { Call } from "./call.ts";

type Execute = (args: JsonObject, context: ToolContext) => unknown;

/**
 * The bound arguments of a call, as new objects: a change by the tool does not affect other calls.
 * @throws CallError `unavailable` if a claim or the session is missing
 */
export function boundArguments({ bound }: Binding, { caller, session }: Pick<Call, "caller" | "session">): JsonObject {
  const args: JsonObject = {};
  for (const [name, to] of bound) {
    if ("value" in to) args[name] = copyOf(to.value);
    else if ("session" in to) args[name] = session || missing(`the session, to which ${name} is bound, is missing`);
    else {
      const claim = caller?.claims === undefined ? undefined : findClaim(caller.claims, to.claim);
      args[name] = copyOf(claim ?? missing(`the claim ${to.claim}, to which ${name} is bound, is missing`));
    }
  }
  return args;
}

/**
 * Joins the arguments that a call sends with the bound ones, and checks both together with the tool's own schema.
 * @throws CallError `invalid_arguments` for the sent arguments, `unavailable` for the bound ones. Neither names a bound
 * argument
 */
export function checkBoundArguments(entry: RegisteredTool, binding: Binding, call: Call): Repaired {
  refuseBound(entry, binding, call.arguments);
  const bound = boundArguments(binding, call);
  const sent = isJsonObject(call.arguments) ? call.arguments : {};
  const all = { ...sent, ...bound };
  if (sent === call.arguments && binding.parameters.accepts(all)) return { value: all, repairs: [] };
  const findings = binding.parameters.findings(all);
  refuseMisfit(binding, findings);
  if (sent !== call.arguments || !entry.parameters.accepts(sent)) {
    const mayRepair = call.repair ?? entry.repair ?? false;
    const repaired = mayRepair ? repairArguments(entry.parameters, call.arguments) : undefined;
    if (repaired === undefined) throw invalid(issuesOf(entry.parameters, call.arguments));
    refuseBound(entry, binding, repaired.value);
    const value = { ...(repaired.value as JsonObject), ...bound };
    if (binding.parameters.accepts(value)) return { value, repairs: repaired.repairs };
    throw invalid(issuesOf(entry.parameters, call.arguments));
  }
  const issues = toIssues(findings, binding.parameters.schema).filter((issue) => !isOfBound(binding, issue));
  const isOfClaims = [...binding.bound.values()].some((to) => !("value" in to));
  if (issues.length === 0 && isOfClaims) throw unavailable("what is bound does not fit together");
  throw invalid(issues.map((issue) => withoutBoundWords(binding, issue)));
}

/** Removes bound arguments from the messages of a schema library, which checks them where the tool runs. */
export function withoutBoundIssues(binding: Binding, execute: Execute): Execute {
  const reworded = (thrown: unknown): unknown => {
    if (!(thrown instanceof CallError) || thrown.extras.issues === undefined) return thrown;
    const { issues } = thrown.extras;
    const others = issues.flatMap((issue) => (isOfBound(binding, issue) ? [] : [withoutBoundWords(binding, issue)]));
    if (others.length === issues.length && others.every((issue, index) => issue === issues[index])) return thrown;
    return others.length > 0 ? invalid(others) : unavailable(thrown.message);
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

/** @throws CallError `unavailable` if a bound argument is at fault, whatever else is sent */
function refuseMisfit({ bound }: Binding, findings: readonly Finding[]): void {
  const isAtBound = ({ instancePath }: Finding): boolean => instancePath !== "" && bound.has(nameAt(instancePath));
  const misfit = findings.find(isAtBound);
  if (misfit === undefined) return;
  const isConditional = findings.some(({ keyword, instancePath, schemaPath }) => {
    return (instancePath === "" && choices.has(keyword)) || /\/depend(?:entSchemas|encies)\//.test(schemaPath);
  });
  const areAllOfBound = findings.every((finding) => isAtBound(finding) || choices.has(finding.keyword));
  if (isConditional && !areAllOfBound) return;
  throw unavailable(`the value bound to ${nameAt(misfit.instancePath)} is not valid: it ${misfit.message}`);
}

/** Their findings summarise those of their branches, and another branch may be the intended one. */
const choices: ReadonlySet<string> = new Set(["anyOf", "oneOf", "if"]);

function copyOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}

function refuseBound(entry: RegisteredTool, { bound }: Binding, args: unknown): void {
  if (!isJsonObject(args)) return;
  const sent = [...bound.keys()].filter((name) => Object.hasOwn(args, name));
  if (sent.length === 0) return;
  const message = "is not an argument of the tool: leave it out";
  const issues = sent.map((name): Issue => ({ path: pointerToken(name), message, keyword: "additionalProperties" }));
  throw invalid(issues);
}

function invalid(issues: readonly Issue[]): CallError {
  const told = issues.length > 0 ? issues : [notTogether];
  return new CallError(
    "invalid_arguments",
    `The arguments do not match the tool's parameters: ${describeIssues(told)}. Correct them and call again.`,
    { issues: told },
  );
}

const notTogether: Issue = { path: "", message: "is not a combination that the tool accepts", keyword: "allOf" };

/** @param reason for the log */
function unavailable(reason: string): CallError {
  return new CallError(
    "unavailable",
    "The tool cannot run for this caller. Only its operator, or another caller, can change that.",
    { action: "stop", retryable: false },
    new Error(reason),
  );
}

function missing(reason: string): never {
  throw unavailable(reason);
}

/** The top-level name in a JSON Pointer. */
function nameAt(path: string): string {
  return decodeToken(path.split("/", 2)[1] ?? "");
}

function isOfBound({ bound }: Binding, { path }: Issue): boolean {
  return bound.has(nameAt(path));
}

/** The caller can correct its own argument, so the issue stays; its words may not name a bound argument. */
function withoutBoundWords({ bound }: Binding, issue: Issue): Issue {
  const { path, message, keyword, expected, suggestion } = issue;
  const isSafe = ![message, expected, suggestion].some((words) => words !== undefined && mentions(bound, words));
  return isSafe ? issue : { path, message: "is not valid", keyword };
}
