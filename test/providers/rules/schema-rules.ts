import type { Breach } from "./breach.ts";
import { isObject } from "./breach.ts";
import { draft2020, whyNoSchema } from "./metaschema.ts";
import { resolve } from "./references.ts";
import { pointer, propertyNames, requiredNames, schemaNodes, type SchemaNode, typesOf } from "./schema-nodes.ts";

/** A rule about every place of a schema: what it answers where it is broken. */
export interface SchemaRule {
  readonly rule: string;
  readonly broken: (node: SchemaNode) => string | false | undefined;
}

/** Where a schema stands, and how its provider speaks of it. */
export interface Place {
  readonly tool: string;
  /** Steps from the declaration to the schema. */
  readonly steps: readonly (string | number)[];
  readonly say: (message: string, node: SchemaNode) => string;
}

export function breachesOf(root: unknown, rules: readonly SchemaRule[], { tool, steps, say }: Place): Breach[] {
  return schemaNodes(root).flatMap((node) =>
    rules.flatMap(({ rule, broken }) => {
      const message = broken(node);
      return message ? [{ tool, path: pointer([...steps, ...node.steps]), rule, message: say(message, node) }] : [];
    }),
  );
}

export const isRoot = ({ steps }: SchemaNode): boolean => steps.length === 0;

/** Only these keywords. */
export const onlyKeywords = (allowed: readonly string[], say: (keyword: string) => string): SchemaRule => ({
  rule: "keyword",
  broken: ({ schema }) => {
    const keyword = Object.keys(schema).find((key) => !allowed.includes(key));
    return keyword !== undefined && say(keyword);
  },
});

/** None of these keywords beside the root's `type: "object"`. */
export const rootWithout = (keywords: readonly string[], message: string): SchemaRule => ({
  rule: "root-combinator",
  broken: (node) => isRoot(node) && keywords.some((keyword) => Object.hasOwn(node.schema, keyword)) && message,
});

export const rootIsObject = (say: (type: unknown) => string): SchemaRule => ({
  rule: "root-type",
  broken: (node) => isRoot(node) && node.schema["type"] !== "object" && say(node.schema["type"]),
});

export const rootHasProperties = (message: string): SchemaRule => ({
  rule: "root-properties",
  broken: (node) => isRoot(node) && !isObject(node.schema["properties"]) && message,
});

export const arraysHaveItems = (message: string): SchemaRule => ({
  rule: "array-items",
  broken: ({ schema }) => typesOf(schema).includes("array") && !Object.hasOwn(schema, "items") && message,
});

export const referencesResolve = (say: (reference: unknown) => string): SchemaRule => ({
  rule: "reference",
  broken: ({ schema, root }) =>
    Object.hasOwn(schema, "$ref") && resolve(root, schema["$ref"]) === undefined && say(schema["$ref"]),
});

export const requiredIsDeclared = (say: (name: string, index: number) => string): SchemaRule => ({
  rule: "required",
  broken: ({ schema }) => {
    const properties = propertyNames(schema);
    const index = requiredNames(schema).findIndex((name) => !properties.includes(name));
    return index !== -1 && say(requiredNames(schema)[index] ?? "", index);
  },
});

export const objectsAreClosed = (message: string): SchemaRule => ({
  rule: "additional-properties",
  broken: ({ schema }) =>
    (typesOf(schema).includes("object") || Object.hasOwn(schema, "properties")) &&
    schema["additionalProperties"] !== false &&
    message,
});

/** Something must say what a value is. */
export const typed = (keywords: readonly string[], message: string): SchemaRule => ({
  rule: "typed",
  broken: ({ value, schema }) =>
    isObject(value) && !keywords.some((keyword) => Object.hasOwn(schema, keyword)) && message,
});

export const typesAreDistinct = (say: (types: unknown) => string): SchemaRule => ({
  rule: "type-duplicate",
  broken: ({ schema: { type } }) => Array.isArray(type) && new Set(type).size !== type.length && say(type),
});

export const formatsAmong = (formats: readonly string[], say: (format: unknown) => string): SchemaRule => ({
  rule: "format",
  broken: ({ schema: { format } }) =>
    format !== undefined && !(formats as readonly unknown[]).includes(format) && say(format),
});

/** A property's schema is an object, never `true` or `false`. */
export const noBooleans = (except: readonly string[], message: string): SchemaRule => ({
  rule: "boolean-schema",
  broken: ({ value, keyword }) => typeof value === "boolean" && !except.includes(keyword) && message,
});

export const isDraft2020 = (say: (why: string) => string): SchemaRule => ({
  rule: "metaschema",
  broken: (node) => {
    const why = isRoot(node) ? whyNoSchema(node.value, draft2020) : undefined;
    return why !== undefined && say(why);
  },
});
