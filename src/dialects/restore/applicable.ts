import { entriesOf, getOwn, type JsonObject, listOf } from "../../json/object.ts";
import { alwaysBeside, type Choice, choicesOf, type Definitions, type Spend, withAlwaysBeside } from "./choices.ts";
import { acceptsNull } from "./nulls.ts";

/** What a schema says of an object or a list. Values that take the same of its choices share it. */
export interface Reading {
  /** One schema that the value of a property surely meets. Undefined: nothing is said of it. */
  ofProperty(key: string): JsonObject | undefined;
  ofItem(index: number): JsonObject | undefined;
  /**
   * What null stands for as the value of a property. `absent`: the property may be left out wherever a schema speaks of
   * it, and null is refused for certain.
   */
  readNull(key: string): "absent" | "null";
}

export interface Reader {
  read(schema: JsonObject, value: object): Reading;
  /** The keys of the properties that a schema names, whichever of its choices a value takes. */
  keysOf(schema: JsonObject): ReadonlySet<string>;
}

/** Schemas below a place are followed so far through references and alternatives, and not further. */
const maxDepth = 500;

/**
 * Makes what reads schemas beside values.
 * @param spend is told of each step, before it is taken, and throws where there have been enough
 */
export function createReader(definitions: Definitions, spend: Spend): Reader {
  const firstStages = new Map<JsonObject, Stage>();
  const keys = new Map<JsonObject, ReadonlySet<string>>();
  const join = createJoin();

  return { read, keysOf };

  function read(schema: JsonObject, value: object): Reading {
    let stage = firstStages.get(schema);
    if (stage === undefined) firstStages.set(schema, (stage = createStage(undefined, [schema], new Map())));
    while (stage.choices.length > 0) stage = advance(stage, value);
    return (stage.reading ??= createReading(stage));
  }

  /** Takes what the value takes of the choices that stand open. Each stage has schemas that those before had not. */
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
      // What no schema names is the same to all.
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

    /** Puts together what the schemas say of a member of the value. */
    function combine(speak: (node: JsonObject) => JsonObject | undefined): JsonObject | undefined {
      const said = new Map<JsonObject, JsonObject | undefined>();
      return saidBy(first, 0);

      function saidBy(node: JsonObject, depth: number): JsonObject | undefined {
        if (said.has(node) || depth > maxDepth) return said.get(node);
        spend(1);
        said.set(node, undefined); // What asks it again before it is known goes round in a circle.
        const own = speak(node);
        const parts = alwaysBeside(node, definitions).map((each) => saidBy(each, depth + 1));
        const chosen = choicesOf(node, definitions, spend).map((choice) => saidByAny(choice, depth + 1));
        const all = [own, ...parts, ...chosen].filter((each) => each !== undefined);
        spend(all.length);
        const answer = all.length === 0 ? undefined : join("allOf", all);
        said.set(node, answer);
        return answer;
      }

      function saidByAny(choice: Choice, depth: number): JsonObject | undefined {
        const answers = (opened.get(choice) ?? [])
          .map((branch) => saidBy(branch, depth) ?? (isClosed(branch) ? undefined : anything))
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
    const nodes = new Set([schema]);
    const found = new Set<string>();
    // The set grows on the way.
    for (const node of nodes) {
      spend(1);
      for (const [key] of entriesOf(node["properties"])) found.add(key);
      const branches = choicesOf(node, definitions, spend).flatMap((choice) => choice.branches);
      for (const next of [...alwaysBeside(node, definitions), ...branches]) nodes.add(next);
    }
    spend(found.size);
    keys.set(schema, found);
    return found;
  }
}

const anything: JsonObject = {};

/** A schema with those that hold beside it, as far as choices have been taken. */
interface Stage {
  readonly nodes: ReadonlySet<JsonObject>;
  /** What the value may meet of each choice taken. */
  readonly opened: ReadonlyMap<Choice, readonly JsonObject[]>;
  /** Those not taken yet. */
  readonly choices: readonly Choice[];
  readonly next: Map<string, Stage>;
  reading?: Reading;
}

/** @param key undefined for one that no schema names */
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

/** Joins schemas. The same ones give the same one, so that what was found out of it is found again. */
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
