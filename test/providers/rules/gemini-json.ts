import { isRecursive } from "./references.ts";
import {
  arraysHaveItems,
  isDraft2020,
  isRoot,
  noBooleans,
  onlyKeywords,
  referencesResolve,
  rootIsObject,
  type SchemaRule,
} from "./schema-rules.ts";

// The types list these for `responseJsonSchema`; for functions there is no list, and what is beside them is ignored unsaid.
const keywords = [
  ..."$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems".split(" "),
  ..."minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering".split(" "),
];

/** What `parametersJsonSchema` may hold. Source: the types of @google/genai 2. */
export const jsonRules: readonly SchemaRule[] = [
  rootIsObject(() => "the schema must describe an object."),
  onlyKeywords(keywords, (keyword) => `keyword "${keyword}" is not supported.`),
  arraysHaveItems("items: missing field."),
  {
    rule: "reference-bare",
    broken: ({ schema }) =>
      Object.hasOwn(schema, "$ref") &&
      Object.keys(schema).some((keyword) => !keyword.startsWith("$")) &&
      "beside $ref only keywords that begin with $ may be set.",
  },
  referencesResolve((reference) => `reference "${String(reference)}" is not defined.`),
  {
    rule: "recursion",
    broken: (node) =>
      isRoot(node) &&
      isRecursive(node.root, "required") &&
      "cyclic references are allowed in optional properties only.",
  },
  {
    rule: "enum-values",
    broken: ({ schema: { enum: values } }) =>
      Array.isArray(values) &&
      values.some((value) => typeof value !== "string" && typeof value !== "number") &&
      "enum: only strings and numbers are supported.",
  },
  {
    rule: "enum-empty",
    broken: ({ schema: { enum: values } }) =>
      Array.isArray(values) && values.includes("") && `enum[${values.indexOf("")}]: cannot be empty`,
  },
  {
    // Seen with the older form, whose translation of this one cannot say it either.
    rule: "items-nullable",
    broken: ({ keyword, schema }) =>
      keyword === "items" && Array.isArray(schema["type"]) && "items.type: a list of types is not supported here.",
  },
  noBooleans(["additionalProperties"], "a schema must be an object."),
  isDraft2020((why) => `${why}.`),
];
