import type { JsonObject } from "../../../json/object.ts";

/** Maximum length of JSON inside a sentence. */
const longestJson = 400;
/** Maximum length of a list of values. */
const longestList = 4 * longestJson;

/** The description of a schema that accepts nothing. */
export const nothingFits = "No value is allowed.";

type Say = (value: never, node: JsonObject) => string;

/** What a keyword requires, as a sentence for a model. */
const sentences: Readonly<Record<string, Say>> = {
  const: (value: unknown) => `Must be ${json(value)}.`,
  enum: (values: unknown[]) => `Must be one of ${listValues(values)}.`,
  pattern: (pattern: string) => `Must match ${pattern}.`,
  format: (format: string) => `Must be in the format ${format}.`,
  minLength: (least: number) => `At least ${count(least, "character")}.`,
  maxLength: (most: number) => `At most ${count(most, "character")}.`,
  minimum: (least: number) => `Must be at least ${least}.`,
  maximum: (most: number) => `Must be at most ${most}.`,
  exclusiveMinimum: (limit: number) => `Must be greater than ${limit}.`,
  exclusiveMaximum: (limit: number) => `Must be less than ${limit}.`,
  multipleOf: (step: number) => `Must be a multiple of ${step}.`,
  minItems: (least: number) => `At least ${count(least, "item")}.`,
  maxItems: (most: number) => `At most ${count(most, "item")}.`,
  uniqueItems: () => "All items must be different.",
  minProperties: (least: number) => `At least ${count(least, "property", "properties")}.`,
  maxProperties: (most: number) => `At most ${count(most, "property", "properties")}.`,
  default: (value: unknown) => `Default: ${json(value)}.`,
  prefixItems: (members: unknown[]) =>
    `The first ${members.length} items are, in this order: ${members.map(json).join(", ")}.`,
  additionalProperties: (schema: unknown) =>
    schema === false ? "No other properties." : `Any other property must match ${json(schema)}.`,
  patternProperties: (map: JsonObject) =>
    Object.entries(map)
      .map(([pattern, schema]) => `Properties whose name matches ${pattern} must match ${json(schema)}.`)
      .join(" "),
  propertyNames: (schema: unknown) => `Names of properties must match ${json(schema)}.`,
  dependentRequired: (map: JsonObject) =>
    Object.entries(map)
      .map(([key, needs]) => `If ${json(key)} is given, ${[needs].flat().map(json).join(", ")} must be given too.`)
      .join(" "),
  dependentSchemas: (map: JsonObject) =>
    Object.entries(map)
      .map(([key, schema]) => `If ${json(key)} is given, it must also match ${json(schema)}.`)
      .join(" "),
  not: (schema: unknown) => (json(schema) === "{}" ? nothingFits : `Must not match ${json(schema)}.`),
  if: (schema: unknown, { then, else: otherwise }: JsonObject) =>
    [
      ...(then === undefined ? [] : [`If it matches ${json(schema)}, it must match ${json(then)}.`]),
      ...(otherwise === undefined ? [] : [`If it does not match ${json(schema)}, it must match ${json(otherwise)}.`]),
    ].join(" "),
  allOf: (members: unknown[]) => `Must also match ${members.map(json).join(" and ")}.`,
  anyOf: (members: unknown[]) => `Must match at least one of ${members.map(json).join(", ")}.`,
  oneOf: (members: unknown[]) => `Must match exactly one of ${members.map(json).join(", ")}.`,
  contains: (schema: unknown) => `At least one item must match ${json(schema)}.`,
};

/** @param node the schema that contains the keyword */
export function describeKeyword(keyword: string, value: unknown, node: JsonObject): string {
  if (keyword === "then" || keyword === "else") return ""; // the sentence of `if` includes it
  return sentences[keyword]?.(value as never, node) ?? `${keyword}: ${json(value)}.`;
}

/** The author's description followed by sentences. */
export function addSentences(description: unknown, added: readonly string[]): string {
  const own = typeof description === "string" && description.trim() !== "" ? [description] : [];
  return [...own, ...new Set(added)].filter((text) => text !== "").join(" ");
}

export function addSentence(node: JsonObject, sentence: string): JsonObject {
  return { ...node, description: addSentences(node["description"], [sentence]) };
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** As many values as fit. */
function listValues(values: readonly unknown[]): string {
  const listed: string[] = [];
  let room = longestList;
  for (const value of values) {
    const text = json(value);
    room -= text.length + 2;
    if (room < 0) return [...listed, "…"].join(", ");
    listed.push(text);
  }
  return listed.join(", ");
}

export function json(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= longestJson ? text : `${text.slice(0, longestJson)}…`;
}
