import { isJsonObject, type JsonObject, setOwn } from "../../../json/object.ts";
import { pointerToken } from "../../../json/pointer.ts";
import type { JsonSchema } from "../../../schema/json-schema.ts";
import { readDraft } from "../../../schema/draft.ts";
import { reachableSchemas } from "../../../schema/walk.ts";
import { createResolver } from "../../../schema/resolve.ts";
import { lists, maps, modernise, single } from "../../../schema/modern.ts";

/** A schema that no profile can write. */
export class Unprojectable extends Error {
  override readonly name = "Unprojectable";
}

/**
 * A schema in one form, whatever its draft: the words of 2020-12, objects for all schemas (`additionalProperties` alone
 * may be true or false), and every reference a `$ref` that is the bare name of one of its definitions.
 */
export interface NormalSchema {
  readonly root: JsonObject;
  readonly definitions: ReadonlyMap<string, JsonObject>;
  /** JSON Pointer to where a schema stood. */
  pathOf(node: JsonObject): string | undefined;
  /** How many schemas were in its source, and how long that is. */
  readonly size: number;
  readonly characters: number;
  /** Where references stand that lead nowhere. */
  readonly unresolved: readonly string[];
}

const maxDepth = 500;
const referring = ["$ref", "$dynamicRef", "$recursiveRef"];

/** @throws Unprojectable, or Error for a draft that is not known */
export function normalise(source: JsonSchema): NormalSchema {
  if (source === false) throw new Unprojectable("its schema accepts nothing");
  const text = JSON.stringify(source === true ? {} : source);
  const { draft, schema } = readDraft(JSON.parse(text) as JsonObject);
  const raw = schema as JsonObject;
  const places = new WeakMap<JsonObject, string>();
  const nodes = [...reachableSchemas(raw)];
  const resolve = createResolver(raw, nodes);
  const targets = findTargets();
  const unresolved: string[] = [];

  const definitions = new Map<string, JsonObject>();
  for (const [target, { name, path }] of targets) definitions.set(name, write(target, path, 0));
  return {
    root: write(raw, "", 0),
    definitions,
    size: nodes.length,
    characters: text.length,
    unresolved,
    pathOf: (node) => places.get(node),
  };

  function findTargets(): Map<JsonSchema, { name: string; path: string }> {
    const paths = new Map<JsonSchema, string>(nodes.map(({ node, path }) => [node, path]));
    const found = new Map<JsonSchema, { name: string; path: string }>();
    const taken = new Set<string>();
    for (const { node, path } of nodes) {
      for (const reference of referencesOf(node)) {
        const target = resolve(reference, path);
        if (target === undefined || found.has(target)) continue;
        const at = paths.get(target) ?? reference.slice(1);
        found.set(target, { name: freeName(at, taken), path: at });
      }
    }
    return found;
  }

  /** What stands in a place: the schema itself, or a reference where others refer to it too. */
  function place(value: unknown, path: string, depth: number): JsonObject {
    const target = isJsonObject(value) ? targets.get(value) : undefined;
    return target === undefined ? write(value as JsonSchema, path, depth) : located({ $ref: target.name }, path);
  }

  function located(node: JsonObject, path: string): JsonObject {
    places.set(node, path);
    return node;
  }

  function write(node: JsonSchema, path: string, depth: number): JsonObject {
    if (depth > maxDepth) throw new Unprojectable("its schema is nested too deeply");
    if (!isJsonObject(node)) return located(node === false ? { not: {} } : {}, path);
    const written = located({}, path);
    for (const [keyword, value, origin] of modernise(node, draft.uri)) {
      setOwn(written, keyword, writeValue(keyword, value, path + pointerToken(origin), depth + 1));
    }
    for (const reference of referencesOf(node)) {
      const target = targets.get(resolve(reference, path) as JsonSchema);
      if (target === undefined) unresolved.push(path);
      else if (written["$ref"] === undefined) written["$ref"] = target.name;
      else written["allOf"] = [...[written["allOf"] ?? []].flat(), located({ $ref: target.name }, path)];
    }
    return written;
  }

  function writeValue(keyword: string, value: unknown, path: string, depth: number): unknown {
    if (keyword === "additionalProperties" && typeof value === "boolean") return value;
    if (single.has(keyword)) return place(value, path, depth);
    if (lists.has(keyword) && Array.isArray(value)) {
      return value.map((member, index) => place(member, path + pointerToken(index), depth));
    }
    if (!maps.has(keyword) || !isJsonObject(value)) return value;
    const members: JsonObject = {};
    for (const [key, member] of Object.entries(value)) {
      setOwn(members, key, place(member, path + pointerToken(key), depth));
    }
    return members;
  }
}

function referencesOf(node: JsonObject): string[] {
  return referring.map((keyword) => node[keyword]).filter((reference) => typeof reference === "string");
}

/** The last word of where it stands, as providers take names of definitions. */
function freeName(path: string, taken: Set<string>): string {
  const word = path.slice(path.lastIndexOf("/") + 1).replace(/[^a-zA-Z0-9_.-]+/g, "_");
  const wanted = word.slice(0, 48) || "root";
  let name = wanted;
  for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`;
  taken.add(name);
  return name;
}
