import { isJsonObject, type JsonObject, listOf, setOwn } from "../json/object.ts";
import { pointerToken } from "../json/pointer.ts";
import { freeName, lastPart } from "./definition-names.ts";
import { readDraft } from "./draft.ts";
import type { JsonSchema } from "./json-schema.ts";
import { modernSubschemas } from "./keywords.ts";
import { isUnknownTo, modernKeywords } from "./modern-keywords.ts";
import { type Located, readDocument, referencesOf, type SchemaDocument } from "./resolve.ts";
import { subschemas } from "./walk.ts";

/**
 * A schema of any draft in one form: the keywords of 2020-12, an object for each schema (`additionalProperties` alone
 * may be true or false), and every reference a `$ref` that is the bare name of one of its definitions.
 */
export interface ModernSchema {
  readonly root: JsonObject;
  readonly definitions: ReadonlyMap<string, JsonObject>;
  /** The definition that repeats the root, if a reference leads to the root. */
  readonly rootName: string | undefined;
  /** JSON Pointer to the place of a schema in the source. */
  pathOf(node: JsonObject): string | undefined;
  /** The number of schemas in the source, and its length as JSON. */
  readonly size: number;
  readonly characters: number;
  /**
   * The places of references without a target, or with a meaning that depends on the way to them. Any value is accepted
   * there.
   */
  readonly unresolved: readonly string[];
}

const { one, list, map } = modernSubschemas;
const maxDepth = 500;

interface Target {
  readonly name: string;
  readonly path: string;
}

/**
 * Rewrites a schema in 2020-12, whatever its draft. It accepts what the check of the source accepts.
 * @throws RangeError if schemas are nested too deeply, or Error for a draft that is not supported
 */
export function modernise(source: JsonSchema): ModernSchema {
  const text = JSON.stringify(typeof source === "boolean" ? fromBoolean(source) : source);
  const { draft, schema } = readDraft(JSON.parse(text) as JsonObject);
  const raw = schema as JsonObject;
  const document = readDocument(raw);
  const asksUnevaluated = text.includes('"unevaluated');
  const isCertain = createCertainty(document);
  const { targets, targetsOf } = findTargets();
  const places = new WeakMap<JsonObject, string>();
  const unresolved: string[] = [];

  const definitions = new Map<string, JsonObject>();
  for (const [target, { name, path }] of targets) definitions.set(name, write(target, path, 0));
  return {
    root: write(raw, "", 0),
    definitions,
    rootName: targets.get(raw)?.name,
    size: document.schemas.length,
    characters: text.length,
    unresolved,
    pathOf: (node) => places.get(node),
  };

  function findTargets(): {
    targets: ReadonlyMap<JsonSchema, Target>;
    targetsOf: ReadonlyMap<JsonObject, readonly (Target | undefined)[]>;
  } {
    const found = new Map<JsonSchema, Target>();
    const ofNode = new Map<JsonObject, (Target | undefined)[]>();
    const taken = new Set<string>();
    for (const located of document.schemas) {
      for (const { keyword, reference } of referencesOf(located.node)) {
        if (isUnknownTo(draft.name, keyword)) continue;
        const target = isCertain(keyword, reference, located) ? document.resolve(reference, located.node) : undefined;
        let named = target && found.get(target.node);
        if (target !== undefined && named === undefined) {
          named = { name: freeName(lastPart(target.path) || "root", taken), path: target.path };
          taken.add(named.name);
          found.set(target.node, named);
        }
        ofNode.set(located.node, [...(ofNode.get(located.node) ?? []), named]);
      }
    }
    return { targets: found, targetsOf: ofNode };
  }

  /** The content of a place: the schema itself, or a reference if others refer to it too. */
  function place(value: unknown, path: string, depth: number): JsonObject {
    const target = isJsonObject(value) ? targets.get(value) : undefined;
    return target === undefined ? write(value as JsonSchema, path, depth) : located({ $ref: target.name }, path);
  }

  function located(node: JsonObject, path: string): JsonObject {
    places.set(node, path);
    return node;
  }

  function write(node: JsonSchema, path: string, depth: number): JsonObject {
    if (depth > maxDepth) throw new RangeError("schemas are nested too deeply");
    if (!isJsonObject(node)) return located(fromBoolean(node), path);
    const written = located({}, path);
    for (const [keyword, value, origin] of modernKeywords(node, draft.name, asksUnevaluated)) {
      const modern = writeValue(keyword, value, path + pointerToken(origin), depth + 1);
      // `dependencies` may occur together with the two keywords that replace it.
      setOwn(written, keyword, Object.hasOwn(written, keyword) ? joinMaps(written[keyword], modern) : modern);
    }
    for (const target of targetsOf.get(node) ?? []) {
      if (target === undefined) unresolved.push(path);
      else if (written["$ref"] === undefined) written["$ref"] = target.name;
      else written["allOf"] = [...listOf(written["allOf"]), located({ $ref: target.name }, path)];
    }
    return written;
  }

  function writeValue(keyword: string, value: unknown, path: string, depth: number): unknown {
    if (keyword === "additionalProperties" && typeof value === "boolean") return value;
    if (one.has(keyword)) return place(value, path, depth);
    if (list.has(keyword) && Array.isArray(value)) {
      return value.map((member, index) => place(member, path + pointerToken(index), depth));
    }
    if (!map.has(keyword) || !isJsonObject(value)) return value;
    const members: JsonObject = {};
    for (const [key, member] of Object.entries(value)) {
      setOwn(members, key, place(member, path + pointerToken(key), depth));
    }
    return members;
  }
}

/**
 * Writes the references of a modern schema, which are bare names of definitions, as those of a document. Changes the
 * schema.
 */
export function setReferences(schema: JsonObject, toReference: (name: string) => string): void {
  const nodes = [schema];
  // The list grows during the loop.
  for (const node of nodes) {
    if (typeof node["$ref"] === "string") node["$ref"] = toReference(node["$ref"]);
    for (const { schema: child } of subschemas(node)) if (isJsonObject(child)) nodes.push(child);
  }
}

/** `true` and `false` as objects. */
export function fromBoolean(schema: unknown): JsonObject {
  return schema === false ? { not: {} } : {};
}

/**
 * Whether a reference has the same target on every way to it, and for the check too. A dynamic reference does in a
 * document with one resource if its target is the root. Otherwise ajv reads it as a reference to the schema that it is
 * compiling.
 */
function createCertainty({ schemas, hasResources, resolve }: SchemaDocument) {
  const root = schemas[0]!.node;
  let apart: readonly string[] | undefined;
  return (keyword: string, reference: string, { node, path }: Located): boolean => {
    if (keyword === "$ref") return true;
    if (hasResources || resolve(reference, node)?.node !== root) return false;
    if (root["$recursiveAnchor"] === true || reference === `#${String(root["$dynamicAnchor"])}`) return true;
    apart ??= schemas.flatMap((each) => {
      const target = typeof each.node["$ref"] === "string" ? resolve(each.node["$ref"], each.node) : undefined;
      return target === undefined || target.node === root ? [] : [target.path];
    });
    return apart.every((target) => !`${path}/`.startsWith(`${target}/`));
  };
}

function joinMaps(first: unknown, second: unknown): JsonObject {
  const joined = { ...(first as JsonObject) };
  for (const [key, value] of Object.entries(second as JsonObject)) {
    const own = Object.hasOwn(joined, key) ? joined[key] : undefined;
    const areNames = Array.isArray(own) && Array.isArray(value);
    const both = areNames
      ? [...new Set<unknown>([...(own as unknown[]), ...(value as unknown[])])]
      : { allOf: [own, value] };
    setOwn(joined, key, own === undefined ? value : both);
  }
  return joined;
}
