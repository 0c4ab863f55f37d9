import { isJsonObject, type JsonObject } from "../../json/object.ts";
import type { LintFinding } from "./lint.ts";
import { toRegExp } from "../pattern.ts";
import { inPlace } from "../keywords.ts";
import { readDocument, type SchemaDocument } from "../resolve.ts";
import { subschemas } from "../walk.ts";
import { closest } from "../suggest.ts";

/** Keywords whose schemas apply to the same value, at least in some cases. */
const ofSameValue = new Set([...inPlace].filter((keyword) => keyword !== "not"));

/**
 * Finds names in `required` that no property has: a value with such a property may be impossible. `allOf`, `anyOf`,
 * `if` and references for the same value are read together, because the names may be in one and the properties in
 * another.
 */
export function lintRequired(root: JsonObject): LintFinding[] {
  const found: LintFinding[] = [];
  const known = new Set<unknown>();
  const document = readDocument(root);
  const waiting: Place[] = [{ node: root, path: "" }];
  // It grows during the loop.
  for (const place of waiting) {
    if (!known.has(place.node)) visit({ ...place, closers: [] }, { document, start: place.node, names: undefined });
  }
  return found;

  /** A schema and those of the same value below it. Schemas of other values form another group. */
  function visit({ node, path, closers }: Visited, group: Group): void {
    known.add(node);
    const own = isClosed(node) ? [...closers, node] : closers;
    found.push(...lintNames(node, path, own, group));
    for (const { schema, path: step, keyword } of subschemas(node)) {
      if (!isJsonObject(schema) || known.has(schema)) continue;
      const child = { node: schema, path: path + step };
      // The condition of `if` is not a requirement.
      if (ofSameValue.has(keyword)) visit({ ...child, closers: keyword === "if" ? [] : own }, group);
      else if (keyword !== "not") waiting.push(child);
    }
  }
}

interface Place {
  readonly node: JsonObject;
  readonly path: string;
}

interface Visited extends Place {
  /** The schemas of the same value that allow only their own properties, including this one. */
  readonly closers: readonly JsonObject[];
}

/** The schemas that apply to one value. */
interface Group {
  readonly document: SchemaDocument;
  readonly start: JsonObject;
  names: Names | undefined;
}

interface Names {
  readonly properties: Set<string>;
  readonly patterns: RegExp[];
  /** Some of them are in a schema that is not here. */
  isOpen: boolean;
}

function lintNames(node: JsonObject, path: string, closers: readonly JsonObject[], group: Group): LintFinding[] {
  const { required } = node;
  if (!Array.isArray(required) || required.length === 0) return [];
  const names = (group.names ??= collectNames(group.document, group.start));
  return required.flatMap((name: unknown, index): LintFinding[] => {
    if (typeof name !== "string") return [];
    const closer = closers.find((each) => !allows(each, name, names));
    if (closer === undefined && (names.isOpen || names.properties.size === 0 || isNamed(names, name))) return [];
    const at = `${path}/required/${index}`;
    const meant = closest(name, names.properties);
    const hint = meant === undefined || meant === name ? "" : `; did you mean ${JSON.stringify(meant)}?`;
    const what = `"required" lists ${JSON.stringify(name)}, which`;
    if (closer === undefined) return [{ path: at, message: `${what} is not in "properties"${hint}` }];
    const keyword = closer["additionalProperties"] === false ? "additionalProperties" : "unevaluatedProperties";
    const nothing = path === "" ? "so no arguments or result can be valid" : "so no value can be valid here";
    return [{ path: at, message: `${what} "${keyword}": false does not allow, ${nothing}${hint}` }];
  });
}

function isClosed(node: JsonObject): boolean {
  return node["additionalProperties"] === false || node["unevaluatedProperties"] === false;
}

/**
 * `additionalProperties` considers only the properties of the same schema, `unevaluatedProperties` those of all schemas
 * of the value.
 */
function allows(closer: JsonObject, name: string, names: Names): boolean {
  if (closer["additionalProperties"] !== false) return names.isOpen || isNamed(names, name);
  const own: Names = { properties: new Set(), patterns: [], isOpen: false };
  addNames(closer, own);
  return isNamed(own, name);
}

function isNamed({ properties, patterns }: Names, name: string): boolean {
  return properties.has(name) || patterns.some((pattern) => pattern.test(name));
}

function collectNames(document: SchemaDocument, start: JsonObject): Names {
  const names: Names = { properties: new Set(), patterns: [], isOpen: false };
  const known = new Set<unknown>();
  const waiting: unknown[] = [start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isJsonObject(node) || known.has(node)) continue;
    known.add(node);
    addNames(node, names);
    for (const { schema, keyword } of subschemas(node)) if (ofSameValue.has(keyword)) waiting.push(schema);
    if ("$dynamicRef" in node || "$recursiveRef" in node) names.isOpen = true;
    if (typeof node["$ref"] !== "string") continue;
    const target = document.resolve(node["$ref"], node)?.node;
    if (target === undefined) names.isOpen = true;
    waiting.push(target);
  }
  return names;
}

function addNames({ properties, patternProperties }: JsonObject, names: Names): void {
  for (const name of Object.keys(isJsonObject(properties) ? properties : {})) names.properties.add(name);
  for (const pattern of Object.keys(isJsonObject(patternProperties) ? patternProperties : {})) {
    names.patterns.push(toRegExp(pattern));
  }
}
