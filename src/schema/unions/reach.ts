import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { Finding } from "../check.ts";
import { inPlace, keywordsWhere, subschemaKeywords } from "../keywords.ts";
import { referenceOf } from "./tags.ts";

/** The number of schemas that are read for one; a schema with more is treated as unknown. */
const maxPlaces = 5000;
/** Findings inside `not` are not reported, and findings about a key are reported at its object. */
const ofValue = [...inPlace, ...keywordsWhere(({ about }) => about === "key")].filter(
  (keyword) => keyword !== "not" && !subschemaKeywords.map.has(keyword),
);
const ofDependents = [...inPlace].filter((keyword) => subschemaKeywords.map.has(keyword));
const ofMembers = [...keywordsWhere(({ about, name }) => about === "property" && name !== "properties")];
const ofItems = [...keywordsWhere(({ about }) => about === "item")];

/**
 * Which findings a schema makes about a value: those of the schemas that it applies, each about its part of the value.
 * This distinguishes two branches of a union that refer to the same schema.
 */
export function createReach(
  schema: unknown,
  value: unknown,
  at: string,
  root: JsonSchema,
): (finding: Finding) => boolean {
  const reached = new Map<unknown, Set<string>>();
  /** The places of schemas that were not found. */
  const unknown: string[] = [];
  let left = maxPlaces;
  visit(schema, value, at);
  return ({ keyword, parentSchema, instancePath }) =>
    reached.get(keyword === "false schema" ? false : parentSchema)?.has(instancePath) === true ||
    unknown.some((path) => instancePath === path || instancePath.startsWith(`${path}/`));

  function visit(node: unknown, part: unknown, path: string): void {
    const places = reached.get(node) ?? new Set();
    if (places.has(path)) return;
    reached.set(node, places.add(path));
    if (!isJsonObject(node)) return;
    if (--left < 0) return void unknown.push(at);
    followReferences(node, part, path);
    for (const keyword of ofValue) visitEach(node[keyword], part, path);
    for (const keyword of ofDependents) visitMembers(node[keyword], part, path);
    if (isJsonObject(part)) visitProperties(node, part, path);
    if (Array.isArray(part)) visitItems(node, part, path);
  }

  function followReferences(node: JsonObject, part: unknown, path: string): void {
    const target = referenceOf(node, root);
    if (target !== undefined) visit(target, part, path);
    const isLost = ("$ref" in node && target === undefined) || "$dynamicRef" in node || "$recursiveRef" in node;
    if (isLost) unknown.push(path);
  }

  function visitEach(schemas: unknown, part: unknown, path: string): void {
    for (const each of Array.isArray(schemas) ? (schemas as unknown[]) : [schemas]) {
      if (each !== undefined) visit(each, part, path);
    }
  }

  function visitMembers(schemas: unknown, part: unknown, path: string): void {
    if (isJsonObject(schemas)) visitEach(Object.values(schemas), part, path);
  }

  function visitProperties(node: JsonObject, part: JsonObject, path: string): void {
    const known = isJsonObject(node["properties"]) ? node["properties"] : {};
    for (const [key, member] of Object.entries(part)) {
      const below = path + pointerToken(key);
      if (Object.hasOwn(known, key)) visit(known[key], member, below);
      for (const keyword of ofMembers) {
        if (keyword === "patternProperties") visitMembers(node[keyword], member, below);
        else if (!Object.hasOwn(known, key)) visitEach(node[keyword], member, below);
      }
    }
  }

  function visitItems(node: JsonObject, part: readonly unknown[], path: string): void {
    for (const keyword of ofItems) {
      const schemas = node[keyword];
      part.forEach((item, index) => {
        const each: unknown = Array.isArray(schemas) ? schemas[index] : schemas;
        visitEach(each, item, path + pointerToken(index));
      });
    }
  }
}
