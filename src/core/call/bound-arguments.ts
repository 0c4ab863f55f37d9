import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import { type Issue, issuesOf, toIssues } from "../../schema/issues.ts";
import { type Repaired, repairArguments } from "../../schema/repair.ts";
import type { Check, Finding } from "../../schema/check.ts";
import type { CallError } from "../../errors/errors.ts";
import { type Binding, findClaim } from "../../tool/bind-tool.ts";
import type { BoundTo } from "../../tool/overrides.ts";
import type { RegisteredTool } from "../registry/registered-tool.ts";
import { cannotRun, invalidArguments, issuesOfSent, topLevelName } from "./bound-issues.ts";
import type { Call } from "./call.ts";

/**
 * Joins the arguments that a call sends with the bound ones, and checks both together with the tool's own schema.
 * @throws CallError `invalid_arguments` for the sent arguments, `unavailable` for the bound ones. Neither names a bound
 * argument
 */
export function checkBoundArguments(entry: RegisteredTool, binding: Binding, call: Call): Repaired {
  const sent = call.arguments;
  if (!isJsonObject(sent)) return repairOrRefuse(entry, binding, call, setBound({}, binding, call));
  refuseBound(binding, sent);
  const all = setBound(copyOfSent(sent), binding, call);
  if (binding.parameters.accepts(all)) return { value: all, repairs: noRepairs };
  return repairOrRefuse(entry, binding, call, all);
}

const noRepairs: Repaired["repairs"] = [];

/** V8 takes many times as long to add properties to the result of a spread. With `__proto__`, assigning is no copy. */
function copyOfSent(sent: JsonObject): JsonObject {
  return Object.hasOwn(sent, "__proto__") ? { ...sent } : Object.assign({}, sent);
}

/**
 * Sets the bound arguments of a call, as new objects: a change by the tool does not affect other calls.
 * @returns the same object
 * @throws CallError `unavailable` if a claim or the session is missing
 */
function setBound(args: JsonObject, { bound }: Binding, call: Call): JsonObject {
  for (const [name, to] of bound) args[name] = boundValue(name, to, call);
  return args;
}

function boundValue(name: string, to: BoundTo, { caller, session }: Call): unknown {
  if ("value" in to) return copyOf(to.value);
  if ("session" in to) {
    // An empty header is not a session.
    if (session) return session;
    throw cannotRun(`"${name}" is bound to the session, which is missing`);
  }
  const claim = caller?.claims === undefined ? undefined : findClaim(caller.claims, to.claim);
  if (claim !== undefined && claim !== null) return copyOf(claim);
  throw cannotRun(`"${name}" is bound to the claim "${to.claim}", which is missing`);
}

function copyOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}

/** @throws CallError `invalid_arguments` if a bound argument is sent */
function refuseBound({ bound }: Binding, args: JsonObject): void {
  for (const name of bound.keys()) if (Object.hasOwn(args, name)) throw sentBound(bound, args);
}

function sentBound(bound: Binding["bound"], args: JsonObject): CallError {
  const message = "must be left out, because it is not an argument of the tool";
  const sent = [...bound.keys()].filter((name) => Object.hasOwn(args, name));
  return invalidArguments(
    sent.map((name): Issue => ({ path: pointerToken(name), message, keyword: "additionalProperties" })),
  );
}

/**
 * @param all the arguments that were checked: the bound ones alone if those sent are not an object
 * @throws CallError if they cannot be repaired, or must not be
 */
function repairOrRefuse(entry: RegisteredTool, binding: Binding, call: Call, all: JsonObject): Repaired {
  const findings = binding.parameters.findings(all);
  refuseMisfit(binding, findings);
  const repaired = (call.repair ?? entry.repair ?? false) ? repairSent(entry, binding, call) : undefined;
  if (repaired !== undefined) return repaired;
  if (!entry.parameters.accepts(call.arguments)) throw invalidArguments(issuesOf(entry.parameters, call.arguments));
  const issues = issuesOfSent(binding, toIssues(findings, binding.parameters.schema));
  const isOfClaims = [...binding.bound.values()].some((to) => !("value" in to));
  if (issues.length === 0 && isOfClaims) throw cannotRun("the bound values cannot be used together");
  throw invalidArguments(issues);
}

/**
 * Repairs what was sent until the tool's own schema accepts it together with the bound arguments, which are not
 * repaired: what is sent does not contain them, so no finding about them leads anywhere.
 */
function repairSent(entry: RegisteredTool, binding: Binding, call: Call): Repaired | undefined {
  const own = binding.parameters;
  const bound = setBound({}, binding, call);
  const together: Check = {
    schema: own.schema,
    accepts: (sent) => isJsonObject(sent) && own.accepts({ ...sent, ...bound }),
    // Only the schema without the bound arguments has findings about text in place of an object.
    findings: (sent) => (isJsonObject(sent) ? own.findings({ ...sent, ...bound }) : entry.parameters.findings(sent)),
  };
  const repaired = repairArguments(together, call.arguments);
  if (repaired === undefined) return undefined;
  const value = repaired.value as JsonObject;
  refuseBound(binding, value);
  return { value: Object.assign(value, bound), repairs: repaired.repairs };
}

/** @throws CallError `unavailable` if a bound argument is at fault, whatever else is sent */
function refuseMisfit({ bound }: Binding, findings: readonly Finding[]): void {
  const isAtBound = ({ instancePath }: Finding): boolean =>
    instancePath !== "" && bound.has(topLevelName(instancePath));
  const misfit = findings.find(isAtBound);
  if (misfit === undefined) return;
  const isConditional = findings.some(({ keyword, instancePath, schemaPath }) => {
    return (instancePath === "" && choices.has(keyword)) || /\/depend(?:entSchemas|encies)\//.test(schemaPath);
  });
  const areAllOfBound = findings.every((finding) => isAtBound(finding) || choices.has(finding.keyword));
  if (isConditional && !areAllOfBound) return;
  throw cannotRun(`the value bound to "${topLevelName(misfit.instancePath)}" is not valid: it ${misfit.message}`);
}

/** Their findings summarise those of their branches, and another branch may be the intended one. */
const choices: ReadonlySet<string> = new Set(["anyOf", "oneOf", "if"]);
