import { isJsonObject, type JsonObject } from "../json/object.ts";
import type { JsonSchema } from "./json-schema.ts";
import { keywordsWhere } from "./keywords.ts";
import { readDocument, type SchemaDocument } from "./resolve.ts";

/** Keywords next to a reference that do not restrict the value. */
const idle = new Set([...keywordsWhere(({ role }) => role === "store" || role === "note"), "$schema", "$id"]);
/** Keywords about the members that no other keyword names. */
const dependent = ["additionalProperties", "unevaluatedProperties"];
/** A name that two schemas have is ambiguous. */
const names = keywordsWhere(({ role, name }) => role === "name" && name !== "$schema");

/**
 * The schema of a root that refers to one of its own definitions, as recursive models are written: the target of
 * the reference, through any number of others. @throws Error
 */
export function followRoot(root: JsonObject): JsonObject {
  const followed = new Set<JsonObject>();
  let document: SchemaDocument | undefined;
  let node = root;
  while (node["type"] === undefined && typeof node["$ref"] === "string") {
    followed.add(node);
    document ??= readDocument(root);
    const target = document.resolve(node["$ref"], node)?.node;
    const reference = JSON.stringify(root["$ref"]);
    if (!isJsonObject(target))
      throw new Error(`the root's $ref ${reference} does not lead to a schema in the same document`);
    if (followed.has(target)) throw new Error(`the root's $ref ${reference} leads back to itself`);
    node = target;
  }
  return node;
}

/**
 * A root that refers to a definition, replaced by that definition, for readers that expect `type` and `properties`
 * there. References to the definition itself stay. Other schemas are returned unchanged.
 */
export function inlineRoot(root: JsonObject): JsonObject;
export function inlineRoot(root: JsonSchema): JsonSchema;
export function inlineRoot(root: JsonSchema): JsonSchema {
  if (!isJsonObject(root) || root["type"] !== undefined || typeof root["$ref"] !== "string") return root;
  const target = followRoot(root);
  const { $ref: _, ...beside } = root;
  const isApart = Object.keys(beside).every(
    (key) => idle.has(key) || !(Object.hasOwn(target, key) || dependent.includes(key)),
  );
  const isClosed = dependent.some((key) => Object.hasOwn(target, key));
  const asksMore = Object.keys(beside).some((key) => !idle.has(key));
  if (!isApart || (isClosed && asksMore) || typeof target["$id"] === "string" || typeof target["$ref"] === "string") {
    return { ...root, type: "object" };
  }
  const own = Object.fromEntries(Object.entries(target).filter(([key]) => !names.has(key)));
  return { ...own, ...beside, type: "object" };
}
