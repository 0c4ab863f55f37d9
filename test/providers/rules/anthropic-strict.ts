import { type Breach, isObject } from "./breach.ts";
import { anthropicPatterns } from "./pattern-rules.ts";
import { isRecursive } from "./references.ts";
import { propertyNames, requiredNames, schemaNodes, type SchemaNode, typesOf } from "./schema-nodes.ts";
import {
  formatsAmong,
  isRoot,
  noBooleans,
  objectsAreClosed,
  onlyKeywords,
  type SchemaRule,
  typed,
} from "./schema-rules.ts";

// Source: docs.anthropic.com, structured outputs, "JSON Schema limitations".
const keywords = [
  ..."type enum const anyOf allOf properties required additionalProperties items minItems".split(" "),
  ..."$ref $defs definitions title description default pattern format".split(" "),
];
const bounds = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems".split(" ");
const formats = "date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" ");

/** What `strict: true` asks of every place of a schema, beside what is asked of all. */
export const strictRules: readonly SchemaRule[] = [
  {
    rule: "bounds",
    broken: ({ schema }) => {
      const present = bounds.filter((keyword) => Object.hasOwn(schema, keyword));
      if (present.length === 0) return false;
      return `For '${typesOf(schema).join("|")}' type, properties ${present.join(", ")} are not supported`;
    },
  },
  onlyKeywords([...keywords, ...bounds], (keyword) => `keyword '${keyword}' is not supported`),
  objectsAreClosed("For 'object' type, 'additionalProperties' must be explicitly set to false"),
  {
    rule: "min-items",
    broken: ({ schema: { minItems } }) =>
      minItems !== undefined &&
      minItems !== 0 &&
      minItems !== 1 &&
      "For 'array' type, 'minItems' values other than 0 or 1 are not supported",
  },
  {
    rule: "enum-primitives",
    broken: ({ schema }) => constantsOf(schema).some(isComplex) && "Enums and constants must be primitive values",
  },
  {
    rule: "all-of-reference",
    broken: ({ schema: { allOf } }) =>
      Array.isArray(allOf) &&
      allOf.some((branch) => isObject(branch) && Object.hasOwn(branch, "$ref")) &&
      "'allOf' with '$ref' is not supported",
  },
  {
    rule: "recursion",
    broken: (node) => isRoot(node) && isRecursive(node.root, "any") && "Circular references are not supported",
  },
  formatsAmong(formats, (format) => `format '${String(format)}' is not supported`),
  anthropicPatterns,
  typed(["type", "$ref", "anyOf", "allOf", "enum", "const"], "schema must have a 'type'"),
  noBooleans(["additionalProperties"], "schema must be an object"),
];

function constantsOf(schema: Readonly<Record<string, unknown>>): unknown[] {
  const values: unknown[] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  return Object.hasOwn(schema, "const") ? [...values, schema["const"]] : values;
}

const isComplex = (value: unknown): boolean => typeof value === "object" && value !== null;

/** What all strict tools of one request may cost together. */
export function budgetBreaches(tools: readonly unknown[]): Breach[] {
  const strict = tools.filter(isObject).filter((tool) => tool["strict"] === true);
  const nodes = strict.flatMap((tool) => schemaNodes(tool["input_schema"]));
  const optional = nodes.reduce((sum, node) => sum + optionalCount(node), 0);
  const unions = nodes.filter(isUnion).length;
  const inefficient = "which would make grammar compilation inefficient";
  return [
    {
      rule: "budget-tools",
      over: strict.length > 20,
      message: `Too many strict tools (${strict.length}). The maximum number of strict tools supported is 20.`,
    },
    {
      rule: "budget-optional",
      over: optional > 24,
      message: `Schemas contains too many optional parameters (${optional}), ${inefficient}. Reduce the number of optional parameters in your tool schemas (limit: 24).`,
    },
    {
      rule: "budget-unions",
      over: unions > 16,
      message: `Schemas contains too many parameters with union types (${unions} parameters with type arrays or anyOf), ${inefficient} (limit: 16).`,
    },
  ]
    .filter(({ over }) => over)
    .map(({ rule, message }) => ({ tool: "", path: "", rule, message }));
}

function optionalCount({ schema }: SchemaNode): number {
  const required = requiredNames(schema);
  return propertyNames(schema).filter((name) => !required.includes(name)).length;
}

function isUnion({ schema }: SchemaNode): boolean {
  return Array.isArray(schema["anyOf"]) || (Array.isArray(schema["type"]) && schema["type"].length > 1);
}
