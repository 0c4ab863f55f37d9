import { isJsonObject } from "../json/object.ts";
import { fitsFormat } from "./ajv/bounded-formats.ts";
import { formatName } from "./format-names.ts";
import { resolveFragment } from "../json/pointer.ts";
import type { Issue } from "./issues.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Finding } from "./check.ts";

/** A longer regular expression does not help a model. */
const maxPatternLength = 60;
const maxExampleLength = 60;
const maxDescriptionLength = 200;
const maxFormatLength = 60;

/**
 * Leaves out the patterns that a value fails beside a format: libraries write a format's own pattern next to it, and a
 * value that is not in the format does not match the pattern either.
 */
export function settleFormats(findings: readonly Finding[]): readonly Finding[] {
  const failed = new Set(findings.filter(({ keyword }) => keyword === "format").map(placeOf));
  if (failed.size === 0) return findings;
  return findings.filter((finding) => finding.keyword !== "pattern" || !failed.has(placeOf(finding)));
}

export function formatIssue({ keyword, params, instancePath: path }: Finding): Issue {
  const format = String(params["format"]);
  return { path, message: mustBe(format), keyword, expected: format };
}

/**
 * As a description if there is a format next to the pattern: for a tool with a schema library the format itself is not
 * checked, and the pattern is the library's way to write it.
 */
export function patternIssue(finding: Finding, root: JsonSchema | undefined): Issue {
  const { keyword, params, instancePath: path, data } = finding;
  const pattern = String(params["pattern"]);
  const isShort = pattern.length <= maxPatternLength;
  const asked = isShort ? `match pattern "${pattern}"` : "match the pattern that its schema contains";
  const expected = isShort ? { expected: pattern } : {};
  const format = formatBeside(finding, root);
  if (format !== undefined && (formatName(format) !== undefined || !isShort)) {
    const isNarrower = fitsFormat(format, data);
    return isNarrower
      ? { path, message: `${mustBe(format)}, and must ${asked}`, keyword, ...expected }
      : { path, message: mustBe(format), keyword };
  }
  return { path, message: `must ${asked}${isShort ? "" : hintOf(finding.parentSchema)}`, keyword, ...expected };
}

function mustBe(format: string): string {
  const name = formatName(format);
  if (name !== undefined) return `must be ${name}`;
  return format.length <= maxFormatLength
    ? `must be in the format ${format}`
    : "must be in the format that the tool's schema requires";
}

/** The schema's description is more helpful than a long pattern. */
function hintOf(schema: Finding["parentSchema"]): string {
  const [example]: unknown[] = Array.isArray(schema?.["examples"]) ? schema["examples"] : [];
  if (typeof example === "string" && example.length <= maxExampleLength) return `, such as ${example}`;
  const description: unknown = schema?.["description"];
  const isUsable = typeof description === "string" && description.length <= maxDescriptionLength;
  return isUsable ? `, described as: ${description}` : "";
}

/** The format of the pattern's own schema, or of the one whose `allOf` it is in. */
function formatBeside(finding: Finding, root: JsonSchema | undefined): string | undefined {
  const own: unknown = finding.parentSchema?.["format"];
  if (typeof own === "string") return own;
  const schema = root === undefined ? undefined : resolveFragment(root, conjunctionOf(finding));
  const outer = isJsonObject(schema) ? schema["format"] : undefined;
  return typeof outer === "string" ? outer : undefined;
}

/** The same for all findings of one value that one schema asks for at once. */
function placeOf(finding: Finding): string {
  return `${finding.instancePath} ${conjunctionOf(finding)}`;
}

function conjunctionOf({ schemaPath }: Finding): string {
  return schemaPath.replace(/\/[^/]*$/, "").replace(/(?:\/allOf\/\d+)+$/, "");
}
