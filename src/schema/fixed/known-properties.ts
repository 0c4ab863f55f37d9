import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { inPlace } from "../keywords.ts";
import { modernise } from "../modern.ts";
import { toRegExp } from "../pattern.ts";
import { subschemas } from "../walk.ts";

export interface KnownProperties {
  /** The names in `properties`. */
  readonly names: ReadonlySet<string>;
  has(name: string): boolean;
}

/** Finds the properties that the schema of an object names, in every schema of the object itself. */
export function knownProperties(source: JsonObject): KnownProperties {
  const { root, definitions } = modernise(source);
  const names = new Set<string>();
  const patterns: RegExp[] = [];
  const nodes = new Set([root]);
  // The set grows during the loop.
  for (const node of nodes) {
    const { $ref, properties, patternProperties, required } = node;
    if (isJsonObject(properties)) for (const name of Object.keys(properties)) names.add(name);
    if (isJsonObject(patternProperties)) patterns.push(...Object.keys(patternProperties).map(toRegExp));
    if (Array.isArray(required)) for (const name of required) names.add(String(name));
    const target = typeof $ref === "string" ? definitions.get($ref) : undefined;
    if (target !== undefined) nodes.add(target);
    for (const { schema, keyword } of subschemas(node)) {
      if (isJsonObject(schema) && inPlace.has(keyword)) nodes.add(schema);
    }
  }
  return {
    names,
    has: (name) => names.has(name) || patterns.some((pattern) => pattern.test(name)),
  };
}
