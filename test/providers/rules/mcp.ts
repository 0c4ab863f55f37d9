import { type Breach, isObject, nameOf, repeated } from "./breach.ts";
import { draft2020, draftOf, whyNoSchema, whyUnresolved } from "./metaschema.ts";
import { resolve } from "./references.ts";
import { pointer, schemaNodes } from "./schema-nodes.ts";
import { breachesOf, isRoot, rootIsObject, type SchemaRule } from "./schema-rules.ts";
import { type Fields, misfits } from "./shape.ts";

/** Source: modelcontextprotocol.io/specification, revision 2025-11-25, `Tool`. */
const toolFields: Fields = {
  name: "string",
  title: "string?",
  description: "string?",
  inputSchema: "object",
  outputSchema: "object?",
  annotations: "object?",
  icons: "array?",
  execution: "object?",
  _meta: "object?",
};
const annotationFields: Fields = {
  title: "string?",
  readOnlyHint: "boolean?",
  destructiveHint: "boolean?",
  idempotentHint: "boolean?",
  openWorldHint: "boolean?",
};

const schemaRules: readonly SchemaRule[] = [
  rootIsObject(() => 'expected type "object"'),
  {
    // Clients of the TypeScript SDK read each property as an object.
    rule: "boolean-schema",
    broken: ({ value, keyword, steps }) =>
      keyword === "properties" && steps.length === 2 && !isObject(value) && "a property's schema must be an object",
  },
  {
    rule: "properties",
    broken: (node) =>
      isRoot(node) &&
      Object.hasOwn(node.schema, "properties") &&
      !isObject(node.schema["properties"]) &&
      "properties must be an object",
  },
  {
    rule: "draft",
    broken: (node) => isRoot(node) && draftOf(node.value) !== draft2020 && `$schema must name ${draft2020}`,
  },
  {
    rule: "metaschema",
    broken: (node) => isRoot(node) && whyNoSchema(node.value, draft2020),
  },
  {
    rule: "reference",
    broken: (node) => isRoot(node) && hasFarReference(node.value) && whyUnresolved(node.value, draft2020),
  },
];

/** The rules of the Model Context Protocol for `tools` of a `tools/list` result. */
export function checkMcpTools(tools: unknown): Breach[] {
  if (!Array.isArray(tools)) return [{ tool: "", path: "", rule: "shape", message: "tools: expected an array" }];
  return [
    ...repeated(tools.map(nameOf)).map((tool) => ({
      tool,
      path: "",
      rule: "duplicate-name",
      message: `${tool} stands twice`,
    })),
    ...tools.flatMap(checkTool),
  ];
}

function checkTool(tool: unknown): Breach[] {
  if (!isObject(tool)) return [{ tool: "", path: "", rule: "shape", message: "expected an object" }];
  const name = nameOf(tool);
  const annotations = isObject(tool["annotations"]) ? tool["annotations"] : {};
  const found = [
    ...misfits(tool, toolFields).map((misfit) => ({ ...misfit, path: pointer([misfit.field]) })),
    ...misfits(annotations, annotationFields).map((misfit) => ({
      ...misfit,
      path: pointer(["annotations", misfit.field]),
    })),
  ].map(({ path, field, problem }): Breach => ({ tool: name, path, rule: "shape", message: `${field}: ${problem}` }));
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(name)) {
    const message = "a name should have 1 to 128 characters of A-Z, a-z, 0-9, underscore, hyphen and dot";
    found.push({ tool: name, path: "/name", rule: "name", message });
  }
  return [...found, ...["inputSchema", "outputSchema"].flatMap((field) => schemaBreaches(tool[field], name, field))];
}

function schemaBreaches(schema: unknown, tool: string, field: string): Breach[] {
  if (!isObject(schema)) return [];
  return breachesOf(schema, schemaRules, {
    tool,
    steps: [field],
    say: (message, { steps }) => `${field}${pointer(steps)}: ${message}`,
  });
}

/** Whether there is a reference that is no plain pointer to what is there. */
function hasFarReference(root: unknown): boolean {
  return schemaNodes(root).some(
    ({ schema }) => Object.hasOwn(schema, "$ref") && resolve(root, schema["$ref"]) === undefined,
  );
}
