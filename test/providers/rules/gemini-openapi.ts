import { type Breach, isObject, type Json } from "./breach.ts";
import { whyNotRe2 } from "./pattern-rules.ts";
import { pointer, propertyNames, requiredNames } from "./schema-nodes.ts";
import { type Fields, misfits } from "./shape.ts";

/** The message `Schema`, all of it. Source: the types of @google/genai 2. */
const fields: Fields = {
  type: "any?",
  format: "string?",
  title: "string?",
  description: "string?",
  nullable: "boolean?",
  enum: "array?",
  example: "any?",
  default: "any?",
  anyOf: "array?",
  items: "object?",
  minItems: "int64?",
  maxItems: "int64?",
  properties: "object?",
  required: "strings?",
  propertyOrdering: "strings?",
  minProperties: "int64?",
  maxProperties: "int64?",
  minimum: "number?",
  maximum: "number?",
  minLength: "int64?",
  maxLength: "int64?",
  pattern: "string?",
};

const types = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"];

interface SchemaMessage {
  readonly schema: Json;
  /** Where it is, as the server says it: `tools[0]…parameters.properties[1].value`. */
  readonly at: string;
  readonly steps: readonly (string | number)[];
}

interface Finding {
  readonly rule: string;
  readonly message: string;
}

/** What `parameters`, an OpenAPI 3.0 subset as a protobuf message, may hold. */
export function checkOpenApiSchema(parameters: unknown, tool: string, at: string): Breach[] {
  if (!isObject(parameters)) return [];
  const open: SchemaMessage[] = [{ schema: parameters, at, steps: ["parameters"] }];
  const found = [...rootFindings(parameters, at)].map((finding) => ({ tool, path: "/parameters", ...finding }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const path = pointer(next.steps);
    found.push(...findings(next).map((finding) => ({ tool, path, ...finding })));
    open.push(...inside(next).toReversed());
  }
  return found;
}

function rootFindings(schema: Json, at: string): Finding[] {
  const found: Finding[] = [];
  if (typeOf(schema) !== "OBJECT") {
    found.push({ rule: "root-type", message: `${at}: the schema must describe an object.` });
  }
  const bad = propertyNames(schema).find((key) => !/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(key));
  if (bad !== undefined) {
    const message = `${at}.properties: parameter name "${bad}" must start with a letter or an underscore, hold only a-z, A-Z, 0-9 or underscores, and have at most 64 characters.`;
    found.push({ rule: "property-key", message });
  }
  return found;
}

function findings({ schema, at }: SchemaMessage): Finding[] {
  return [...fieldFindings(schema, at), ...ruleTable.flatMap(({ rule, broken }) => say(rule, broken(schema, at)))];
}

const say = (rule: string, message: string | false | undefined): Finding[] => (message ? [{ rule, message }] : []);

function fieldFindings(schema: Json, at: string): Finding[] {
  return misfits(schema, fields).map(({ field, problem, expected }) =>
    problem === "unknown"
      ? {
          rule: "keyword",
          message: `Invalid JSON payload received. Unknown name "${field}" at '${at}': Cannot find field.`,
        }
      : { rule: "field", message: `Invalid value at '${at}.${field}', ${expected} is expected` },
  );
}

const ruleTable: readonly {
  readonly rule: string;
  readonly broken: (schema: Json, at: string) => string | false | undefined;
}[] = [
  {
    rule: "type-list",
    broken: ({ type }, at) =>
      Array.isArray(type) && `Invalid value at '${at}.type': Proto field is not repeating, cannot start list.`,
  },
  {
    rule: "type",
    broken: (schema, at) =>
      Object.hasOwn(schema, "type") &&
      !Array.isArray(schema["type"]) &&
      typeOf(schema) === undefined &&
      `Invalid value at '${at}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), ${JSON.stringify(schema["type"])}`,
  },
  {
    rule: "typed",
    broken: (schema, at) =>
      !Object.hasOwn(schema, "type") && !Object.hasOwn(schema, "anyOf") && `${at}.type: must be specified`,
  },
  {
    rule: "any-of-alone",
    broken: (schema, at) =>
      Object.hasOwn(schema, "anyOf") &&
      Object.keys(schema).length > 1 &&
      `${at}: schema specified other fields alongside any_of. When using any_of, it must be the only field set.`,
  },
  {
    rule: "enum-type",
    broken: (schema, at) =>
      Object.hasOwn(schema, "enum") && typeOf(schema) !== "STRING" && `${at}.enum: only allowed for STRING type`,
  },
  {
    rule: "enum-values",
    broken: ({ enum: values }, at) => {
      const index = Array.isArray(values) ? values.findIndex((value) => typeof value !== "string") : -1;
      if (!Array.isArray(values) || index === -1) return false;
      return `Invalid value at '${at}.enum[${index}]' (TYPE_STRING), ${JSON.stringify(values[index])}`;
    },
  },
  {
    rule: "enum-empty",
    broken: ({ enum: values }, at) =>
      Array.isArray(values) && values.includes("") && `${at}.enum[${values.indexOf("")}]: cannot be empty`,
  },
  {
    rule: "pattern",
    broken: ({ pattern }, at) => {
      const why = typeof pattern === "string" ? whyNotRe2(pattern) : undefined;
      return why !== undefined && `${at}.pattern: ${why}`;
    },
  },
  {
    rule: "enum-format",
    broken: ({ format, enum: values }, at) =>
      format === "enum" &&
      (!Array.isArray(values) || values.length === 0) &&
      `${at}.enum: must be specified for format "enum"`,
  },
  {
    rule: "format",
    broken: (schema, at) => {
      const { format } = schema;
      const allowed = formatsOf(typeOf(schema));
      if (format === undefined || allowed === "any") return false;
      return (
        !(allowed as readonly unknown[]).includes(format) &&
        `${at}.format: ${JSON.stringify(format)} is not supported for this type`
      );
    },
  },
  {
    rule: "required",
    broken: (schema, at) => {
      const index = requiredNames(schema).findIndex((name) => !propertyNames(schema).includes(name));
      return index !== -1 && `${at}.required[${index}]: property is not defined`;
    },
  },
  {
    rule: "property-ordering",
    broken: (schema, at) => {
      const order: unknown = schema["propertyOrdering"];
      const names = propertyNames(schema);
      return (
        Array.isArray(order) &&
        (order.length !== names.length || order.some((name) => !names.includes(String(name)))) &&
        `${at}.property_ordering: must name each property once`
      );
    },
  },
  {
    rule: "array-items",
    broken: (schema, at) => typeOf(schema) === "ARRAY" && !isObject(schema["items"]) && `${at}.items: missing field.`,
  },
];

/** A type's name is taken in either case. */
function typeOf({ type }: Json): string | undefined {
  const name = typeof type === "string" ? type.toUpperCase() : undefined;
  return name !== undefined && types.includes(name) ? name : undefined;
}

function formatsOf(type: string | undefined): "any" | readonly string[] {
  if (type === "NUMBER") return ["float", "double"];
  if (type === "INTEGER") return ["int32", "int64"];
  return type === "STRING" ? "any" : [];
}

function inside({ schema, at, steps }: SchemaMessage): SchemaMessage[] {
  const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const branches: unknown[] = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [];
  const places: [unknown, string, (string | number)[]][] = [
    ...properties.map(([key, value], index): [unknown, string, (string | number)[]] => [
      value,
      `.properties[${index}].value`,
      ["properties", key],
    ]),
    [schema["items"], ".items", ["items"]],
    ...branches.map((value, index): [unknown, string, (string | number)[]] => [
      value,
      `.any_of[${index}]`,
      ["anyOf", index],
    ]),
  ];
  return places.flatMap(([value, suffix, more]) =>
    isObject(value) ? [{ schema: value, at: at + suffix, steps: [...steps, ...more] }] : [],
  );
}
