import { type Breach, isObject, nameOf, repeated } from "./breach.ts";
import { strictRules, strictSizeBreaches } from "./openai-strict.ts";
import { pythonPatterns } from "./pattern-rules.ts";
import { pointer, type SchemaNode } from "./schema-nodes.ts";
import {
  arraysHaveItems,
  breachesOf,
  isDraft2020,
  referencesResolve,
  rootHasProperties,
  rootIsObject,
  rootWithout,
  type SchemaRule,
  typesAreDistinct,
} from "./schema-rules.ts";
import { type Fields, misfits } from "./shape.ts";

/** Where a function stands in a tool, and which fields it has. Source: the types of the npm package openai 6. */
const shapes = {
  chat: {
    at: ["function"],
    tool: { type: "string", function: "object" },
    function: { name: "string", description: "string?", parameters: "object?", strict: "boolean|null?" },
  },
  responses: {
    at: [],
    tool: {},
    // Without `strict` the server makes a schema strict by itself, so the types demand it.
    function: {
      type: "string",
      name: "string",
      description: "string|null?",
      parameters: "object|null",
      strict: "boolean|null",
      output_schema: "object|null?",
      defer_loading: "boolean?",
      async: "boolean?",
      allowed_callers: "strings|null?",
    },
  },
} as const satisfies Record<string, { at: readonly string[]; tool: Fields; function: Fields }>;

export type OpenAIApi = keyof typeof shapes;

const plainRules: readonly SchemaRule[] = [
  rootIsObject((type) => `schema must be a JSON Schema of 'type: "object"', got 'type: "${asPython(type)}"'.`),
  rootWithout(
    ["oneOf", "anyOf", "allOf", "enum", "not"],
    "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
  ),
  rootHasProperties("object schema missing properties."),
  arraysHaveItems("array schema missing items."),
  typesAreDistinct((types) => `${JSON.stringify(types)} has non-unique elements.`),
  referencesResolve((reference) => `reference '${String(reference)}' not found.`),
  pythonPatterns,
  isDraft2020((why) => `${why}.`),
];

/** The rules of OpenAI for `tools`, strict for each tool that says so. */
export function checkOpenAITools(tools: unknown, api: OpenAIApi): Breach[] {
  if (!Array.isArray(tools)) {
    return [{ tool: "", path: "", rule: "shape", message: "Invalid type for 'tools': expected an array of objects." }];
  }
  const names = tools.map((tool) => nameOf(functionOf(tool, api)));
  return [
    ...(tools.length > 128 ? [tooMany(tools.length)] : []),
    ...repeated(names).map((tool) => ({
      tool,
      path: "",
      rule: "duplicate-name",
      message: `Duplicate tool '${tool}'.`,
    })),
    ...tools.flatMap((tool, index) => checkTool(tool, index, api)),
  ];
}

function functionOf(tool: unknown, api: OpenAIApi): unknown {
  return api === "chat" && isObject(tool) ? tool["function"] : tool;
}

function tooMany(count: number): Breach {
  const message = `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${count} instead.`;
  return { tool: "", path: "", rule: "count", message };
}

function checkTool(tool: unknown, index: number, api: OpenAIApi): Breach[] {
  const shape = shapes[api];
  const declared = functionOf(tool, api);
  const place = `tools[${index}]${shape.at.map((step) => `.${step}`).join("")}`;
  const found = [
    ...(api === "chat" ? shapeBreaches(tool, shape.tool, `tools[${index}]`, [], nameOf(declared)) : []),
    ...shapeBreaches(declared, shape.function, place, shape.at, nameOf(declared)),
  ];
  if (isObject(tool) && tool["type"] !== "function") {
    const message = `Invalid value: '${String(tool["type"])}'. Supported values are: 'function' and 'custom'.`;
    found.push({ tool: nameOf(declared), path: "/type", rule: "shape", message });
  }
  if (!isObject(declared)) return found;
  return [
    ...found,
    ...nameBreaches(declared["name"], `${place}.name`, pointer([...shape.at, "name"])),
    ...schemaBreaches(declared, [...shape.at, "parameters"]),
  ];
}

function shapeBreaches(value: unknown, fields: Fields, at: string, steps: readonly string[], tool: string): Breach[] {
  if (!isObject(value)) {
    return [{ tool, path: pointer(steps), rule: "shape", message: `Invalid type for '${at}': expected an object.` }];
  }
  return misfits(value, fields).map(({ field, problem, expected }) => ({
    tool,
    path: pointer([...steps, field]),
    rule: field === "strict" && problem === "missing" ? "strict-unsaid" : "shape",
    message: {
      unknown: `Unknown parameter: '${at}.${field}'.`,
      missing: `Missing required parameter: '${at}.${field}'.`,
      kind: `Invalid type for '${at}.${field}': expected ${expected}.`,
    }[problem],
  }));
}

function nameBreaches(name: unknown, at: string, path: string): Breach[] {
  if (typeof name !== "string") return [];
  if (name.length > 64) {
    const message = `Invalid '${at}': string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`;
    return [{ tool: name, path, rule: "name-length", message }];
  }
  if (/^[a-zA-Z0-9_-]+$/.test(name)) return [];
  const message = `Invalid '${at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  return [{ tool: name, path, rule: "name", message }];
}

function schemaBreaches(declared: Readonly<Record<string, unknown>>, steps: readonly string[]): Breach[] {
  const { parameters } = declared;
  if (!isObject(parameters)) return [];
  const tool = nameOf(declared);
  const strict = declared["strict"] === true;
  const say = (message: string, node?: SchemaNode) =>
    `Invalid schema for function '${tool}': In context=${context(node?.steps ?? [])}, ${message}`;
  return [
    ...breachesOf(parameters, strict ? [...plainRules, ...strictRules] : plainRules, { tool, steps, say }),
    ...(strict ? strictSizeBreaches(parameters) : []).map(({ rule, message }) => ({
      tool,
      path: pointer(steps),
      rule,
      message: say(message),
    })),
  ];
}

/** A path as the server prints it: a tuple of Python. */
function context(steps: readonly string[]): string {
  const quoted = steps.map((step) => `'${step}'`);
  return quoted.length === 1 ? `(${quoted[0]},)` : `(${quoted.join(", ")})`;
}

function asPython(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "None" : JSON.stringify(value);
}
