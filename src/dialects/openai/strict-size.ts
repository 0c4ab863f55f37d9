import { entriesOf, type JsonObject, listOf } from "../../json/object.ts";
import { schemasIn } from "../schema/strict-cost.ts";

/** Source: platform.openai.com/docs/guides/structured-outputs, "Supported schemas". */
const limits = {
  properties: 5000,
  levels: 10,
  characters: 120_000,
  values: 1000,
  longValues: 250,
  longCharacters: 15_000,
};

/** The limit on the size of a strict schema that it exceeds, if any. */
export function excessOfStrict(schema: JsonObject): string | undefined {
  const count = { properties: 0, characters: 0, values: 0 };
  for (const { node, levels } of schemasIn(schema)) {
    if (levels > limits.levels) return `it is nested over ${limits.levels} levels`;
    const names = ["properties", "$defs"].flatMap((keyword) => entriesOf(node[keyword]).map(([key]) => key));
    const values = [...listOf<unknown>(node["enum"]), ...("const" in node ? [node["const"]] : [])];
    const ofValues = lengthOf(values);
    count.properties += entriesOf(node["properties"]).length;
    count.values += listOf(node["enum"]).length;
    count.characters += lengthOf(names) + ofValues;
    if (values.length > limits.longValues && ofValues > limits.longCharacters) {
      return `an enum of over ${limits.longValues} values has over ${limits.longCharacters} characters`;
    }
  }
  for (const what of ["properties", "characters", "values"] as const) {
    if (count[what] > limits[what]) return `it has over ${limits[what]} ${what}`;
  }
  return undefined;
}

function lengthOf(values: readonly unknown[]): number {
  return values.reduce(
    (sum: number, value) => sum + (typeof value === "string" ? value : JSON.stringify(value)).length,
    0,
  );
}
