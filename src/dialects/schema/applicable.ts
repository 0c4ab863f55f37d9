import type { JsonObject } from "../../core/json-schema.ts";
import { acceptsNull } from "./nulls.ts";
import { entriesOf, getOwn, listOf } from "./own.ts";
import { typeOfValue, typesOf } from "./types.ts";

type Definitions = ReadonlyMap<string, JsonObject>;

/** Schemas that speak of one value. There are never more in what people write. */
const maxSchemas = 1000;

/**
 * The schemas that speak of a value, with those that they refer to and those of their alternatives that the value's own
 * tags do not rule out. Without a value: all of them.
 */
export function applicableTo(schemas: readonly JsonObject[], value: unknown, definitions: Definitions): JsonObject[] {
  const found = new Set(schemas);
  // The set grows on the way.
  for (const node of found) {
    if (found.size > maxSchemas) return [];
    const branches = [...listOf(node["anyOf"]), ...listOf(node["oneOf"])].filter((branch) =>
      mayTake(branch, value, definitions),
    );
    for (const next of [...conjunctsOf(node, definitions), ...branches]) found.add(next);
  }
  return [...found];
}

function conjunctsOf(node: JsonObject, definitions: Definitions): JsonObject[] {
  const conditional = [node["then"], node["else"], ...entriesOf(node["dependentSchemas"]).map(([, schema]) => schema)];
  return [...alwaysBeside(node, definitions), ...conditional.filter((each) => each !== undefined)] as JsonObject[];
}

/** What holds wherever a schema holds. */
function alwaysBeside(node: JsonObject, definitions: Definitions): JsonObject[] {
  const target = typeof node["$ref"] === "string" ? definitions.get(node["$ref"]) : undefined;
  return [...(target === undefined ? [] : [target]), ...listOf(node["allOf"])];
}

const besides = new WeakMap<JsonObject, ReadonlySet<JsonObject>>();

/** Kept, because each of many values asks it of the same branches. A schema belongs to one set of definitions. */
function withAlwaysBeside(node: JsonObject, definitions: Definitions): ReadonlySet<JsonObject> {
  const known = besides.get(node);
  if (known !== undefined) return known;
  const found = new Set([node]);
  // The set grows on the way.
  for (const each of found)
    if (found.size < maxSchemas) for (const next of alwaysBeside(each, definitions)) found.add(next);
  besides.set(node, found);
  return found;
}

/** False where the branch's type, or the values that it allows a property, rule the value out. */
function mayTake(branch: JsonObject, value: unknown, definitions: Definitions): boolean {
  if (value === undefined) return true;
  return [...withAlwaysBeside(branch, definitions)].every((node) => {
    if (typesOf(node)?.includes(typeOfValue(value)) === false) return false;
    return entriesOf(node["properties"]).every(([key, schema]) => {
      const member = getOwn(value as JsonObject, key);
      if (member === undefined || typeof member === "object") return true;
      return [...withAlwaysBeside(schema, definitions)].every((tag) => {
        const values = "const" in tag ? [tag["const"]] : tag["enum"];
        return !Array.isArray(values) || values.includes(member);
      });
    });
  });
}

function isClosed(branch: JsonObject, definitions: Definitions): boolean {
  return [...withAlwaysBeside(branch, definitions)].some((node) => node["additionalProperties"] === false);
}

/**
 * What null stands for as the value of a property of an object. `absent`: the property may be left out wherever a schema
 * speaks of it, and null is refused.
 * @param nodes what is applicable to the object, of the schemas that speak of it
 */
export function createNullReader(
  value: JsonObject,
  schemas: readonly JsonObject[],
  nodes: readonly JsonObject[],
  definitions: Definitions,
): (key: string) => "absent" | "null" {
  const required = new Set(nodes.flatMap((node) => listOf<string>(node["required"])));
  const declared = new Set(nodes.flatMap((node) => entriesOf(node["properties"]).map(([key]) => key)));
  return (key) => {
    if (!declared.has(key) || required.has(key)) return "null";
    return takesNull(key, value, schemas, definitions) === false ? "absent" : "null";
  };
}

/** Whether schemas of an object take null as a property. Undefined: they do not speak of it. */
function takesNull(
  key: string,
  value: JsonObject,
  schemas: readonly JsonObject[],
  definitions: Definitions,
): boolean | undefined {
  const known = new Map<JsonObject, boolean | undefined>();
  return all(schemas);

  function takes(node: JsonObject): boolean | undefined {
    if (known.has(node)) return known.get(node);
    known.set(node, undefined); // What asks it again before it is known goes round in a circle.
    const declared = getOwn(Object(node["properties"]) as JsonObject, key);
    const own = declared === undefined ? undefined : acceptsNull(declared, definitions) !== false;
    const parts = [own, all(conjunctsOf(node, definitions)), any(node["anyOf"]), any(node["oneOf"])];
    const answer = parts.includes(false) ? false : parts.includes(true) || undefined;
    known.set(node, answer);
    return answer;
  }

  function all(nodes: readonly JsonObject[]): boolean | undefined {
    const answers = nodes.map(takes);
    return answers.includes(false) ? false : answers.includes(true) || undefined;
  }

  function any(branches: unknown): boolean | undefined {
    const open = listOf(branches).filter((branch) => mayTake(branch, value, definitions));
    const answers = open.map((branch) => takes(branch) ?? (isClosed(branch, definitions) ? undefined : true));
    // Where no branch speaks of it, none allows more than another.
    if (!answers.includes(false)) return undefined;
    return answers.includes(true);
  }
}
