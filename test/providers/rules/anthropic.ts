import { budgetBreaches, strictRules } from "./anthropic-strict.ts";
import { type Breach, isObject, nameOf, repeated } from "./breach.ts";
import { pointer, propertyNames } from "./schema-nodes.ts";
import {
  breachesOf,
  isDraft2020,
  isRoot,
  referencesResolve,
  rootIsObject,
  rootWithout,
  type SchemaRule,
} from "./schema-rules.ts";
import { type Fields, misfits } from "./shape.ts";

/** Source: the types of the npm package @anthropic-ai/sdk 1. */
const fields: Fields = {
  name: "string",
  description: "string?",
  input_schema: "object",
  strict: "boolean?",
  type: "string|null?",
  cache_control: "object|null?",
  defer_loading: "boolean?",
  input_examples: "array?",
  eager_input_streaming: "boolean|null?",
  allowed_callers: "strings?",
};

const plainRules: readonly SchemaRule[] = [
  rootIsObject((type) => (type === undefined ? ".type: Field required" : ".type: Input should be 'object'")),
  rootWithout(["oneOf", "allOf", "anyOf"], ": input_schema does not support oneOf, allOf, or anyOf at the top level"),
  {
    rule: "property-key",
    broken: (node) =>
      isRoot(node) &&
      propertyNames(node.schema).some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)) &&
      ".properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
  },
  isDraft2020(
    (why) =>
      `: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12): ${why}`,
  ),
  referencesResolve((reference) => `: reference '${String(reference)}' points at nothing`),
];

/** The rules of Anthropic for `tools`; one broken tool fails the whole request, and strict ones share a budget. */
export function checkAnthropicTools(tools: unknown): Breach[] {
  if (!Array.isArray(tools)) {
    return [{ tool: "", path: "", rule: "shape", message: "tools: Input should be a valid array" }];
  }
  return [
    ...repeated(tools.map(nameOf)).map((tool) => ({
      tool,
      path: "",
      rule: "duplicate-name",
      message: "tools: Tool names must be unique.",
    })),
    ...budgetBreaches(tools),
    ...tools.flatMap(checkTool),
  ];
}

function checkTool(tool: unknown, index: number): Breach[] {
  const at = `tools.${index}.custom`;
  if (!isObject(tool)) return [{ tool: "", path: "", rule: "shape", message: `${at}: Input should be an object` }];
  const name = nameOf(tool);
  const found = misfits(tool, fields).map(({ field, problem, expected }) => ({
    tool: name,
    path: pointer([field]),
    rule: "shape",
    message: {
      unknown: `${at}.${field}: Extra inputs are not permitted`,
      missing: `${at}.${field}: Field required`,
      kind: `${at}.${field}: Input should be a valid ${expected}`,
    }[problem],
  }));
  if (typeof tool["name"] === "string" && !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
    const message = `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    found.push({ tool: name, path: "/name", rule: "name", message });
  }
  const type = tool["type"] ?? "custom";
  if (type !== "custom")
    found.push({ tool: name, path: "/type", rule: "shape", message: `${at}: Input tag is unknown` });
  if (!isObject(tool["input_schema"])) return found;
  const strict = tool["strict"] === true;
  return [
    ...found,
    ...breachesOf(tool["input_schema"], plainRules, {
      tool: name,
      steps: ["input_schema"],
      say: (message) => `${at}.input_schema${message}`,
    }),
    ...breachesOf(tool["input_schema"], strict ? strictRules : [], {
      tool: name,
      steps: ["input_schema"],
      say: (message) => `${at}: ${message}`,
    }),
  ];
}
