import { inQuotes } from "../json/in-quotes.ts";
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

/** The names of a field in other frameworks. */
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
 * Finds fields of a tool and keywords of its schemas that its author probably misspelt. Fields that resemble no known
 * one are the tool's own affair: `execute` may use them.
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

/** Fields that a tool must have. */
const required = ["name", "description", "parameters", "execute"] as const;
/** Where the declarations of a provider hold what a tool has as its own fields. */
const wrappers: Readonly<Record<string, string>> = {
  function: "OpenAI",
  functionDeclarations: "Gemini",
  function_declarations: "Gemini",
  toolSpec: "Bedrock",
};

/**
 * What to rename or to move if a tool that lacks a required field is written in the form of another library. It names
 * all such fields, so that one correction is enough.
 * @returns the end of a message; empty if nothing in the tool resembles the field
 */
export function hintAtForeignForm(given: object, missing: (typeof required)[number]): string {
  const names = fieldNames(given);
  const wrapper = names.find((name) => isWrapper(given, name));
  if (wrapper !== undefined) {
    return `; it is a declaration of ${wrappers[wrapper]}'s format: move "name", "description" and "parameters" out of "${wrapper}"`;
  }
  const lacking = required.filter((field) => field === missing || (given as Partial<Tool>)[field] === undefined);
  const pairs = lacking.flatMap((field) => {
    const written = names.find((name) => !Object.hasOwn(fields, name) && isMeant(name, field));
    return written === undefined ? [] : [{ field, written }];
  });
  if (!pairs.some(({ field }) => field === missing)) return "";
  const written = pairs.map((pair) => pair.written);
  const meant = pairs.map(({ field }) => field);
  const are = pairs.length === 1 ? "is not a field" : "are not fields";
  return `; ${inQuotes(written, " and ")} ${are} of a tool, did you mean ${inQuotes(meant, " and ")}?`;
}

function isWrapper(given: object, name: string): boolean {
  if (!Object.hasOwn(wrappers, name)) return false;
  const wrapped = (given as Readonly<Record<string, unknown>>)[name];
  return typeof wrapped === "object" && wrapped !== null;
}

function isMeant(name: string, field: keyof Tool): boolean {
  return (field === "execute" && foreignFunctions.includes(name)) || meantField(name) === field;
}

function lintFields(names: readonly string[]): LintFinding[] {
  const unknown = names.filter((name) => !Object.hasOwn(fields, name) && !name.startsWith("_"));
  return unknown.flatMap((name): LintFinding[] => {
    const meant = meantField(name);
    if (meant === undefined) return [];
    const path = pointerToken(name);
    return [
      { path, message: `${JSON.stringify(name)} is not a field of a tool and has no effect; did you mean "${meant}"?` },
    ];
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
  return [
    { path, message: `${JSON.stringify(name)} is not an annotation and has no effect; did you mean "${meant}"?` },
  ];
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
