import type { JsonObject } from "../../core/json-schema.ts";

/** Longest JSON inside a sentence. */
const longestJson = 400;

type Say = (value: never, node: JsonObject) => string;

/** What a keyword asks for, as a sentence for a model. */
const sentences: Readonly<Record<string, Say>> = {
  const: (value: unknown) => `Must be ${json(value)}.`,
  enum: (values: unknown[]) =>
    `Must be one of ${values
      .map(json)
      .join(", ")
      .slice(0, 4 * longestJson)}.`,
  pattern: (pattern: string) => `Must match ${pattern}.`,
  format: (format: string) => `Must be in the format ${format}.`,
  minLength: (least: number) => `At least ${least} characters.`,
  maxLength: (most: number) => `At most ${most} characters.`,
  minimum: (least: number) => `Must be at least ${least}.`,
  maximum: (most: number) => `Must be at most ${most}.`,
  exclusiveMinimum: (limit: number) => `Must be greater than ${limit}.`,
  exclusiveMaximum: (limit: number) => `Must be less than ${limit}.`,
  multipleOf: (step: number) => `Must be a multiple of ${step}.`,
  minItems: (least: number) => `At least ${least} items.`,
  maxItems: (most: number) => `At most ${most} items.`,
  uniqueItems: () => "No item twice.",
  minProperties: (least: number) => `At least ${least} properties.`,
  maxProperties: (most: number) => `At most ${most} properties.`,
  default: (value: unknown) => `Default: ${json(value)}.`,
  prefixItems: (members: unknown[]) =>
    `The first ${members.length} items are, in this order: ${members.map(json).join(", ")}.`,
  additionalProperties: (schema: unknown) =>
    schema === false ? "No other properties." : `Any other property holds ${json(schema)}.`,
  patternProperties: (map: JsonObject) =>
    Object.entries(map)
      .map(([pattern, schema]) => `Properties whose name matches ${pattern} hold ${json(schema)}.`)
      .join(" "),
  propertyNames: (schema: unknown) => `Names of properties must fit ${json(schema)}.`,
  dependentRequired: (map: JsonObject) =>
    Object.entries(map)
      .map(([key, needs]) => `With ${json(key)}, also ${[needs].flat().map(json).join(", ")}.`)
      .join(" "),
  dependentSchemas: (map: JsonObject) =>
    Object.entries(map)
      .map(([key, schema]) => `With ${json(key)} it must also fit ${json(schema)}.`)
      .join(" "),
  not: (schema: unknown) => `Must not fit ${json(schema)}.`,
  if: (schema: unknown, { then, else: otherwise }: JsonObject) =>
    [
      ...(then === undefined ? [] : [`Where it fits ${json(schema)}, it must fit ${json(then)}.`]),
      ...(otherwise === undefined ? [] : [`Where it does not fit ${json(schema)}, it must fit ${json(otherwise)}.`]),
    ].join(" "),
  allOf: (members: unknown[]) => `Must also fit ${members.map(json).join(" and ")}.`,
  anyOf: (members: unknown[]) => `Must fit at least one of ${members.map(json).join(", ")}.`,
  oneOf: (members: unknown[]) => `Must fit exactly one of ${members.map(json).join(", ")}.`,
  contains: (schema: unknown) => `Some item must fit ${json(schema)}.`,
};

/** @param node the schema that holds the keyword */
export function describeKeyword(keyword: string, value: unknown, node: JsonObject): string {
  if (keyword === "then" || keyword === "else") return ""; // `if` has said it
  return sentences[keyword]?.(value as never, node) ?? `${keyword}: ${json(value)}.`;
}

/** The author's description with sentences behind it. */
export function addSentences(description: unknown, added: readonly string[]): string {
  const own = typeof description === "string" && description.trim() !== "" ? [description] : [];
  return [...own, ...new Set(added)].filter((text) => text !== "").join(" ");
}

export function tell(node: JsonObject, sentence: string): JsonObject {
  return { ...node, description: addSentences(node["description"], [sentence]) };
}

export function json(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= longestJson ? text : `${text.slice(0, longestJson)}…`;
}
