import { Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft06 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import type { JsonObject } from "../json/object.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { DraftName } from "./keywords.ts";
import { subschemas } from "./walk.ts";

/** A version of JSON Schema: its name, its URI and the validator that ajv has for it. */
export interface Draft {
  readonly name: DraftName;
  readonly uri: string;
  createAjv(options: Options): Ajv;
}

const draft2020: Draft = {
  name: "2020-12",
  uri: "https://json-schema.org/draft/2020-12/schema",
  createAjv: (options) => new Ajv2020(options),
};
const draft2019: Draft = {
  name: "2019-09",
  uri: "https://json-schema.org/draft/2019-09/schema",
  createAjv: (options) => new Ajv2019(options),
};
const draft7: Draft = {
  name: "draft-07",
  uri: "http://json-schema.org/draft-07/schema",
  createAjv: (options) => new Ajv(options),
};
const draft6: Draft = {
  name: "draft-06",
  uri: "http://json-schema.org/draft-06/schema",
  createAjv: (options) => {
    const ajv = new Ajv(options);
    return options.meta === false ? ajv : ajv.addMetaSchema(draft06, undefined, false);
  },
};
const draft4Uri = "http://json-schema.org/draft-04/schema";

const drafts = new Map([draft2020, draft2019, draft7, draft6].map((draft) => [draft.uri, draft]));

/**
 * The draft of a schema by its `$schema` (2020-12 if it is absent), and the schema in that draft: draft-04 is
 * rewritten as draft-07. The scheme of the URI and an empty fragment are ignored. Two common mistakes are accepted:
 * boolean exclusive bounds without a `$schema` are read as draft-04, and a type that is listed twice counts once.
 * @throws Error for another dialect
 */
export function readDraft(source: JsonSchema): { draft: Draft; schema: JsonSchema } {
  if (typeof source === "boolean") return { draft: draft2020, schema: source };
  const { repeatsTypes, isDraft4 } = findOddities(source);
  const schema = repeatsTypes ? listTypesOnce(structuredClone(source)) : source;
  if (schema["$schema"] === undefined) return isDraft4 ? upgradeFromDraft4(schema) : { draft: draft2020, schema };
  const named = schema["$schema"];
  if (typeof named !== "string") throw new Error("$schema is not a string");
  const uri = normalUri(named);
  if (uri === draft4Uri) return upgradeFromDraft4(schema);
  const draft = drafts.get(uri);
  if (draft === undefined) throw new Error(`$schema names a dialect that is not supported: ${named}`);
  return { draft, schema: named === uri ? schema : { ...schema, $schema: uri } };
}

interface Oddities {
  /** A type is listed twice. */
  repeatsTypes: boolean;
  /** It contains something that only draft-04 has. */
  isDraft4: boolean;
}

function findOddities(schema: JsonObject, found: Oddities = { repeatsTypes: false, isDraft4: false }): Oddities {
  const { type, exclusiveMinimum, exclusiveMaximum } = schema;
  if (Array.isArray(type) && new Set(type).size < type.length) found.repeatsTypes = true;
  if (typeof exclusiveMinimum === "boolean" || typeof exclusiveMaximum === "boolean") found.isDraft4 = true;
  for (const { schema: child } of subschemas(schema)) if (typeof child === "object") findOddities(child, found);
  return found;
}

/** @param schema a copy, in which types are then listed once */
function listTypesOnce(schema: JsonObject): JsonObject {
  if (Array.isArray(schema["type"])) schema["type"] = [...new Set<unknown>(schema["type"])];
  for (const { schema: child } of subschemas(schema)) if (typeof child === "object") listTypesOnce(child);
  return schema;
}

function upgradeFromDraft4(schema: JsonObject): { draft: Draft; schema: JsonSchema } {
  return { draft: draft7, schema: upgradeDraft4(structuredClone({ ...schema, $schema: draft7.uri })) };
}

function normalUri(uri: string): string {
  const bare = uri
    .trim()
    .replace(/#$/, "")
    .replace(/^https?:/, "");
  const scheme = /\/draft-0\d\//.test(bare) ? "http:" : "https:";
  return scheme + bare;
}

/**
 * draft-04 differs from draft-07 in `id` and in the two booleans `exclusiveMinimum` and `exclusiveMaximum`. Changes the
 * given schema, which is a copy: a copy for each level would take time in proportion to size and depth.
 */
function upgradeDraft4(schema: JsonObject): JsonObject {
  const upgraded = rewriteDraft4(schema);
  for (const { holder, key, schema: child } of subschemas(upgraded)) {
    if (typeof child === "object") holder[key] = upgradeDraft4(child);
  }
  return upgraded;
}

function rewriteDraft4(schema: JsonObject): JsonObject {
  const { id, exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = schema;
  const written: JsonObject = rest;
  if (typeof id === "string") written["$id"] = id;
  if (minimum !== undefined) written[exclusiveMinimum === true ? "exclusiveMinimum" : "minimum"] = minimum;
  if (maximum !== undefined) written[exclusiveMaximum === true ? "exclusiveMaximum" : "maximum"] = maximum;
  if (typeof exclusiveMinimum === "number") written["exclusiveMinimum"] = exclusiveMinimum;
  if (typeof exclusiveMaximum === "number") written["exclusiveMaximum"] = exclusiveMaximum;
  return written;
}
