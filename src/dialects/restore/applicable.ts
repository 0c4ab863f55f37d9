import { entriesOf, getOwn, type JsonObject, listOf } from "../../json/object.ts";
import { alwaysBeside, type Choice, choicesOf, type Definitions, type Spend, withAlwaysBeside } from "./choices.ts";
import { acceptsNull } from "./nulls.ts";

/** What a schema requires of an object or a list. Values that select the same branches share one. */
export interface Reading {
  /** One schema that a valid value of a property must meet. Undefined: nothing is known of it. */
  ofProperty(key: string): JsonObject | undefined;
  ofItem(index: number): JsonObject | undefined;
  /**
   * The meaning of null as the value of a property. `absent`: every schema that names the property allows its absence,
   * and null is certainly refused.
   */
  readNull(key: string): "absent" | "null";
}

export interface Reader {
  read(schema: JsonObject, value: object): Reading;
  /** The keys of the properties that a schema names, whichever of its branches a value selects. */
  keysOf(schema: JsonObject): ReadonlySet<string>;
  /** The keys of the properties that only branches of a schema name, and for which none of these accepts null. */
  branchKeysOf(schema: JsonObject): ReadonlySet<string>;
}

/** Maximum depth to which references and alternatives of one place are followed. */
const maxDepth = 500;

/**
 * Creates the reader of schemas for values.
 * @param spend is called before each step, and throws if the budget is used up
 */
export function createReader(definitions: Definitions, spend: Spend): Reader {
  const firstStages = new Map<JsonObject, Stage>();
  const all = new Map<JsonObject, ReadonlySet<JsonObject>>();
  const keys = new Map<JsonObject, ReadonlySet<string>>();
  const branchKeys = new Map<JsonObject, ReadonlySet<string>>();
  const join = createJoin();

  return { read, keysOf, branchKeysOf };

  function read(schema: JsonObject, value: object): Reading {
    let stage = firstStages.get(schema);
    if (stage === undefined) firstStages.set(schema, (stage = createStage(undefined, [schema], new Map())));
    while (stage.choices.length > 0) stage = advance(stage, value);
    return (stage.reading ??= createReading(stage));
  }

  /** Selects branches of the open choices for a value. Each stage has schemas that the stages before did not have. */
  function advance(stage: Stage, value: object): Stage {
    spend(stage.choices.length);
    const selected = stage.choices.map((choice) => choice.select(value, spend));
    const name = selected.join(";");
    const known = stage.next.get(name);
    if (known !== undefined) return known;
    const opened = new Map(stage.opened);
    const branches = stage.choices.flatMap((choice, at) => {
      const open = (selected[at] ?? []).map((index) => choice.branches[index] as JsonObject);
      opened.set(choice, open);
      return open;
    });
    const next = createStage(stage, branches, opened);
    stage.next.set(name, next);
    return next;
  }

  function createStage(
    before: Stage | undefined,
    schemas: readonly JsonObject[],
    opened: ReadonlyMap<Choice, readonly JsonObject[]>,
  ): Stage {
    spend(opened.size + (before?.nodes.size ?? 0));
    const added = [...withAlwaysBeside(schemas, definitions, spend)].filter((node) => before?.nodes.has(node) !== true);
    const choices = added.flatMap((node) => choicesOf(node, definitions, spend));
    return { nodes: new Set([...(before?.nodes ?? []), ...added]), opened, choices, next: new Map() };
  }

  function createReading({ nodes, opened }: Stage): Reading {
    const list = [...nodes];
    const declared = new Set(list.flatMap((node) => Object.keys(Object(node["properties"]) as JsonObject)));
    const required = new Set(list.flatMap((node) => listOf<string>(node["required"])));
    spend(list.length + declared.size + required.size);
    const itemsApart = list.reduce((most, node) => Math.max(most, listOf(node["prefixItems"]).length), 0);
    const first = list[0] as JsonObject;
    const properties = new Map<string | undefined, JsonObject | undefined>();
    const items = new Map<number, JsonObject | undefined>();
    const nulls = new Map<string, "absent" | "null">();
    return { ofProperty, ofItem, readNull };

    function ofProperty(key: string): JsonObject | undefined {
      // All keys that no schema names share one result.
      const name = declared.has(key) ? key : undefined;
      if (!properties.has(name))
        properties.set(
          name,
          combine((node) => propertyOf(node, name)),
        );
      return properties.get(name);
    }

    function ofItem(index: number): JsonObject | undefined {
      const at = Math.min(index, itemsApart);
      if (!items.has(at))
        items.set(
          at,
          combine((node) => itemOf(node, at)),
        );
      return items.get(at);
    }

    function readNull(key: string): "absent" | "null" {
      if (!declared.has(key) || required.has(key)) return "null";
      const known = nulls.get(key);
      if (known !== undefined) return known;
      const schema = ofProperty(key);
      const answer = schema !== undefined && acceptsNull(schema, definitions) === false ? "absent" : "null";
      nulls.set(key, answer);
      return answer;
    }

    /** Combines what the schemas require of a member of the value. */
    function combine(speak: (node: JsonObject) => JsonObject | undefined): JsonObject | undefined {
      const known = new Map<JsonObject, JsonObject | undefined>();
      return schemaFrom(first, 0);

      function schemaFrom(node: JsonObject, depth: number): JsonObject | undefined {
        if (known.has(node) || depth > maxDepth) return known.get(node);
        spend(1);
        known.set(node, undefined); // A recursive request before the answer is known gets undefined.
        const own = speak(node);
        const parts = alwaysBeside(node, definitions).map((each) => schemaFrom(each, depth + 1));
        const chosen = choicesOf(node, definitions, spend).map((choice) => schemaFromAny(choice, depth + 1));
        const all = [own, ...parts, ...chosen].filter((each) => each !== undefined);
        spend(all.length);
        const answer = all.length === 0 ? undefined : join("allOf", all);
        known.set(node, answer);
        return answer;
      }

      function schemaFromAny(choice: Choice, depth: number): JsonObject | undefined {
        const answers = (opened.get(choice) ?? [])
          .map((branch) => schemaFrom(branch, depth) ?? (isClosed(branch) ? undefined : anything))
          .filter((each) => each !== undefined);
        spend(answers.length);
        return answers.every((each) => each === anything) ? undefined : join("anyOf", answers);
      }
    }
  }

  /** Whether a schema refuses each property that it does not name. */
  function isClosed(branch: JsonObject): boolean {
    return [...withAlwaysBeside([branch], definitions, spend)].some(
      (node) => node["additionalProperties"] === false && !("patternProperties" in node),
    );
  }

  function keysOf(schema: JsonObject): ReadonlySet<string> {
    const known = keys.get(schema);
    if (known !== undefined) return known;
    const found = new Set<string>();
    for (const node of allOf(schema)) for (const [key] of entriesOf(node["properties"])) found.add(key);
    spend(found.size);
    keys.set(schema, found);
    return found;
  }

  function branchKeysOf(schema: JsonObject): ReadonlySet<string> {
    const known = branchKeys.get(schema);
    if (known !== undefined) return known;
    const always = withAlwaysBeside([schema], definitions, spend);
    const found = new Set<string>();
    const others = new Set<string>();
    for (const node of allOf(schema)) {
      for (const [key, property] of entriesOf(node["properties"])) {
        spend(1);
        const isRefused = acceptsNull(property, definitions) === false;
        (isRefused && !always.has(node) ? found : others).add(key);
      }
    }
    for (const key of others) found.delete(key);
    branchKeys.set(schema, found);
    return found;
  }

  /** A schema with all that may apply together with it. */
  function allOf(schema: JsonObject): ReadonlySet<JsonObject> {
    const known = all.get(schema);
    if (known !== undefined) return known;
    const nodes = new Set([schema]);
    // The set grows during the loop.
    for (const node of nodes) {
      spend(1);
      const branches = choicesOf(node, definitions, spend).flatMap((choice) => choice.branches);
      for (const next of [...alwaysBeside(node, definitions), ...branches]) nodes.add(next);
    }
    all.set(schema, nodes);
    return nodes;
  }
}

const anything: JsonObject = {};

/** A schema with the schemas that apply together with it, for the choices made so far. */
interface Stage {
  readonly nodes: ReadonlySet<JsonObject>;
  /** The branches that the value may meet, for each choice made. */
  readonly opened: ReadonlyMap<Choice, readonly JsonObject[]>;
  /** The choices that are still open. */
  readonly choices: readonly Choice[];
  readonly next: Map<string, Stage>;
  reading?: Reading;
}

/** @param key undefined for a key that no schema names */
function propertyOf(node: JsonObject, key: string | undefined): JsonObject | undefined {
  const declared = key === undefined ? undefined : getOwn(Object(node["properties"]) as JsonObject, key);
  return schemaOrNothing(declared ?? ("patternProperties" in node ? undefined : node["additionalProperties"]));
}

function itemOf(node: JsonObject, index: number): JsonObject | undefined {
  return schemaOrNothing(listOf(node["prefixItems"])[index] ?? node["items"]);
}

function schemaOrNothing(schema: unknown): JsonObject | undefined {
  return typeof schema === "object" && schema !== null ? (schema as JsonObject) : undefined;
}

/** Joins schemas. The same schemas give the same object, so that cached results of it are found again. */
function createJoin(): (keyword: "allOf" | "anyOf", schemas: readonly JsonObject[]) => JsonObject {
  const numbers = new Map<JsonObject, number>();
  const joined = new Map<string, JsonObject>();
  return (keyword, schemas) => {
    const parts = [...new Set(schemas)];
    if (parts.length === 1) return parts[0] as JsonObject;
    const name =
      keyword +
      parts
        .map(numberOf)
        .toSorted((a, b) => a - b)
        .join();
    const schema = joined.get(name) ?? { [keyword]: parts };
    joined.set(name, schema);
    return schema;
  };

  function numberOf(schema: JsonObject): number {
    const number = numbers.get(schema) ?? numbers.size;
    numbers.set(schema, number);
    return number;
  }
}
