import { inQuotes } from "../json/in-quotes.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import type { Finding } from "../schema/check.ts";
import { toIssues } from "../schema/issues.ts";
import type { Path } from "../yaml/document.ts";
import { ownFormats } from "./own-formats.ts";
import { placeOf } from "./place.ts";

/** Keys that belong to another place, with that place. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["host", "set HOST or --host"],
  ["port", "set PORT or --port"],
  ["unixSocket", "set UNIX_SOCKET or --unix-socket"],
  ["logLevel", "set LOG_LEVEL or --log-level"],
  ["apiKeys", "set TOOLHOST_API_KEYS, or use auth.keys"],
  ["keys", 'it belongs in "auth"'],
  ["jwt", 'it belongs in "auth"'],
]);

/** Describes the fault in words that follow the name of the place. Never repeats the value. */
export function describeFault(finding: Finding, path: Path): string {
  const { keyword, data } = finding;
  const schema: JsonObject = finding.parentSchema ?? {};
  switch (keyword) {
    case "additionalProperties":
      return unknownKey(finding, path);
    case "propertyNames":
      return isJsonObject(schema["propertyNames"]) ? `must be ${expected(schema["propertyNames"])}` : "is not allowed";
    case "type":
      // 1.5 and .inf are numbers, but not whole numbers in the range.
      return typeof data === "number" && /integer|number/.test(String(schema["type"]))
        ? `must be ${expected(schema)}`
        : `must be ${expected(schema)}, not ${kindOf(data)}`;
    case "format":
    case "maximum":
    case "maxProperties":
    case "minimum":
    case "minItems":
    case "minLength":
    case "minProperties":
    case "oneOf":
    case "pattern":
      return `must be ${expected(schema)}`;
    default:
      return messageOf(finding);
  }
}

function unknownKey(finding: Finding, path: Path): string {
  const hint = elsewhere.get(placeOf(path));
  if (hint !== undefined) return `is unknown; ${hint}`;
  const known = isJsonObject(finding.parentSchema?.["properties"])
    ? Object.keys(finding.parentSchema["properties"])
    : [];
  const [issue] = toIssues([finding]);
  if (issue?.suggestion !== undefined) return `is unknown; did you mean "${issue.suggestion}"?`;
  return known.length === 1
    ? `is unknown; the only known key is "${known[0]}"`
    : `is unknown; the known keys are ${inQuotes(known)}`;
}

function messageOf(finding: Finding): string {
  return toIssues([finding])[0]?.message ?? "is not valid";
}

/** The requirement of a schema. Completes "must be". */
function expected(schema: JsonObject): string {
  const { errorMessage, patternErrorMessage, format, type, properties, minimum, maximum } = schema;
  if (typeof format === "string" && Object.hasOwn(ownFormats, format)) return ownFormats[format]!.rule;
  const words = patternErrorMessage ?? errorMessage;
  if (typeof words === "string") return words.replace(/^must be /, "");
  if (isJsonObject(properties)) return `an object with one or more of the keys ${inQuotes(Object.keys(properties))}`;
  if (type === "integer") return `a whole number from ${String(minimum)} to ${String(maximum)}`;
  return (typeof type === "string" ? typeNames[type] : undefined) ?? "of another type";
}

const typeNames: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  object: "an object",
  string: "a text",
};

function kindOf(value: unknown): string {
  if (value === null) return "empty";
  return Array.isArray(value) ? "a list" : isJsonObject(value) ? "an object" : `a ${typeof value}`;
}
