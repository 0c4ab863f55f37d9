import type { JsonObject } from "../../core/json-schema.ts";
import { addSentences, describeKeyword } from "./describe.ts";
import { isFormatChecked } from "./formats.ts";
import { type WireKeys } from "./keys.ts";
import { type Lose, StrictObstacle } from "./losses.ts";
import { createMerge } from "./merge.ts";
import type { NormalSchema } from "./normalise.ts";
import { entriesOf, listOf, omit, setOwn } from "./own.ts";
import { shapes, treatmentOf, type WrittenProfile } from "./profiles.ts";
import type { References } from "./references.ts";
import { reshape } from "./reshape.ts";
import { endSchemaForm, toSchemaForm } from "./schema-form.ts";
import { requireAll } from "./strict.ts";
import { annotations, typesOf } from "./types.ts";
import { lists, maps, single } from "./words.ts";
import { type Bounds, type Place, rootPlace, type Settled, TooLarge, type Writer } from "./writer.ts";

export interface WriterOptions {
  readonly normal: NormalSchema;
  readonly references: References;
  readonly wireKeys: WireKeys;
  readonly lose: Lose;
  readonly bounds: Bounds;
}

const maxDepth = 300;

/** References that lie in `allOf` of each other fan out without that anything is written. */
const settlesPerNode = 4;

/** Writes schemas in normal form in the words of one profile. */
export function createWriter(profile: WrittenProfile, options: WriterOptions): Writer {
  const { normal, references, wireKeys, lose, bounds } = options;
  const shape = shapes[profile];
  const origins = new WeakMap<JsonObject, string>();
  const merge = createMerge(derive);
  /** What was written out around schemas that were settled apart. */
  const carried = new WeakMap<JsonObject, Place["within"]>();
  const referred = new Set<string>();
  let nodesLeft = bounds.nodes;
  let settlesLeft = bounds.nodes * settlesPerNode;
  let depth = 0;
  // oxfmt-ignore
  const writer: Writer = {
    profile, shape, normal, lose, merge, derive, pathOf, settle, settleApart, write, writeDefinitions, wireName, refuse,
  };
  return writer;

  function write(source: JsonObject, outer: Place): JsonObject {
    if (--nodesLeft < 0 || depth > maxDepth) throw new TooLarge("the schema is too large");
    depth++;
    const { node, place } = settle(source, outer);
    const isReference = shape.plain && typeof node["$ref"] === "string";
    const written = isReference ? { $ref: refer(node["$ref"]) } : writeKeywords(reshape(node, place, writer), place);
    depth--;
    return written;
  }

  function refer(name: unknown): string {
    referred.add(String(name));
    return `#/$defs/${String(name)}`;
  }

  function writeDefinitions(): JsonObject {
    const written: JsonObject = {};
    // The set grows on the way.
    for (const name of referred) {
      const definition = normal.definitions.get(name) ?? {};
      setOwn(written, name, write(definition, { ...rootPlace, isRoot: false }));
    }
    return written;
  }

  function writeKeywords(node: JsonObject, place: Place): JsonObject {
    const written: JsonObject = {};
    const sentences: string[] = [];
    for (const [keyword, value] of Object.entries(node)) {
      const treatment = keyword === "description" ? "keep" : treatmentOf(profile, keyword);
      if (treatment === "keep") setOwn(written, keyword, writeValue(keyword, value, place));
      else if (treatment === "refuse") refuse(place, `no strict schema has ${keyword}`);
      else if (treatment === "describe") sentences.push(describe(keyword, node, place));
      else lose(place.path, "annotation", `${keyword} is left out.`);
    }
    const description = addSentences(written["description"], sentences);
    if (description !== "") written["description"] = description;
    if (shape.requiresAll) requireAll(node, written, place, writer);
    return shape.needsType ? toSchemaForm(written) : written;
  }

  function describe(keyword: string, node: JsonObject, place: Place): string {
    const value = node[keyword];
    const kind =
      annotations.has(keyword) || (keyword === "format" && !isFormatChecked(value)) ? "annotation" : "widened";
    lose(place.path, kind, `${keyword} is said in the description only.`);
    return describeKeyword(keyword, value, node);
  }

  function writeValue(keyword: string, value: unknown, place: Place): unknown {
    const below = { ...place, isRoot: false };
    const end = (member: JsonObject): JsonObject => {
      const written = write(member, below);
      return shape.needsType && keyword !== "anyOf" ? endSchemaForm(written, place, writer) : written;
    };
    if (keyword === "$ref") return refer(value);
    if (keyword === "required") return listOf<string>(value).map((key) => wireName(key, place));
    if (keyword === "dependentRequired") return renameDependencies(value as JsonObject, place);
    if (lists.has(keyword)) return listOf(value).map(end);
    if (single.has(keyword)) return typeof value === "boolean" ? value : end(value as JsonObject);
    if (!maps.has(keyword)) return value;
    const written: JsonObject = {};
    for (const [key, member] of entriesOf(value)) {
      const name = keyword === "patternProperties" ? key : wireName(key, place);
      setOwn(written, name, end(member));
      if (name !== key) {
        const path = pathOf(member) ?? place.path;
        lose(path, "renamed", `The property ${JSON.stringify(key)} is called ${name}; calls are taken back.`);
      }
    }
    return written;
  }

  function renameDependencies(value: JsonObject, place: Place): JsonObject {
    const written: JsonObject = {};
    for (const [key, needs] of Object.entries(value)) {
      setOwn(
        written,
        wireName(key, place),
        listOf<string>(needs).map((need) => wireName(need, place)),
      );
    }
    return written;
  }

  function wireName(key: string, { isRoot }: Place): string {
    return isRoot || shape.keys?.everywhere === true ? (wireKeys.get(key) ?? key) : key;
  }

  function settle(source: JsonObject, outer: Place, whole = false): Settled {
    let node = source;
    const within = carried.get(source) ?? outer.within;
    let place = { ...outer, within, path: pathOf(source) ?? outer.path };
    if (!shape.plain && !whole) return { node, place };
    if (--settlesLeft < 0) throw new TooLarge("the schema is too large");
    while (typeof node["$ref"] === "string") {
      const name = node["$ref"];
      const beside = derive(omit(node, "$ref"), node);
      const stays = !whole && !mustInline(name, place);
      if (stays && Object.keys(beside).length === 0) return { node, place };
      if (stays && references.isCyclic(name) && Object.keys(beside).every((keyword) => annotations.has(keyword))) {
        return { node: derive({ ...beside, anyOf: [derive({ $ref: name }, node)] }, node), place };
      }
      const target = normal.definitions.get(name) ?? {};
      if (!mayEnter(name, place)) {
        node = merge(beside, stubOf(target, place));
        break;
      }
      place = { ...place, path: pathOf(target) ?? place.path, within: entered(name, place.within) };
      node = merge(beside, target);
    }
    return mergeAllOf(node, place, whole);
  }

  function settleApart(source: JsonObject, place: Place, change: (node: JsonObject) => JsonObject): JsonObject {
    const settled = settle(source, place, true);
    const changed = change(settled.node);
    carried.set(changed, settled.place.within);
    return changed;
  }

  function mergeAllOf(node: JsonObject, outer: Place, whole: boolean): Settled {
    if (!Array.isArray(node["allOf"])) return { node, place: outer };
    const members = listOf(node["allOf"]);
    let merged = derive(omit(node, "allOf"), node);
    if (members.length === 1 && Object.keys(merged).length === 0) return settle(members[0] ?? {}, outer, whole);
    let place = outer;
    for (const member of members) {
      const settled = settle(member, place, true);
      // What is written below any of the members lies below all that they refer to.
      place = { ...place, within: settled.place.within };
      merged = merge(merged, settled.node);
    }
    return { node: merged, place };
  }

  function mustInline(name: string, place: Place): boolean {
    if (shape.references === "inline") return true;
    if (shape.references === "acyclic" && references.isCyclic(name)) refuse(place, "it refers to itself");
    return shape.references === "optional" && references.isCyclicWhereRequired(name);
  }

  function mayEnter(name: string, { within }: Place): boolean {
    const levels = [...within.values()].reduce((sum, count) => sum + count, 0);
    return levels < bounds.references && (within.get(name) ?? 0) <= bounds.unroll;
  }

  function entered(name: string, within: Place["within"]): Place["within"] {
    return new Map(within).set(name, (within.get(name) ?? 0) + 1);
  }

  /** Stands where a schema is not followed into itself any more. */
  function stubOf(target: JsonObject, place: Place): JsonObject {
    if (shape.strict) refuse(place, "it refers to itself");
    lose(place.path, "widened", "What lies deeper in itself is not described.");
    const types = typesOf(target);
    return {
      ...(types !== undefined && { type: types.length === 1 ? types[0] : types }),
      description: "Nested as above.",
    };
  }

  function pathOf(node: JsonObject): string | undefined {
    return normal.pathOf(node) ?? origins.get(node);
  }

  function derive(made: JsonObject, from: JsonObject): JsonObject {
    const origin = pathOf(from);
    if (origin !== undefined) origins.set(made, origin);
    return made;
  }

  function refuse({ path }: Place, message: string): never {
    throw new StrictObstacle(path, message);
  }
}
