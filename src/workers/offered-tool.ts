import type { ToolWarning } from "../core/observer.ts";
import { sha256 } from "../access/keys.ts";
import { canonicalJson } from "../json/canonical.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import { repairValue } from "../json/well-formed.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { checkParameters } from "../schema/parameters.ts";
import { closest } from "../schema/suggest.ts";
import { checkCount, checkName, checkTool } from "../tool/check-tool.ts";
import { checkForeignSchema } from "../tool/foreign-schema.ts";
import { prepareTool } from "../tool/prepared-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { bounds } from "./bounds.ts";
import type { TokenRights } from "./tokens.ts";

/** A tool of a registration that can be offered. */
export interface OfferedTool {
  readonly name: string;
  /** Of the whole declaration with its settings, and of the trust in it. */
  readonly key: string;
  readonly declaration: JsonObject;
  readonly trustsAnnotations: boolean;
  /** Names of fields that are not known, with suggestions. Undefined if there are none. */
  readonly note: string | undefined;
}

/** What a worker may say of a tool. `retries`, `requires` and `isolation` are the operator's. */
const fields = [
  "name",
  "description",
  "parameters",
  "response",
  "title",
  "timeoutMs",
  "concurrency",
  "resultBytes",
  "strict",
  "contentBlocks",
  "annotations",
  "tags",
] as const;

/** How many unknown fields are named. */
const maxNamed = 5;

/**
 * Reads what decides whether two tools are the same, without looking at the schemas.
 * @throws Error with the reason why the tool is refused
 */
export function readOfferedTool(given: unknown, rights: TokenRights): OfferedTool {
  if (!isJsonObject(given)) throw new Error("it is not an object");
  const { name } = given;
  checkName(name, given);
  if (!rights.mayOffer(name as string)) throw new Error("the token may not register a tool with this name");
  const known: JsonObject = {};
  for (const field of fields) if (Object.hasOwn(given, field) && given[field] !== null) known[field] = given[field];
  const declaration = repairValue(known) as JsonObject;
  const { trustsAnnotations } = rights;
  const key = sha256(canonicalJson([declaration, trustsAnnotations]));
  return { name: name as string, key, declaration, trustsAnnotations, note: noteOf(given) };
}

/** The name of a tool for the answer to a registration, if it has one that can be repeated. */
export function shownName(given: unknown, index: number): string {
  const name = isJsonObject(given) ? given["name"] : undefined;
  return typeof name === "string" && /^[\w.-]{1,64}$/.test(name) ? name : `tools[${index}]`;
}

/** A tool for the registry. Its schemas are those of strangers. */
export interface MadeTool {
  readonly tool: Tool;
  readonly concurrency: number;
  readonly warnings: readonly ToolWarning[];
}

/** @throws Error with the reason why the tool is refused */
export function makeTool({ name, declaration, note }: OfferedTool, execute: Tool["execute"]): MadeTool {
  const { parameters, response, concurrency, ...settings } = declaration;
  checkTexts(settings);
  checkCount("concurrency", concurrency as number | undefined);
  if (parameters === undefined) throw new Error('"parameters" is missing');
  checkForeignSchema("parameters", parameters as JsonSchema, checkParameters);
  if (response !== undefined) checkForeignSchema("response", response as JsonSchema);
  const tool = prepareTool({
    ...(settings as Pick<Tool, "name" | "description">),
    hasResponse: response !== undefined,
    schemas: () => ({ parameters: parameters as JsonSchema, response: response as JsonSchema | undefined }),
    execute,
  });
  checkTool(tool, settings);
  return {
    tool,
    concurrency: (concurrency as number | undefined) ?? Infinity,
    warnings: note === undefined ? [] : [{ name, message: note }],
  };
}

function checkTexts({ description, title, tags }: JsonObject): void {
  const limit = (what: string, text: unknown, length: number): void => {
    if (typeof text === "string" && text.length > length) throw new Error(`${what} is over ${length} characters long`);
  };
  limit("the description", description, bounds.descriptionLength);
  limit("the title", title, bounds.titleLength);
  if (!Array.isArray(tags)) return;
  if (tags.length > bounds.tags) throw new Error(`it has over ${bounds.tags} tags`);
  for (const tag of tags) limit("a tag", tag, bounds.tagLength);
}

function noteOf(given: JsonObject): string | undefined {
  const unknown = Object.keys(given).filter((key) => !(fields as readonly string[]).includes(key));
  if (unknown.length === 0) return undefined;
  const named = unknown.slice(0, maxNamed).map((key) => {
    const meant = closest(key, fields);
    const field = /^[a-zA-Z_]\w{0,63}$/.test(key) ? `the field "${key}"` : "a field";
    return `${field} is unknown${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
  });
  const left = unknown.length - named.length;
  return [...named, ...(left > 0 ? [`${left} more fields are unknown`] : [])].join("; ");
}
