import { isJsonObject, type JsonObject, listOf, setOwn } from "../../json/object.ts";
import { mentions } from "./fixed-properties.ts";
import { isEmpty } from "./join-into.ts";
import { leaveOut, type ReduceKeyword, type Reduction } from "./reduction.ts";

/** The keywords about which properties an object has, and how many. */
export const nameKeywords: readonly (readonly [keyword: string, reduceKeyword: ReduceKeyword])[] = [
  ["propertyNames", reducePropertyNames],
  ["required", (reduction, value) => reduceRequired(reduction, listOf(value))],
  ["dependentRequired", (reduction, value) => reduceDependentRequired(reduction, value as NamesByName)],
  ["minProperties", (reduction, value) => reduceMinimum(reduction, Number(value))],
  ["maxProperties", (reduction, value) => reduceMaximum(reduction, Number(value))],
];

type NamesByName = Readonly<Record<string, readonly string[]>>;

function reducePropertyNames(reduction: Reduction, schema: unknown): string | undefined {
  const { written, also, options } = reduction;
  const { fixed, accepts, wholeText } = options;
  const refused = [...fixed.keys()].find((name) => !accepts(schema, name));
  if (refused !== undefined) return `the schema does not allow "${refused}"`;
  if (!mentions(fixed, wholeText(schema))) {
    written["propertyNames"] = schema;
  } else if (isJsonObject(schema) && Array.isArray(schema["enum"])) {
    const others = schema["enum"].filter((name) => !fixed.has(String(name)));
    if (others.length === 0) also.push({ maxProperties: 0 });
    else also.push({ propertyNames: { enum: others } });
    reduction.isExact &&= Object.keys(schema).length === 1;
  } else {
    leaveOut(reduction, "propertyNames");
  }
  return undefined;
}

function reduceRequired({ written, options: { fixed } }: Reduction, names: readonly string[]): undefined {
  const rest = names.filter((name) => !fixed.has(name));
  if (rest.length > 0) written["required"] = rest;
}

function reduceDependentRequired({ written, required, options: { fixed } }: Reduction, needs: NamesByName): undefined {
  const rest: JsonObject = {};
  for (const [name, needed] of Object.entries(needs)) {
    const others = needed.filter((each) => !fixed.has(each));
    if (fixed.has(name)) for (const each of others) required.add(each);
    else if (others.length > 0) setOwn(rest, name, others);
  }
  if (!isEmpty(rest)) written["dependentRequired"] = rest;
}

function reduceMinimum({ written, options: { fixed } }: Reduction, minimum: number): undefined {
  if (minimum > fixed.size) written["minProperties"] = minimum - fixed.size;
}

function reduceMaximum({ written, options: { fixed } }: Reduction, maximum: number): string | undefined {
  if (maximum < fixed.size) return "more arguments are bound than the schema allows properties";
  written["maxProperties"] = maximum - fixed.size;
  return undefined;
}
