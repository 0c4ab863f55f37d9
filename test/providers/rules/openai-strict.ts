import { isObject } from "./breach.ts";
import { propertyNames, requiredNames, schemaNodes } from "./schema-nodes.ts";
import {
  formatsAmong,
  isRoot,
  noBooleans,
  objectsAreClosed,
  onlyKeywords,
  requiredIsDeclared,
  type SchemaRule,
  typed,
} from "./schema-rules.ts";

// Source: platform.openai.com/docs/guides/structured-outputs, "Supported schemas".
const keywords = [
  ..."type enum const anyOf properties required additionalProperties items $ref $defs definitions".split(" "),
  ..."title description default pattern format minLength maxLength minItems maxItems".split(" "),
  ..."multipleOf minimum maximum exclusiveMinimum exclusiveMaximum".split(" "),
];
const formats = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/** What `strict: true` asks of every place of a schema, beside what is asked of all. */
export const strictRules: readonly SchemaRule[] = [
  onlyKeywords(keywords, (keyword) => `'${keyword}' is not permitted.`),
  objectsAreClosed("'additionalProperties' is required to be supplied and to be false."),
  {
    rule: "required-all",
    broken: ({ schema }) => {
      const required = requiredNames(schema);
      const missing = propertyNames(schema).find((name) => !required.includes(name));
      return missing !== undefined && `${requiredText} Missing '${missing}'.`;
    },
  },
  requiredIsDeclared((name) => `${requiredText} Extra required key '${name}' supplied.`),
  {
    rule: "reference-bare",
    broken: ({ schema }) => {
      const beside = Object.keys(schema).filter((keyword) => keyword !== "$ref");
      if (!Object.hasOwn(schema, "$ref") || beside.length === 0) return false;
      return `$ref cannot have keywords {${beside.map((keyword) => `'${keyword}'`).join(", ")}}.`;
    },
  },
  {
    rule: "root-reference",
    broken: (node) => isRoot(node) && Object.hasOwn(node.schema, "$ref") && "root schema must not be a '$ref'.",
  },
  formatsAmong(formats, (format) => `'${String(format)}' is not a valid format.`),
  typed(["type", "$ref", "anyOf", "enum", "const"], "schema must have a 'type' key."),
  noBooleans(["additionalProperties"], "schema must be an object."),
];

const requiredText = "'required' is required to be supplied and to be an array including every key in properties.";

/** The limits of one strict schema, in the order of the guide. */
export function strictSizeBreaches(schema: unknown): { rule: string; message: string }[] {
  const size = sizeOf(schema);
  const limits = [
    { rule: "limit-properties", value: size.properties, limit: 5_000, of: "object properties" },
    { rule: "limit-levels", value: size.levels, limit: 10, of: "levels of nesting" },
    { rule: "limit-characters", value: size.characters, limit: 120_000, of: "characters of names and values" },
    { rule: "limit-enum-values", value: size.enumValues, limit: 1_000, of: "enum values" },
    { rule: "limit-enum-characters", value: size.longestEnum, limit: 15_000, of: "characters in an enum of over 250" },
  ];
  return limits
    .filter(({ value, limit }) => value > limit)
    .map(({ rule, value, limit, of }) => ({
      rule,
      message: `schema has ${value} ${of}, at most ${limit} are allowed.`,
    }));
}

function sizeOf(root: unknown) {
  const size = { properties: 0, levels: 0, characters: 0, enumValues: 0, longestEnum: 0 };
  for (const { schema, level } of schemaNodes(root)) {
    const names = propertyNames(schema);
    const values: unknown[] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
    const enumCharacters = textLength(values);
    size.properties += names.length;
    size.levels = Math.max(size.levels, level);
    size.characters += textLength(names) + textLength(definitionNames(schema)) + enumCharacters;
    size.characters += textLength(Object.hasOwn(schema, "const") ? [schema["const"]] : []);
    size.enumValues += values.length;
    const long = values.length > 250 && values.every((value) => typeof value === "string");
    if (long) size.longestEnum = Math.max(size.longestEnum, enumCharacters);
  }
  return size;
}

function definitionNames(schema: Readonly<Record<string, unknown>>): string[] {
  return ["$defs", "definitions"].flatMap((keyword) => {
    const definitions = schema[keyword];
    return isObject(definitions) ? Object.keys(definitions) : [];
  });
}

function textLength(values: readonly unknown[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).length,
    0,
  );
}
