import { canonicalJson } from "../../json/canonical.ts";
import { isJsonObject, type JsonObject, setOwn } from "../../json/object.ts";
import { toRegExp } from "../pattern.ts";
import { type FixedProperties, mentions } from "./fixed-properties.ts";
import { isEmpty } from "./join-into.ts";
import { leaveOut, type ReduceKeyword, type Reduction } from "./reduction.ts";

/** The keywords that apply schemas to the values of properties. */
export const propertyKeywords: readonly (readonly [keyword: string, reduceKeyword: ReduceKeyword])[] = [
  ["properties", (reduction, value) => reduceProperties(reduction, value as JsonObject)],
  ["patternProperties", (reduction, value) => reducePatterns(reduction, value as JsonObject)],
  ["additionalProperties", reduceAdditional],
  ["unevaluatedProperties", reduceUnevaluated],
];

function reduceProperties(reduction: Reduction, properties: JsonObject): string | undefined {
  const { fixed } = reduction.options;
  const rest: JsonObject = {};
  for (const [name, schema] of Object.entries(properties)) if (!fixed.has(name)) setOwn(rest, name, schema);
  if (!isEmpty(rest)) reduction.written["properties"] = rest;
  const names = [...fixed.keys()].filter((name) => Object.hasOwn(properties, name));
  return checkAll(reduction, names, (name) => properties[name]);
}

function reducePatterns(reduction: Reduction, patterns: JsonObject): string | undefined {
  const { fixed, onLessEvaluated } = reduction.options;
  const rest: JsonObject = {};
  for (const [pattern, schema] of Object.entries(patterns)) {
    const problem = checkAll(reduction, namesMatching(fixed, pattern), () => schema);
    if (problem !== undefined) return problem;
    if (!mentions(fixed, pattern)) {
      setOwn(rest, pattern, schema);
    } else if (!isPatternOfOne(fixed, pattern)) {
      // Without the pattern, `additionalProperties` would apply to the properties that it matched.
      reduction.keepsAdditional = false;
      onLessEvaluated();
      leaveOut(reduction, "patternProperties");
    }
  }
  if (!isEmpty(rest)) reduction.written["patternProperties"] = rest;
  return undefined;
}

function reduceAdditional(reduction: Reduction, value: unknown): string | undefined {
  reduction.written["additionalProperties"] = value;
  const names = namesLeft(reduction);
  if (value === true || names.length === 0) return undefined;
  if (value === false) return `the schema does not allow "${names[0]}"`;
  return checkAll(reduction, names, () => value);
}

function reduceUnevaluated(reduction: Reduction, value: unknown): undefined {
  // Whether a fixed property is evaluated may depend on values that are not known.
  if (namesLeft(reduction).length > 0) reduction.isExact = false;
  if (reduction.options.evaluation !== "lost") reduction.written["unevaluatedProperties"] = value;
  else leaveOut(reduction, "unevaluatedProperties");
}

/** Checks fixed properties against the schemas for their values. @returns why one of them is never valid */
function checkAll(
  reduction: Reduction,
  names: readonly string[],
  schemaOf: (name: string) => unknown,
): string | undefined {
  return names.map((name) => checkOne(reduction, name, schemaOf(name))).find((problem) => problem !== undefined);
}

function checkOne(reduction: Reduction, name: string, schema: unknown): string | undefined {
  const { fixed, accepts } = reduction.options;
  const known = fixed.get(name);
  if (known !== undefined) {
    return accepts(schema, known.value)
      ? undefined
      : `the value bound to "${name}" does not match the schema of this argument`;
  }
  if (canonicalJson(schema) === '{"not":{}}') return `the schema does not allow "${name}"`;
  // Whether a value that is not known is valid is not known either.
  if (!asksNothing(schema)) reduction.isExact = false;
  return undefined;
}

/** The fixed properties that neither `properties` nor `patternProperties` names. */
function namesLeft({ source, options: { fixed } }: Reduction): string[] {
  const { properties, patternProperties } = source;
  const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  return [...fixed.keys()].filter(
    (name) =>
      !(isJsonObject(properties) && Object.hasOwn(properties, name)) &&
      !patterns.some((pattern) => toRegExp(pattern).test(name)),
  );
}

function namesMatching(fixed: FixedProperties, pattern: string): string[] {
  const test = toRegExp(pattern);
  return [...fixed.keys()].filter((name) => test.test(name));
}

/** Whether a pattern matches one of the names and nothing else. */
function isPatternOfOne(fixed: FixedProperties, pattern: string): boolean {
  return [...fixed.keys()].some((name) => /^\w+$/.test(name) && pattern === `^${name}$`);
}

const annotations = new Set(["title", "description", "default", "examples"]);

function asksNothing(schema: unknown): boolean {
  return schema === true || (isJsonObject(schema) && Object.keys(schema).every((keyword) => annotations.has(keyword)));
}
