import { type Breach, isObject, type Json, nameOf, repeated } from "./breach.ts";
import { resolve } from "./references.ts";
import { pointer, schemaNodes } from "./schema-nodes.ts";
import { type Fields, misfits } from "./shape.ts";

/**
 * The structs of ollama/ollama, api/types.go. A field of another kind cannot be decoded and fails the request; one that
 * is none is dropped in silence, which is a loss that nobody hears of, so it counts as a breach.
 */
const structs = {
  Tool: { type: "string", function: "object", items: "any?" },
  ToolFunction: { name: "string", description: "string?", parameters: "object" },
  ToolFunctionParameters: {
    type: "string",
    $defs: "any?",
    items: "any?",
    required: "strings?",
    properties: "object",
  },
  ToolProperty: {
    anyOf: "array?",
    type: "string|strings?",
    items: "any?",
    description: "string?",
    enum: "array?",
    properties: "object?",
    required: "strings?",
  },
} as const satisfies Record<string, Fields>;

interface Struct {
  readonly struct: keyof typeof structs;
  readonly value: unknown;
  readonly steps: readonly (string | number)[];
}

/** The rules of Ollama's /api/chat for `tools`. */
export function checkOllamaTools(tools: unknown): Breach[] {
  if (!Array.isArray(tools)) {
    const message = "json: cannot unmarshal object into Go struct field ChatRequest.tools of type []api.Tool";
    return [{ tool: "", path: "", rule: "shape", message }];
  }
  const names = tools.map((tool) => (isObject(tool) ? nameOf(tool["function"]) : ""));
  return [
    ...repeated(names).map((tool) => ({ tool, path: "", rule: "duplicate-name", message: `duplicate tool ${tool}` })),
    ...tools.flatMap((value, index) => toolBreaches(value, names[index] ?? "")),
  ];
}

function toolBreaches(value: unknown, tool: string): Breach[] {
  const found: Breach[] = [];
  const open: Struct[] = [{ struct: "Tool", value, steps: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(...structBreaches(next, tool));
    if (isObject(next.value)) open.push(...inside(next.struct, next.value, next.steps));
  }
  const parameters = isObject(value) && isObject(value["function"]) ? value["function"]["parameters"] : undefined;
  return [...found, ...wholeBreaches(value, parameters, tool)];
}

function structBreaches({ struct, value, steps }: Struct, tool: string): Breach[] {
  if (!isObject(value)) {
    const message = `json: cannot unmarshal ${goKind(value)} into Go struct field of type api.${struct}`;
    return [{ tool, path: pointer(steps), rule: "kind", message }];
  }
  return misfits(value, structs[struct]).map(({ field, problem, expected }) => ({
    tool,
    path: pointer([...steps, field]),
    rule: { unknown: "dropped", missing: "missing", kind: "kind" }[problem],
    message: {
      unknown: `api.${struct} has no field "${field}": it is dropped in silence`,
      missing: `api.${struct} needs the field "${field}"`,
      kind: `json: cannot unmarshal ${goKind(value[field])} into Go struct field ${struct}.${field} of type ${goType(field, expected)}`,
    }[problem],
  }));
}

function inside(struct: Struct["struct"], value: Json, steps: Struct["steps"]): Struct[] {
  const properties = isObject(value["properties"]) ? Object.entries(value["properties"]) : [];
  const branches: unknown[] = Array.isArray(value["anyOf"]) ? value["anyOf"] : [];
  const property = (child: unknown, ...more: (string | number)[]): Struct => ({
    struct: "ToolProperty",
    value: child,
    steps: [...steps, ...more],
  });
  switch (struct) {
    case "Tool":
      return isObject(value["function"])
        ? [{ struct: "ToolFunction", value: value["function"], steps: [...steps, "function"] }]
        : [];
    case "ToolFunction":
      return isObject(value["parameters"])
        ? [{ struct: "ToolFunctionParameters", value: value["parameters"], steps: [...steps, "parameters"] }]
        : [];
    case "ToolFunctionParameters":
      return properties.map(([key, child]) => property(child, "properties", key));
    case "ToolProperty":
      return [
        ...properties.map(([key, child]) => property(child, "properties", key)),
        ...branches.map((child, index) => property(child, "anyOf", index)),
      ];
  }
}

/** What no single struct shows: the fixed words, and references inside `items`, which travels as it is. */
function wholeBreaches(value: unknown, parameters: unknown, tool: string): Breach[] {
  const found: Breach[] = [];
  if (isObject(value) && value["type"] !== "function") {
    found.push({ tool, path: "/type", rule: "shape", message: 'a tool must have the type "function"' });
  }
  if (!isObject(parameters)) return found;
  if (parameters["type"] !== "object") {
    const path = "/function/parameters/type";
    found.push({ tool, path, rule: "root-type", message: 'parameters must have the type "object"' });
  }
  for (const { schema, steps } of schemaNodes(parameters)) {
    if (!Object.hasOwn(schema, "$ref") || resolve(parameters, schema["$ref"]) !== undefined) continue;
    const path = pointer(["function", "parameters", ...steps]);
    found.push({ tool, path, rule: "reference", message: `$ref ${String(schema["$ref"])} points at nothing` });
  }
  return found;
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function goType(field: string, expected: string): string {
  if (field === "properties") return "map[string]api.ToolProperty";
  return expected.replace("strings", "[]string").replace("array", "[]interface {}");
}
