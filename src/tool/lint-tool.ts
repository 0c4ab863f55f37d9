import { pointerToken } from "../json/pointer.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { LintFinding } from "../schema/lint/lint.ts";
import { lintSchema } from "../schema/lint/schema.ts";
import { closest } from "../schema/suggest.ts";
import type { Tool, ToolAnnotations } from "./tool.ts";

/** Every field of a tool: the compiler asks for a new one here. */
const fields: Record<keyof Tool, true> = {
  name: true,
  description: true,
  title: true,
  tags: true,
  strict: true,
  timeoutMs: true,
  concurrency: true,
  resultBytes: true,
  retries: true,
  isolation: true,
  module: true,
  annotations: true,
  requires: true,
  contentBlocks: true,
  parameters: true,
  response: true,
  execute: true,
};
const annotations: Record<keyof ToolAnnotations, true> = {
  readOnly: true,
  destructive: true,
  idempotent: true,
  openWorld: true,
};

/** What other frameworks call a field. */
const foreignFields: Readonly<Record<string, keyof Tool>> = {
  inputSchema: "parameters",
  input_schema: "parameters",
  argsSchema: "parameters",
  schema: "parameters",
  params: "parameters",
  outputSchema: "response",
  responseSchema: "response",
  resultSchema: "response",
  output_schema: "response",
  returns: "response",
  timeLimit: "timeoutMs",
  timeLimitMs: "timeoutMs",
  timeoutSeconds: "timeoutMs",
  maxConcurrency: "concurrency",
  maxResultBytes: "resultBytes",
  maxRetries: "retries",
  retry: "retries",
};
const foreignFunctions = ["handler", "handle", "run", "call", "func", "fn", "function", "callback", "invoke", "cb"];

/**
 * Finds fields of a tool and keywords of its schemas that its author probably misspelt. Fields that resemble no known one
 * are the tool's own affair: `execute` may use them.
 * @param given the tool as its author wrote it; the names of its fields are looked at, and no values
 * @param tool the same, as readTool gives it, once it is registered
 */
export function lintTool(given: object, tool: Tool): LintFinding[] {
  return [
    ...lintFields(fieldNames(given)),
    ...Object.keys(tool.annotations ?? {}).flatMap(lintAnnotation),
    ...lintAt("/parameters", tool.parameters),
    ...(tool.response === undefined ? [] : lintAt("/response", tool.response)),
  ];
}

/** What a field that a tool lacks was probably called, such as `handler` for `execute`. */
export function misspeltField(given: object, missing: keyof Tool): string | undefined {
  const names = fieldNames(given).filter((name) => !Object.hasOwn(fields, name));
  const foreign = missing === "execute" ? foreignFunctions : [];
  return names.find((name) => foreign.includes(name) || meantField(name) === missing);
}

function lintFields(names: readonly string[]): LintFinding[] {
  const unknown = names.filter((name) => !Object.hasOwn(fields, name) && !name.startsWith("_"));
  return unknown.flatMap((name): LintFinding[] => {
    const meant = meantField(name);
    if (meant === undefined) return [];
    const path = pointerToken(name);
    return [{ path, message: `${name} is not a field of a tool and has no effect; did you mean ${meant}?` }];
  });
}

function meantField(name: string): string | undefined {
  if (Object.hasOwn(foreignFields, name)) return foreignFields[name];
  const annotation = meantAnnotation(name);
  if (annotation !== undefined) return `annotations.${annotation}`;
  return closest(name, Object.keys(fields));
}

function lintAnnotation(name: string): LintFinding[] {
  if (Object.hasOwn(annotations, name)) return [];
  const meant = meantAnnotation(name);
  if (meant === undefined) return [];
  const path = `/annotations${pointerToken(name)}`;
  return [{ path, message: `${name} is not an annotation and has no effect; did you mean ${meant}?` }];
}

/** MCP adds `Hint` to each. */
function meantAnnotation(name: string): string | undefined {
  return closest(name.replace(/_?hint$/i, ""), Object.keys(annotations));
}

function lintAt(place: string, schema: JsonSchema): LintFinding[] {
  return lintSchema(schema).map(({ path, message }) => ({ path: place + path, message }));
}

/** Inherited ones too: a tool may be an object of a class. */
function fieldNames(given: object): string[] {
  const names: string[] = [];
  try {
    for (const name in given) names.push(name);
  } catch {
    // A proxy may refuse to be listed, and is a tool all the same.
  }
  return names;
}
