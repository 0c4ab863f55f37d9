import { readParameterHeaders, type ParameterHeader, withoutHeaders } from "../../dialects/mcp/parameter-headers.ts";
import { reasonOf } from "../../errors/reason.ts";
import { isJsonObject, type JsonObject } from "../../json/object.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { checkParameters } from "../../schema/parameters.ts";
import { subschemas } from "../../schema/walk.ts";
import { checkForeignSchema } from "../../tool/foreign-schema.ts";
import type { ToolAnnotations } from "../../tool/tool.ts";
import { withoutInvisible } from "./clean-text.ts";

/** What models read of a tool at most, in UTF-16 code units. */
const maxDescriptionLength = 16_384;
const maxTitleLength = 512;

/** A tool of a server that can be offered. */
export interface ServerTool {
  readonly title?: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly parameters: JsonSchema;
  readonly response?: JsonSchema;
  /** Arguments that are repeated in headers of the request. */
  readonly headers: readonly ParameterHeader[];
  readonly warnings: readonly DeclarationWarning[];
}

export interface DeclarationWarning {
  readonly path?: string;
  readonly message: string;
}

/** The name of a tool, if it has one. */
export function nameOfDeclaration(declaration: unknown): string | undefined {
  const name = isJsonObject(declaration) ? declaration["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/**
 * Reads a declaration of `tools/list`. Its schemas are checked as those of strangers; a typeless input schema is an object.
 * @param text the declaration as JSON
 * @param needsHeaders the server is told arguments in headers, so faulty annotations of these make the tool useless
 * @throws Error with the reason why the tool cannot be offered
 */
export function readServerTool(text: string, needsHeaders: boolean): ServerTool {
  // A copy, in which texts are replaced.
  const declaration = JSON.parse(text) as JsonObject;
  const warnings: DeclarationWarning[] = [];
  const given = declaration["inputSchema"];
  if (!isJsonObject(given)) throw new Error("its inputSchema is not an object");
  const annotated = given["type"] === undefined && given["$ref"] === undefined ? { ...given, type: "object" } : given;
  const headers = annotated["x-mcp-header"] === undefined ? readParameterHeaders(annotated) : undefined;
  if (headers === undefined && needsHeaders) throw new Error("its x-mcp-header annotations are not valid");
  const parameters = headers?.length === 0 ? annotated : withoutHeaders(annotated);
  checkForeignSchema("inputSchema", parameters, checkParameters);
  cleanTexts(parameters, "inputSchema", warnings);
  const response = readResponse(declaration["outputSchema"], warnings);
  const hints = isJsonObject(declaration["annotations"]) ? declaration["annotations"] : {};
  const title = readText(declaration["title"] ?? hints["title"], "/title", maxTitleLength, warnings);
  const description = readText(declaration["description"], "/description", maxDescriptionLength, warnings);
  return {
    ...(title !== "" && { title }),
    description: description || title || withoutInvisible(nameOfDeclaration(declaration) ?? ""),
    annotations: readAnnotations(hints),
    parameters,
    ...(response !== undefined && { response }),
    headers: needsHeaders ? (headers ?? []) : [],
    warnings,
  };
}

/** A result can be passed on without its schema. */
function readResponse(schema: unknown, warnings: DeclarationWarning[]): JsonSchema | undefined {
  if (schema === undefined || schema === null) return undefined;
  try {
    if (!isJsonObject(schema)) throw new Error("outputSchema is not an object");
    checkForeignSchema("outputSchema", schema);
    cleanTexts(schema, "outputSchema", warnings);
    return schema;
  } catch (error) {
    const reason = reasonOf(error) ?? "it cannot be read";
    warnings.push({ path: "/response", message: `the schema of the result is left out, because ${reason}` });
    return undefined;
  }
}

function readText(value: unknown, path: string, maxLength: number, warnings: DeclarationWarning[]): string {
  if (typeof value !== "string") return "";
  const clean = withoutInvisible(value);
  if (clean.length !== value.length)
    warnings.push({ path, message: "contains invisible characters, which are left out" });
  if (/<\/?\s*(?:important|system|instructions?|secret|critical)\b[^>]{0,99}>/i.test(clean)) {
    warnings.push({ path, message: "contains a tag such as <IMPORTANT>, which may be an instruction for the model" });
  }
  if (clean.length <= maxLength) return clean.trim();
  warnings.push({ path, message: `is ${clean.length} characters long; the first ${maxLength} are used` });
  return `${clean.slice(0, maxLength).toWellFormed()}…`;
}

/** Models read the words of the arguments too. What counts for values stays as it is. */
function cleanTexts(root: JsonObject, name: string, warnings: DeclarationWarning[]): void {
  let found = false;
  const nodes = [root];
  // The list grows during the loop.
  for (const node of nodes) {
    for (const key of ["title", "description", "$comment"]) {
      const text = node[key];
      if (typeof text !== "string") continue;
      const clean = withoutInvisible(text);
      if (clean === text) continue;
      found ||= clean.length !== text.length;
      node[key] = clean;
    }
    for (const { schema } of subschemas(node)) if (typeof schema === "object") nodes.push(schema);
  }
  if (found) {
    const path = name === "inputSchema" ? "/parameters" : "/response";
    warnings.push({ path, message: "contains descriptions with invisible characters; these characters are left out" });
  }
}

const hintNames = {
  readOnly: "readOnlyHint",
  destructive: "destructiveHint",
  idempotent: "idempotentHint",
  openWorld: "openWorldHint",
} as const;

function readAnnotations(hints: JsonObject): ToolAnnotations {
  const read = Object.entries(hintNames).flatMap(([name, hint]) => {
    const value = hints[hint];
    return typeof value === "boolean" ? [[name, value]] : [];
  });
  return Object.fromEntries(read) as ToolAnnotations;
}
