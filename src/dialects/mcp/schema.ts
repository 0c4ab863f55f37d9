import { isJsonObject, type JsonObject, setOwn } from "../../json/object.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { fromBoolean, modernise, setReferences } from "../../schema/modern.ts";
import { isModern } from "../../schema/modern-document.ts";
import { readDraft } from "../../schema/draft.ts";
import { inlineRoot } from "../../schema/root.ts";
import { subschemas } from "../../schema/walk.ts";
import type { ResultForm } from "./result-form.ts";

/** A schema in 2020-12, which all clients support, and the places where it accepts more than the tool does. */
export interface McpSchema {
  readonly schema: JsonObject;
  /** JSON Pointers to references that cannot be resolved outside the tool's own check. */
  readonly widened: readonly string[];
}

/** MCP accepts any JSON Schema with an object at the root. Arguments have `properties`, which some clients require. */
export function toInputSchema(source: JsonSchema): McpSchema {
  const { schema, widened } = toDraft2020(inlineRoot(source));
  const properties = isJsonObject(schema["properties"]) ? {} : { properties: {} };
  return { schema: { ...schema, type: "object", ...properties }, widened };
}

/**
 * The schema of a result, if it has one. Sources: modelcontextprotocol.io/specification, tools, "Output Schema", revisions
 * 2025-11-25 (the root is an object) and 2026-07-28 (any schema).
 */
export function outputSchemaOf(response: JsonSchema | undefined, form: ResultForm = "wrapped"): JsonObject | undefined {
  if (response === undefined || (response !== false && !isMeaningful(response))) return undefined;
  if (form === "plain") return toDraft2020(response).schema;
  if (response === false || response["type"] !== "object") return wrap(response);
  return { ...toDraft2020(response).schema, type: "object" };
}

/** Whether a result is wrapped as `{"result": …}`. Without a meaningful schema the value itself decides. */
export function wrapsResult(response: JsonSchema | undefined, result: unknown, form: ResultForm = "wrapped"): boolean {
  if (form === "plain") return false;
  return !isJsonObject(result) || (isMeaningful(response) && response["type"] !== "object");
}

function isMeaningful(response: JsonSchema | undefined): response is JsonObject {
  return isJsonObject(response) && Object.keys(response).length > 0;
}

/** Always rewritten: the references of the schema start at its root, which moves. */
function wrap(response: JsonSchema): JsonObject {
  const { schema } = rewrite(response, "#/properties/result");
  const { $defs, ...result } = schema;
  const definitions = $defs === undefined ? {} : { $defs };
  return { type: "object", properties: { result }, required: ["result"], ...definitions };
}

/** A copy: unchanged if every reader reads it as 2020-12, otherwise rewritten. */
function toDraft2020(source: JsonSchema): McpSchema {
  if (typeof source === "boolean") return { schema: fromBoolean(source), widened: [] };
  const { draft, schema } = readDraft(source);
  if (!isJsonObject(schema) || !isModern(draft, schema)) return rewrite(source, "#");
  const copy = JSON.parse(JSON.stringify(schema)) as JsonObject;
  writeBooleansAsObjects(copy);
  return { schema: copy, widened: [] };
}

/** @param rootReference a reference to the root of the schema */
function rewrite(source: JsonSchema, rootReference: string): McpSchema {
  const modern = modernise(source);
  const toReference = (name: string): string => (name === modern.rootName ? rootReference : `#/$defs/${name}`);
  for (const written of [modern.root, ...modern.definitions.values()]) setReferences(written, toReference);
  const $defs: JsonObject = {};
  for (const [name, definition] of modern.definitions) if (name !== modern.rootName) setOwn($defs, name, definition);
  const definitions = Object.keys($defs).length === 0 ? {} : { $defs };
  return { schema: { ...modern.root, ...definitions }, widened: modern.unresolved };
}

/** Some clients, such as those of the TypeScript SDK, require each property to be an object. */
function writeBooleansAsObjects(schema: JsonObject): void {
  const nodes = [schema];
  // The list grows during the loop.
  for (const node of nodes) {
    for (const { schema: child, keyword, holder, key } of subschemas(node)) {
      if (typeof child === "object") nodes.push(child);
      else if (keyword === "properties") setOwn(holder, key, fromBoolean(child));
    }
  }
}
