import { entriesOf, type JsonObject, listOf, omit, setOwn } from "../../../json/object.ts";
import { addSentences, addSentence } from "./describe.ts";
import { isFormatAsked } from "./formats.ts";
import { keywordSentence } from "./describe-keyword.ts";
import { type WireKeys } from "./keys.ts";
import { type Lose, StrictObstacle } from "../losses.ts";
import { createBudget } from "./budget.ts";
import { createMerge } from "../merge.ts";
import type { ModernSchema } from "../../../schema/modern.ts";
import { treatmentOf, type WrittenProfile } from "../profile.ts";
import type { References } from "../references.ts";
import { reshape } from "./reshape.ts";
import { endSchemaForm, toSchemaForm } from "./schema-form.ts";
import { requireAll } from "./strict.ts";
import { annotations, typesOf } from "./types.ts";
import { modernSubschemas } from "../../../schema/keywords.ts";
import { type Bounds, type Place, rootPlace, type ResolvedNode, type Expansion, type Writer } from "./writer.ts";

const { one, list, map } = modernSubschemas;

export interface WriterOptions {
  readonly modern: ModernSchema;
  readonly references: References;
  readonly wireKeys: WireKeys;
  readonly lose: Lose;
  readonly bounds: Bounds;
}

/** Writes modern schemas in the keywords of one profile. */
export function createWriter(profile: WrittenProfile, options: WriterOptions): Writer {
  const { modern, references, wireKeys, lose, bounds } = options;
  const { shape } = profile;
  const origins = new WeakMap<JsonObject, string>();
  const budget = createBudget(bounds, shape.plain);
  const merge = createMerge(derive, budget.merges);
  /** What was expanded around schemas that were settled apart. */
  const carried = new WeakMap<JsonObject, Expansion>();
  const referred = new Set<string>();
  let depth = 0;
  // oxfmt-ignore
  const writer: Writer = {
    profile, shape, modern, lose, merge, derive, pathOf, settle, settleApart, write, writeDefinitions, wireName, refuse,
  };
  return writer;

  function write(source: JsonObject, outer: Place): JsonObject {
    const isTooMuch = !budget.nodes(depth);
    depth++;
    const { node, place } = isTooMuch ? cut(source, outer) : settle(source, outer);
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
    // The set grows during the loop.
    for (const name of referred) {
      const definition = modern.definitions.get(name) ?? {};
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
      else if (treatment === "refuse") refuse(place, `a strict schema cannot contain "${keyword}"`);
      else if (treatment === "describe") sentences.push(describe(keyword, node, place));
      else lose(place.path, "annotation", `"${keyword}" is left out.`);
    }
    const description = addSentences(written["description"], sentences);
    if (description !== "") written["description"] = description;
    if (shape.requiresAll) requireAll(node, written, place, writer);
    return shape.needsType ? toSchemaForm(written) : written;
  }

  function describe(keyword: string, node: JsonObject, place: Place): string {
    const isMissed = keyword === "format" ? isFormatAsked(node) : !annotations.has(keyword);
    const kind = isMissed ? "widened" : "annotation";
    lose(place.path, kind, `"${keyword}" is mentioned in the description only.`);
    return keywordSentence(keyword, node, place, writer);
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
    if (list.has(keyword)) return listOf(value).map(end);
    if (one.has(keyword)) return typeof value === "boolean" ? value : end(value as JsonObject);
    if (!map.has(keyword)) return value;
    const written: JsonObject = {};
    for (const [key, member] of entriesOf(value)) {
      const name = keyword === "patternProperties" ? key : wireName(key, place);
      setOwn(written, name, end(name === key ? member : describeName(key, member)));
      if (name !== key) {
        const path = pathOf(member) ?? place.path;
        lose(
          path,
          "renamed",
          `The property ${JSON.stringify(key)} is renamed to "${name}"; calls are translated back.`,
        );
      }
    }
    return written;
  }

  /** A tool's own messages use its own names of the arguments. */
  function describeName(key: string, member: JsonObject): JsonObject {
    const named = derive(addSentence(member, `Its original name is ${JSON.stringify(key)}.`), member);
    const within = carried.get(member);
    if (within !== undefined) carried.set(named, within);
    return named;
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

  function settle(source: JsonObject, outer: Place, whole = false): ResolvedNode {
    let node = source;
    const within = carried.get(source) ?? outer.within;
    let place = { ...outer, within, path: pathOf(source) ?? outer.path };
    if (!shape.plain && !whole) return { node, place };
    while (typeof node["$ref"] === "string") {
      const name = node["$ref"];
      const beside = derive(omit(node, "$ref"), node);
      const stays = !whole && !mustInline(name, place);
      if (stays && Object.keys(beside).length === 0) return { node, place };
      if (stays && references.isCyclic(name) && Object.keys(beside).every((keyword) => annotations.has(keyword))) {
        return { node: derive({ ...beside, anyOf: [derive({ $ref: name }, node)] }, node), place };
      }
      const target = modern.definitions.get(name) ?? {};
      const isAround = (place.within.counts.get(name) ?? 0) > bounds.unroll;
      if (isAround || place.within.levels >= bounds.references || !budget.steps()) {
        node = merge(beside, stubOf(target, place, isAround));
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

  function mergeAllOf(node: JsonObject, outer: Place, whole: boolean): ResolvedNode {
    if (!Array.isArray(node["allOf"])) return { node, place: outer };
    const members = listOf(node["allOf"]);
    let merged = derive(omit(node, "allOf"), node);
    if (members.length === 1 && Object.keys(merged).length === 0) return settle(members[0] ?? {}, outer, whole);
    const counts = new Map(outer.within.counts);
    let { levels } = outer.within;
    for (const member of withoutRepeats(members)) {
      const settled = settle(member, outer, true);
      merged = merge(merged, settled.node);
      // Everything that is written below a member counts as nested inside all its references.
      const { within } = settled.place;
      levels = Math.max(levels, within.levels);
      for (const [name, count] of within.counts) counts.set(name, Math.max(count, counts.get(name) ?? 0));
    }
    return { node: merged, place: { ...outer, within: { counts, levels } } };
  }

  function mustInline(name: string, place: Place): boolean {
    if (shape.references === "inline") return true;
    if (shape.references === "acyclic" && references.isCyclic(name)) refuse(place, "it refers to itself");
    return shape.references === "optional" && references.isCyclicWhereRequired(name);
  }

  function entered(name: string, { counts, levels }: Expansion): Expansion {
    return { counts: new Map(counts).set(name, (counts.get(name) ?? 0) + 1), levels: levels + 1 };
  }

  /** Replaces a schema that is not followed any further. */
  function stubOf(target: JsonObject, place: Place, isAround: boolean): JsonObject {
    if (shape.strict) refuse(place, isAround ? "it refers to itself" : "its schema is too large");
    lose(
      place.path,
      "widened",
      isAround ? "The schema refers to itself: deeper levels are not described." : "Deeper levels are not described.",
    );
    const types = typesOf(target);
    return {
      ...(types !== undefined && { type: types.length === 1 ? types[0] : types }),
      description: isAround ? "Nested as above." : "Its content is not described.",
    };
  }

  function cut(source: JsonObject, outer: Place): ResolvedNode {
    const place = { ...outer, path: pathOf(source) ?? outer.path };
    const name = source["$ref"];
    const target = typeof name === "string" ? modern.definitions.get(name) : undefined;
    return { node: stubOf(target ?? source, place, false), place };
  }

  function pathOf(node: JsonObject): string | undefined {
    return modern.pathOf(node) ?? origins.get(node);
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

/** Two bare references to the same target have the effect of one. */
function withoutRepeats(members: readonly JsonObject[]): JsonObject[] {
  const bare = new Map<unknown, JsonObject>();
  for (const member of members) bare.set(Object.keys(member).join() === "$ref" ? member["$ref"] : member, member);
  return [...bare.values()];
}
