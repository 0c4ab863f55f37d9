import { entriesOf, isJsonObject, type JsonObject, listOf } from "../../json/object.ts";
import { subschemas } from "../../schema/walk.ts";

/** The share of a strict schema in the limits for a whole request. */
export interface StrictCost {
  /** Number of optional properties, at any depth. */
  readonly optional: number;
  /** Number of properties with more than one type, at any depth. */
  readonly unions: number;
}

export function costOf(schema: JsonObject): StrictCost {
  let [optional, unions] = [0, 0];
  for (const { node } of schemasIn(schema)) {
    const required = new Set(listOf<string>(node["required"]));
    for (const [key, property] of entriesOf(node["properties"])) {
      if (!required.has(key)) optional++;
      if (Array.isArray(property["anyOf"]) || Array.isArray(property["type"])) unions++;
    }
  }
  return { optional, unions };
}

/** Source: platform.openai.com/docs/guides/structured-outputs, "Supported schemas". */
const openaiLimits = {
  properties: 5000,
  levels: 10,
  characters: 120_000,
  values: 1000,
  longValues: 250,
  longCharacters: 15_000,
};

/** The limit of OpenAI on the size of a strict schema that it exceeds, if any. */
export function overOpenaiLimit(schema: JsonObject): string | undefined {
  const count = { properties: 0, characters: 0, values: 0 };
  for (const { node, levels } of schemasIn(schema)) {
    if (levels > openaiLimits.levels) return `it is nested over ${openaiLimits.levels} levels`;
    const names = ["properties", "$defs"].flatMap((keyword) => entriesOf(node[keyword]).map(([key]) => key));
    const values = [...listOf<unknown>(node["enum"]), ...("const" in node ? [node["const"]] : [])];
    const ofValues = lengthOf(values);
    count.properties += entriesOf(node["properties"]).length;
    count.values += listOf(node["enum"]).length;
    count.characters += lengthOf(names) + ofValues;
    if (values.length > openaiLimits.longValues && ofValues > openaiLimits.longCharacters) {
      return `an enum of over ${openaiLimits.longValues} values has over ${openaiLimits.longCharacters} characters`;
    }
  }
  for (const what of ["properties", "characters", "values"] as const) {
    if (count[what] > openaiLimits[what]) return `it has over ${openaiLimits[what]} ${what}`;
  }
  return undefined;
}

function lengthOf(values: readonly unknown[]): number {
  return values.reduce(
    (sum: number, value) => sum + (typeof value === "string" ? value : JSON.stringify(value)).length,
    0,
  );
}

/** Every schema inside, with the number of objects and arrays around it. */
function schemasIn(root: JsonObject): { node: JsonObject; levels: number }[] {
  const found = [{ node: root, levels: 1 }];
  // The list grows during the loop.
  for (const { node, levels } of found) {
    for (const { schema, path } of subschemas(node)) {
      const isDeeper = path.startsWith("/properties/") || path === "/items";
      if (isJsonObject(schema)) found.push({ node: schema, levels: levels + (isDeeper ? 1 : 0) });
    }
  }
  return found;
}
