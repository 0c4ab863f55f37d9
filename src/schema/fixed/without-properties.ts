import { isJsonObject, type JsonObject, setOwn } from "../../json/object.ts";
import { type CheckOptions, createCheck } from "../check.ts";
import { freeName } from "../definition-names.ts";
import type { JsonSchema } from "../json-schema.ts";
import { modernise, type ModernSchema, setReferences } from "../modern.ts";
import { type FixedProperties, mentions } from "./fixed-properties.ts";
import { reduce } from "./reduce.ts";
import { isImpossible, type Reduced, type ReduceOptions } from "./reduction.ts";

/** A schema for the rest of an object if some of its properties are fixed. */
export interface Remaining {
  /** In 2020-12. It never names the properties, and accepts at least what the source accepts together with them. */
  readonly schema: JsonObject;
  /** Keywords that are left out, because their meaning depends on the properties. */
  readonly dropped: readonly string[];
}

/**
 * Removes properties from the schema of an object, in every schema of the object itself: also under `allOf`,
 * `anyOf`, conditions and references. A property of the same name deeper inside is another one. The result is what
 * callers see; a value is still checked with the source.
 * @param fixed the properties, which every object has
 * @throws Error with a reason for a person if no object with these properties is valid
 */
export function withoutProperties(source: JsonObject, fixed: FixedProperties, options: CheckOptions = {}): Remaining {
  const modern = modernise(source);
  const usesEvaluation = JSON.stringify(source).includes('"unevaluated');
  let reduction = reduceAll(modern, fixed, options, usesEvaluation ? "used" : "unused");
  if (reduction.isLessEvaluated && usesEvaluation) reduction = reduceAll(modern, fixed, options, "lost");
  const { root, definitions, dropped } = reduction;
  if (isImpossible(root)) throw new Error(root.impossible);
  return { schema: toDocument(root.node, definitions, fixed), dropped: [...dropped] };
}

function reduceAll(
  { root, definitions }: ModernSchema,
  fixed: FixedProperties,
  checkOptions: CheckOptions,
  evaluation: ReduceOptions["evaluation"],
) {
  const all = new Map(definitions);
  const known = new Map<string, Reduced>();
  const dropped = new Set<string>();
  let isLessEvaluated = false;
  const options: ReduceOptions = {
    fixed,
    evaluation,
    accepts: (schema, value) => createCheck(toDocument(schema as JsonSchema, definitions), checkOptions).accepts(value),
    wholeText: (schema) => JSON.stringify(toDocument(schema as JsonSchema, definitions)),
    onDropped: (keyword) => void dropped.add(keyword),
    onLessEvaluated: () => void (isLessEvaluated = true),
    reduceDefinition(name) {
      const before = known.get(name);
      if (before !== undefined) return before;
      const variant = freeName(`${name}_rest`, all);
      // A reference back to the same schema adds no requirement.
      known.set(name, { node: { $ref: variant }, isExact: false });
      all.set(variant, {});
      const reduced = reduce(definitions.get(name) ?? {}, options);
      const isSimple = isImpossible(reduced) || Object.keys(reduced.node).length === 0;
      if (!isSimple) all.set(variant, reduced.node);
      const result = isSimple ? reduced : { node: { $ref: variant }, isExact: reduced.isExact };
      known.set(name, result);
      return result;
    },
  };
  const reduced = reduce(root, options);
  return { root: isImpossible(reduced) ? reduced : inlined(reduced, all), definitions: all, dropped, isLessEvaluated };
}

/** A root that only refers to a definition is that definition: `type` and `properties` are looked for there. */
function inlined(
  reduced: { readonly node: JsonObject; readonly isExact: boolean },
  definitions: Map<string, JsonObject>,
): Reduced {
  let { node } = reduced;
  const followed = new Set<unknown>();
  for (let name = node["$ref"]; typeof name === "string" && !followed.has(name); name = node["$ref"]) {
    followed.add(name);
    const { $ref: _, ...beside } = node;
    const target = definitions.get(name) ?? {};
    if (Object.keys(beside).some((keyword) => keyword === "$ref" || Object.hasOwn(target, keyword))) break;
    const isApart = !Object.keys(beside).some((keyword) => keyword.endsWith("roperties"));
    if (!isApart) break;
    node = { ...beside, ...target };
  }
  return { ...reduced, node };
}

/**
 * Writes a schema as a document: each reference a pointer to one of the definitions, of which it has what it needs.
 * @param fixed names that no definition's name may contain
 */
function toDocument(
  root: JsonSchema,
  definitions: ReadonlyMap<string, JsonObject>,
  fixed: FixedProperties = new Map(),
): JsonObject {
  if (!isJsonObject(root)) return root ? {} : { not: {} };
  const names = new Map<string, string>();
  const taken = new Set<string>(definitions.keys());
  const $defs: JsonObject = {};
  const nameOf = (name: string): string => {
    const before = names.get(name);
    if (before !== undefined) return before;
    const own = mentions(fixed, name) ? freeName(neutralName(fixed), taken) : name;
    taken.add(own);
    names.set(name, own);
    setOwn($defs, own, withPointers(definitions.get(name) ?? {}, nameOf));
    return own;
  };
  const written = withPointers(root, nameOf);
  return names.size === 0 ? written : { ...written, $defs };
}

function withPointers(node: JsonObject, nameOf: (name: string) => string): JsonObject {
  const written = structuredClone(node);
  setReferences(written, (name) => `#/$defs/${nameOf(name)}`);
  return written;
}

/** A name for definitions whose own name may not be written. */
function neutralName(fixed: FixedProperties): string {
  return ["shared", "part", "x"].find((name) => !mentions(fixed, name)) ?? "_";
}
