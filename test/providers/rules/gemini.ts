import { type Breach, isObject, nameOf, repeated } from "./breach.ts";
import { jsonRules } from "./gemini-json.ts";
import { checkOpenApiSchema } from "./gemini-openapi.ts";
import { pointer } from "./schema-nodes.ts";
import { breachesOf } from "./schema-rules.ts";
import { type Fields, misfits } from "./shape.ts";

/** Source: the types of @google/genai 2, `FunctionDeclaration`. `behavior` is for live sessions. */
const declarationFields: Fields = {
  name: "string",
  description: "string?",
  parameters: "object?",
  parametersJsonSchema: "object?",
  response: "object?",
  responseJsonSchema: "object?",
};

const nameMessage =
  "[FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.";

/** The rules of Gemini for `tools`. */
export function checkGeminiTools(tools: unknown): Breach[] {
  if (!Array.isArray(tools))
    return [whole("shape", `Invalid value at 'tools' (type.googleapis.com/Tool), a list is expected`)];
  const declarations = tools.flatMap(declarationsOf);
  const found = tools.flatMap((tool, index) => toolBreaches(tool, index));
  if (tools.length > 1) {
    found.push(whole("one-tool", "Multiple tools are supported only when they are all search tools."));
  }
  if (declarations.length > 512) {
    found.push(whole("count", `At most 512 function declarations are supported, got ${declarations.length}.`));
  }
  for (const name of repeated(declarations.map(nameOf))) {
    found.push({ ...whole("duplicate-name", `Duplicate function declaration found: ${name}`), tool: name });
  }
  return found;
}

function whole(rule: string, message: string): Breach {
  return { tool: "", path: "", rule, message };
}

function declarationsOf(tool: unknown): unknown[] {
  const declarations = isObject(tool) ? tool["functionDeclarations"] : undefined;
  return Array.isArray(declarations) ? declarations : [];
}

function toolBreaches(tool: unknown, index: number): Breach[] {
  const at = `tools[${index}]`;
  if (!isObject(tool)) return [whole("shape", `Invalid value at '${at}', a message is expected`)];
  return [
    ...misfits(tool, { functionDeclarations: "array" }).map(({ field, problem }) =>
      misfit("", at, field, problem, "list"),
    ),
    ...declarationsOf(tool).flatMap((declaration, place) =>
      declarationBreaches(declaration, `${at}.function_declarations[${place}]`),
    ),
  ];
}

function declarationBreaches(declaration: unknown, at: string): Breach[] {
  if (!isObject(declaration)) return [whole("shape", `Invalid value at '${at}', a message is expected`)];
  const tool = nameOf(declaration);
  const found = misfits(declaration, declarationFields).map(({ field, problem, expected }) =>
    misfit(tool, at, field, problem, expected),
  );
  if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(tool)) {
    found.push({ tool, path: "/name", rule: "name", message: `${at}.name: ${nameMessage}` });
  }
  for (const [old, fresh] of [
    ["parameters", "parametersJsonSchema"],
    ["response", "responseJsonSchema"],
  ] as const) {
    if (!Object.hasOwn(declaration, old) || !Object.hasOwn(declaration, fresh)) continue;
    const message = `${at}: only one of '${old}' and '${fresh}' may be set.`;
    found.push({ tool, path: pointer([fresh]), rule: "one-schema", message });
  }
  return [
    ...found,
    ...checkOpenApiSchema(declaration["parameters"], tool, `${at}.parameters`),
    ...jsonBreaches(declaration["parametersJsonSchema"], tool, at),
  ];
}

function jsonBreaches(schema: unknown, tool: string, at: string): Breach[] {
  if (!isObject(schema)) return [];
  return breachesOf(schema, jsonRules, {
    tool,
    steps: ["parametersJsonSchema"],
    say: (message, { steps }) => `${at}.parameters_json_schema${pointer(steps)}: ${message}`,
  });
}

function misfit(
  tool: string,
  at: string,
  field: string,
  problem: "unknown" | "missing" | "kind",
  expected: string,
): Breach {
  const message = {
    unknown: `Invalid JSON payload received. Unknown name "${field}" at '${at}': Cannot find field.`,
    missing: `${at}.${field}: required field is missing.`,
    kind: `Invalid value at '${at}.${field}', ${expected} is expected`,
  }[problem];
  return { tool, path: pointer([field]), rule: "shape", message };
}
