import { isJsonObject } from "../json/object.ts";
import { pointerToken } from "../json/pointer.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Check, Finding } from "./check.ts";
import { settleUnions } from "./unions/settle.ts";
import { closest } from "./suggest.ts";
import { formatIssue, patternIssue, settleFormats } from "./text-issues.ts";

/** One fault of a value. Never contains the value itself. */
export interface Issue {
  /** JSON Pointer (RFC 6901) into the arguments or the result; `""` is the root. */
  readonly path: string;
  /** Completes "the value at `path` …". */
  readonly message: string;
  /**
   * The JSON Schema keyword that refused the value; `validate` for a schema library's own check, `json` for what is not
   * JSON.
   */
  readonly keyword: string;
  /** What the keyword requires, if that helps: the allowed values, the type, the limit. */
  readonly expected?: unknown;
  /** The allowed value or key that was probably meant. */
  readonly suggestion?: string;
}

/** The maximum number of issues in an error. */
export const maxIssues = 20;
/** The keyword of issues from a schema library's own check. */
export const libraryKeyword = "validate";
const maxExpected = 50;
const maxPathLength = 1000;

/** The faults that a check finds in a value, described for a model. */
export function issuesOf(check: Check, value: unknown): Issue[] {
  return toIssues(check.findings(value), check.schema);
}

/**
 * The faults of a value, for a model: the place, the expected value, and the value that was probably
 * meant. @param schema the schema of the check: its references show which branch of a union was meant
 */
export function toIssues(findings: readonly Finding[], schema?: JsonSchema): Issue[] {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  for (const finding of settleFormats(settleUnions(findings, schema))) {
    const issue = withShortPath(toIssue(finding, schema));
    const identity = `${issue.path} ${issue.message}`;
    if (seen.has(identity)) continue;
    seen.add(identity);
    if (issues.push(issue) === maxIssues) break;
  }
  return issues;
}

/** A sentence or two over the issues: `/unit must be one of celsius, fahrenheit.` */
export function describeIssues(issues: readonly Issue[]): string {
  const told = issues.slice(0, 5).map(describeIssue);
  const more = issues.length > told.length ? ` (and ${issues.length - told.length} more)` : "";
  return told.join("; ") + more;
}

function describeIssue({ path, message, keyword }: Issue): string {
  const place = path || "the root";
  // A schema library's message is a complete sentence.
  return keyword === libraryKeyword ? `${place}: ${message}` : `${place} ${message}`;
}

function toIssue(finding: Finding, schema: JsonSchema | undefined): Issue {
  const { keyword, params, instancePath: path } = finding;
  switch (keyword) {
    case "required":
      return missing(finding);
    case "dependentRequired":
    case "dependencies":
      return {
        path: path + pointerToken(params["missingProperty"]),
        message: `is required together with ${JSON.stringify(params["property"])}`,
        keyword,
      };
    case "additionalProperties":
    case "unevaluatedProperties":
      return unknownProperty(finding);
    case "enum":
      return oneOf(finding, params["allowedValues"]);
    case "const":
      return oneOf(finding, [params["allowedValue"]]);
    case "type":
      return mustBe(finding, params["type"]);
    case "false schema":
      return { path, message: "is not allowed", keyword };
    case "minLength":
      return limited(finding, `must have at least ${count(params["limit"], "character")}`);
    case "maxLength":
      return limited(finding, `must have at most ${count(params["limit"], "character")}`);
    case "minItems":
      return limited(finding, `must have at least ${count(params["limit"], "item")}`);
    case "maxItems":
      return limited(finding, `must have at most ${count(params["limit"], "item")}`);
    case "format":
      return formatIssue(finding);
    case "pattern":
      return patternIssue(finding, schema);
    default:
      return { path, message: finding.message ?? "is not valid", keyword, ...expectedOf(finding) };
  }
}

/** A key of a megabyte must not be repeated in twenty issues. */
export function withShortPath(issue: Issue): Issue {
  return issue.path.length <= maxPathLength ? issue : { ...issue, path: `${issue.path.slice(0, maxPathLength)}…` };
}

function unknownProperty(finding: Finding): Issue {
  const { keyword, params, instancePath, parentSchema, data } = finding;
  const key = String(params["additionalProperty"] ?? params["unevaluatedProperty"]);
  const known = isJsonObject(parentSchema?.["properties"]) ? Object.keys(parentSchema["properties"]) : [];
  const open = known.filter((name) => !isJsonObject(data) || !Object.hasOwn(data, name));
  const suggestion = closest(key, open);
  const hint = suggestion === undefined ? "" : ` (did you mean "${suggestion}"?)`;
  return {
    path: instancePath + pointerToken(key),
    message: `is not a known property${hint}`,
    keyword,
    ...(known.length > 0 && { expected: known.slice(0, maxExpected) }),
    ...(suggestion !== undefined && { suggestion }),
  };
}

function missing({ keyword, params, instancePath }: Finding): Issue {
  const path = instancePath + pointerToken(params["missingProperty"]);
  const allowed: unknown = params["allowedValues"];
  if (!Array.isArray(allowed)) return { path, message: "is required", keyword };
  return {
    path,
    message: `is required, and must be one of ${listed(allowed)}`,
    keyword,
    expected: allowed.slice(0, maxExpected),
  };
}

function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, maxExpected);
  const list = shown.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(", ");
  return values.length > shown.length ? `${list} and ${values.length - shown.length} more` : list;
}

function oneOf(finding: Finding, allowed: readonly unknown[]): Issue {
  const words = allowed.filter((value) => typeof value === "string");
  const suggestion = typeof finding.data === "string" ? closest(finding.data, words) : undefined;
  const list = listed(allowed);
  return {
    path: finding.instancePath,
    message: allowed.length === 1 ? `must be ${list}` : `must be one of ${list}`,
    keyword: finding.keyword,
    expected: finding.keyword === "const" ? allowed[0] : allowed.slice(0, maxExpected),
    ...(suggestion !== undefined && { suggestion }),
  };
}

function mustBe(finding: Finding, types: unknown): Issue {
  const expected = typeof types === "string" && types.includes(",") ? types.split(",") : types;
  const names = Array.isArray(expected) ? expected.join(" or ") : String(expected);
  return {
    path: finding.instancePath,
    message: `must be ${names}, not ${typeName(finding.data)}`,
    keyword: finding.keyword,
    expected,
  };
}

function limited(finding: Finding, message: string): Issue {
  return {
    path: finding.instancePath,
    message,
    keyword: finding.keyword,
    expected: finding.params["limit"],
  };
}

function expectedOf({ params }: Finding): { expected?: unknown } {
  const expected = params["limit"] ?? params["multipleOf"];
  return expected === undefined ? {} : { expected };
}

function count(limit: unknown, noun: string): string {
  return `${String(limit)} ${noun}${limit === 1 ? "" : "s"}`;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
