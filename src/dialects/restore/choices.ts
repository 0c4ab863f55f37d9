import { entriesOf, getOwn, isJsonObject, type JsonObject, listOf } from "../../json/object.ts";
import { annotations, typeOfValue, typesOf } from "../schema/write/types.ts";

export type Definitions = ReadonlyMap<string, JsonObject>;

/** Takes steps from a budget. @throws if too few are left */
export type Spend = (steps: number) => void;

/** Schemas of one place of which a value meets at least one: alternatives, or the two sides of a condition. */
export interface Choice {
  readonly branches: readonly JsonObject[];
  /** The indexes of the branches that an object or a list may meet. Empty: the choice requires nothing of it. */
  select(value: object, spend: Spend): readonly number[];
}

/** The schema that accepts every value. */
const anything: JsonObject = {};

const choices = new WeakMap<JsonObject, readonly Choice[]>();

/** The choices that a schema leaves open. Cached, because they are requested for each of many values. */
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

/** The schemas, with all that apply whenever they apply. */
export function withAlwaysBeside(
  schemas: Iterable<JsonObject>,
  definitions: Definitions,
  spend: Spend,
): Set<JsonObject> {
  const found = new Set(schemas);
  // The set grows during the loop.
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

/** The facts that exclude objects and lists: the types of a schema, and the values that it allows for properties. */
interface Facts {
  readonly types: ReadonlySet<string>;
  readonly tags: ReadonlyMap<string, readonly ReadonlySet<unknown>[]>;
  /** Number of steps to compare them with a value. */
  readonly steps: number;
}

const facts = new WeakMap<JsonObject, Facts>();

/** Cached one by one: if the budget ends before all branches are read, the next call continues there. */
function factsOf(branch: JsonObject, definitions: Definitions, spend: Spend): Facts {
  const known = facts.get(branch) ?? readFacts(branch, definitions, spend);
  facts.set(branch, known);
  return known;
}

/**
 * Maximum number of tags of a branch that are compared with a value, and of values of one tag that are indexed: memory
 * grows with both.
 */
const maxTags = 64;

function readFacts(branch: JsonObject, definitions: Definitions, spend: Spend): Facts {
  const nodes = [...withAlwaysBeside([branch], definitions, spend)];
  for (const node of nodes) spend(listOf(node["enum"]).length);
  const tags = new Map<string, ReadonlySet<unknown>[]>();
  const named = nodes.map(typesOf).filter((types) => types !== undefined);
  const types = new Set(["array", "object"].filter((type) => named.every((each) => each.includes(type))));
  let steps = 1;
  for (const [key, schema] of nodes.flatMap((node) => entriesOf(node["properties"]))) {
    for (const tag of withAlwaysBeside([schema], definitions, spend)) {
      const values = valuesOf(tag, spend);
      if (values === undefined || steps > maxTags) continue;
      const sets = tags.get(key);
      if (sets === undefined) tags.set(key, [values]);
      else sets.push(values);
      steps++;
    }
  }
  return { types, tags, steps };
}

const valueSets = new WeakMap<JsonObject, ReadonlySet<unknown>>();

function valuesOf(tag: JsonObject, spend: Spend): ReadonlySet<unknown> | undefined {
  const values = "const" in tag ? [tag["const"]] : tag["enum"];
  if (!Array.isArray(values)) return undefined;
  const known = valueSets.get(tag);
  if (known !== undefined) return known;
  spend(values.length);
  const set = new Set<unknown>(values);
  valueSets.set(tag, set);
  return set;
}

/** False if a type, or the allowed values of a property, exclude the value. */
function mayAccept({ types, tags, steps }: Facts, value: object, spend: Spend): boolean {
  spend(steps);
  if (!types.has(typeOfValue(value))) return false;
  if (!isJsonObject(value)) return true;
  for (const [key, sets] of tags) {
    const member = getOwn(value, key);
    if (isTag(member) && !sets.every((values) => values.has(member))) return false;
  }
  return true;
}

/** Null may stand for an absent property. */
function isTag(member: unknown): boolean {
  return member !== undefined && typeof member !== "object";
}

function createUnion(branches: readonly JsonObject[], definitions: Definitions, spend: Spend): Choice {
  const known = branches.map((branch) => factsOf(branch, definitions, spend));
  const all = branches.map((_, index) => index);
  const tag = commonTag(known, spend);
  const untagged: number[] = [];
  const tagged = new Map<unknown, number[]>();
  for (const index of all) {
    const values = tag === undefined ? undefined : known[index]?.tags.get(tag)?.[0];
    if (values === undefined || values.size > maxTags) untagged.push(index);
    else {
      spend(values.size);
      for (const value of values) {
        const sharing = tagged.get(value);
        if (sharing === undefined) tagged.set(value, [index]);
        else sharing.push(index);
      }
    }
  }
  return {
    branches,
    select(value, spend) {
      const member = tag !== undefined && isJsonObject(value) ? getOwn(value, tag) : undefined;
      const candidates = isTag(member) ? [...(tagged.get(member) ?? []), ...untagged] : all;
      return candidates.filter((index) => mayAccept(known[index] as Facts, value, spend));
    },
  };
}

/** The key that distinguishes most branches: the one with most values, counted up to the number of branches. */
function commonTag(all: readonly Facts[], spend: Spend): string | undefined {
  const found = new Map<string, { branches: number; readonly values: Set<unknown> }>();
  for (const [key, [values]] of all.flatMap(({ tags }) => [...tags])) {
    spend(1);
    if (values === undefined || values.size > maxTags) continue;
    const entry = found.get(key) ?? { branches: 0, values: new Set() };
    entry.branches++;
    spend(values.size);
    for (const value of values) entry.values.add(value);
    found.set(key, entry);
  }
  let [best, most]: [string | undefined, number] = [undefined, 1];
  for (const [key, { branches, values }] of found) {
    const count = Math.min(branches, values.size);
    if (count > most) [best, most] = [key, count];
  }
  return best;
}

/** If it is not certain which side of a condition applies, it may be either. */
function createCondition(node: JsonObject, definitions: Definitions, spend: Spend): Choice[] {
  const condition = node["if"];
  const sides = [node["then"], node["else"]];
  if (!isJsonObject(condition) || !sides.some(isJsonObject)) return [];
  const known = factsOf(condition, definitions, spend);
  return [
    {
      branches: sides.map((side) => (isJsonObject(side) ? side : anything)),
      select(value, spend) {
        if (!mayAccept(known, value, spend)) return [1];
        return surelyAccepts(condition, value, spend) ? [0] : [0, 1];
      },
    },
  ];
}

/** Whether a schema certainly accepts a value. Only keywords are read that usually distinguish cases. */
function surelyAccepts(schema: JsonObject, value: unknown, spend: Spend): boolean {
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
      return member === undefined || (isTag(member) && surelyAccepts(each, member, spend));
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
