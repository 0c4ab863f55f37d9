import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { entriesOf, getOwn, listOf } from "./own.ts";
import { annotations, typeOfValue, typesOf } from "./types.ts";

export type Definitions = ReadonlyMap<string, JsonObject>;

/** Takes so many steps from a budget. @throws where it has too few left */
export type Spend = (steps: number) => void;

/** Schemas of one place of which a value meets at least one: alternatives, or the two sides of a condition. */
export interface Choice {
  readonly branches: readonly JsonObject[];
  /** The indexes of the branches that an object or a list may meet. None: the choice says nothing of it. */
  select(value: object, spend: Spend): readonly number[];
}

/** What holds of everything. */
const anything: JsonObject = {};

const choices = new WeakMap<JsonObject, readonly Choice[]>();

/** What a schema leaves open of its values. Kept, as each of many values is asked for it. */
export function choicesOf(node: JsonObject, definitions: Definitions, spend: Spend): readonly Choice[] {
  const known = choices.get(node);
  if (known !== undefined) return known;
  const found = [
    ...[listOf(node["anyOf"]), listOf(node["oneOf"])].flatMap((branches) =>
      branches.length === 0 ? [] : [createUnion(branches, definitions, spend)],
    ),
    ...createCondition(node, definitions, spend),
    ...entriesOf(node["dependentSchemas"]).map(createDependent),
  ];
  choices.set(node, found);
  return found;
}

/** Schemas with all that holds wherever they hold. */
export function withAlwaysBeside(
  schemas: Iterable<JsonObject>,
  definitions: Definitions,
  spend: Spend,
): Set<JsonObject> {
  const found = new Set(schemas);
  // The set grows on the way.
  for (const each of found) {
    spend(1);
    for (const next of alwaysBeside(each, definitions)) found.add(next);
  }
  return found;
}

export function alwaysBeside(node: JsonObject, definitions: Definitions): readonly JsonObject[] {
  const target = typeof node["$ref"] === "string" ? definitions.get(node["$ref"]) : undefined;
  return target === undefined ? listOf(node["allOf"]) : [target, ...listOf(node["allOf"])];
}

/** What rules objects and lists out: the types of a schema, and the values that it allows properties. */
interface Facts {
  readonly types: ReadonlySet<string>;
  readonly tags: ReadonlyMap<string, readonly ReadonlySet<unknown>[]>;
  /** That it takes to hold them against a value. */
  readonly steps: number;
}

function factsOf(branch: JsonObject, definitions: Definitions, spend: Spend): Facts {
  const nodes = [...withAlwaysBeside([branch], definitions, spend)];
  const tags = new Map<string, Set<unknown>[]>();
  const named = nodes.map(typesOf).filter((types) => types !== undefined);
  const types = new Set(["array", "object"].filter((type) => named.every((each) => each.includes(type))));
  let steps = 1;
  for (const [key, schema] of nodes.flatMap((node) => entriesOf(node["properties"]))) {
    for (const tag of withAlwaysBeside([schema], definitions, spend)) {
      const values = "const" in tag ? [tag["const"]] : tag["enum"];
      if (!Array.isArray(values)) continue;
      spend(values.length);
      const sets = tags.get(key);
      if (sets === undefined) tags.set(key, [new Set(values)]);
      else sets.push(new Set(values));
      steps++;
    }
  }
  return { types, tags, steps };
}

/** False where a type, or the values that are allowed a property, rule the value out. */
function mayTake({ types, tags, steps }: Facts, value: object, spend: Spend): boolean {
  spend(steps);
  if (!types.has(typeOfValue(value))) return false;
  if (!isJsonObject(value)) return true;
  for (const [key, sets] of tags) {
    const member = getOwn(value, key);
    if (isTag(member) && !sets.every((values) => values.has(member))) return false;
  }
  return true;
}

/** Null may stand for what is not there. */
function isTag(member: unknown): boolean {
  return member !== undefined && typeof member !== "object";
}

function createUnion(branches: readonly JsonObject[], definitions: Definitions, spend: Spend): Choice {
  const facts = branches.map((branch) => factsOf(branch, definitions, spend));
  const all = branches.map((_, index) => index);
  const tag = commonTag(facts);
  const untagged = all.filter((index) => tag === undefined || facts[index]?.tags.has(tag) !== true);
  const tagged = new Map<unknown, number[]>();
  for (const index of tag === undefined ? [] : all) {
    for (const value of facts[index]?.tags.get(tag as string)?.[0] ?? []) {
      const sharing = tagged.get(value);
      if (sharing === undefined) tagged.set(value, [index]);
      else sharing.push(index);
    }
  }
  return {
    branches,
    select(value, spend) {
      const member = tag !== undefined && isJsonObject(value) ? getOwn(value, tag) : undefined;
      const candidates = isTag(member) ? [...(tagged.get(member) ?? []), ...untagged] : all;
      return candidates.filter((index) => mayTake(facts[index] as Facts, value, spend));
    },
  };
}

/** The key that tells the most branches apart. */
function commonTag(facts: readonly Facts[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { tags } of facts) for (const key of tags.keys()) counts.set(key, (counts.get(key) ?? 0) + 1);
  const [best] = [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), ["", 1]);
  return counts.has(best) ? best : undefined;
}

/** Where it is not certain which side of a condition holds, it may be either. */
function createCondition(node: JsonObject, definitions: Definitions, spend: Spend): Choice[] {
  const condition = node["if"];
  const sides = [node["then"], node["else"]];
  if (!isJsonObject(condition) || !sides.some(isJsonObject)) return [];
  const facts = factsOf(condition, definitions, spend);
  return [
    {
      branches: sides.map((side) => (isJsonObject(side) ? side : anything)),
      select(value, spend) {
        if (!mayTake(facts, value, spend)) return [1];
        return surelyTakes(condition, value, spend) ? [0] : [0, 1];
      },
    },
  ];
}

/** Whether a schema accepts a value, as far as plain words say: those by which people tell their cases apart. */
function surelyTakes(schema: JsonObject, value: unknown, spend: Spend): boolean {
  return Object.entries(schema).every(([keyword, word]) => {
    spend(1);
    if (annotations.has(keyword)) return true;
    if (keyword === "type") return [word].flat().includes(typeOfValue(value));
    if (keyword === "const") return word === value;
    if (keyword === "enum") return listOf<unknown>(word).includes(value);
    if (!isJsonObject(value)) return false;
    if (keyword === "required") return listOf<string>(word).every((key) => (getOwn(value, key) ?? null) !== null);
    if (keyword !== "properties") return false;
    return entriesOf(word).every(([key, each]) => {
      const member = getOwn(value, key);
      return member === undefined || (isTag(member) && surelyTakes(each, member, spend));
    });
  });
}

function createDependent([key, schema]: [string, JsonObject]): Choice {
  return {
    branches: [schema, anything],
    select(value, spend) {
      spend(1);
      if (!isJsonObject(value) || !Object.hasOwn(value, key)) return [];
      return value[key] === null ? [0, 1] : [0];
    },
  };
}
