import { isJsonObject, type JsonObject } from "../json/object.ts";
import { resolveFragment } from "../json/pointer.ts";
import type { JsonSchema } from "./json-schema.ts";
import { reachableSchemas } from "./walk.ts";

/** Names and words of a schema: they may stand beside a reference without a part in what it asks. */
const idle = new Set("$schema $id $comment $defs definitions title description default examples".split(" "));
/** They speak of the members that no keyword beside them names. */
const dependent = ["additionalProperties", "unevaluatedProperties"];
/** A name that stands twice means neither. */
const names = ["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];

/**
 * The schema of a root that refers to one of its own definitions, as recursive models are written: what the reference
 * leads to, over as many others as it takes.
 * @throws Error that goes on from "parameters: "
 */
export function followRoot(root: JsonObject): JsonObject {
  const followed = new Set<JsonObject>();
  let node = root;
  while (node["type"] === undefined && typeof node["$ref"] === "string") {
    followed.add(node);
    const target = resolveInside(root, node["$ref"]);
    const reference = JSON.stringify(root["$ref"]);
    if (target === undefined) throw new Error(`the root's $ref ${reference} leads to no schema in it`);
    if (followed.has(target)) throw new Error(`the root's $ref ${reference} leads back to itself`);
    node = target;
  }
  return node;
}

/**
 * A root that refers to a definition with what that says in its place, for whoever looks for `type` and `properties`
 * there. References to the definition itself stay as they are. Other schemas are given back.
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
  const own = Object.fromEntries(Object.entries(target).filter(([key]) => !names.includes(key)));
  return { ...own, ...beside, type: "object" };
}

function resolveInside(root: JsonObject, reference: string): JsonObject | undefined {
  const id = root["$id"];
  const own = typeof id === "string" && reference.startsWith(`${id}#`) ? reference.slice(id.length) : reference;
  const isAnchor = /^#[^/]/.test(own);
  const target = isAnchor ? findAnchor(root, own.slice(1)) : resolveFragment(root, own);
  return isJsonObject(target) ? target : undefined;
}

function findAnchor(root: JsonObject, name: string): JsonObject | undefined {
  for (const { node } of reachableSchemas(root)) {
    if (node["$anchor"] === name || node["$dynamicAnchor"] === name || node["$id"] === `#${name}`) return node;
  }
  return undefined;
}
