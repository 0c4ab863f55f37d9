import { canonicalJson } from "../../json/canonical.ts";
import { type JsonObject, listOf } from "../../json/object.ts";
import { keywords } from "../keywords.ts";
import { mayBe, mentions, strip } from "./fixed-properties.ts";
import { isEmpty, joinInto } from "./join-into.ts";
import { choiceKeywords } from "./reduce-choices.ts";
import { nameKeywords } from "./reduce-names.ts";
import { propertyKeywords } from "./reduce-properties.ts";
import { isImpossible, type Reduced, type ReduceKeyword, type ReduceOptions, type Reduction } from "./reduction.ts";

/** A schema of the object, without the fixed properties. */
export function reduce(source: JsonObject, options: ReduceOptions): Reduced {
  const written: JsonObject = {};
  const reduction: Reduction = {
    source,
    options,
    reduce: (schema) => reduce(schema, options),
    written,
    also: [],
    required: new Set(),
    isExact: true,
    keepsAdditional: true,
  };
  for (const [keyword, value] of Object.entries(source)) {
    const reduceKeyword = keywordsOfObject.get(keyword);
    const problem = reduceKeyword === undefined ? keep(reduction, keyword, value) : reduceKeyword(reduction, value);
    if (problem !== undefined) return { impossible: problem };
  }
  const { also, required, isExact, keepsAdditional } = reduction;
  if (!keepsAdditional) delete written["additionalProperties"];
  if (required.size > 0) written["required"] = [...new Set([...listOf<string>(written["required"]), ...required])];
  const rest = also.filter((node) => !isEmpty(node) && !joinInto(written, node));
  if (rest.length > 0) written["allOf"] = rest;
  return { node: written, isExact };
}

/** The keywords whose values may depend on the properties of the object. */
const keywordsOfObject: ReadonlyMap<string, ReduceKeyword> = new Map([
  ...propertyKeywords,
  ...nameKeywords,
  ...choiceKeywords,
  ["$ref", (reduction, value) => reduceReference(reduction, String(value))],
  ["enum", (reduction, value) => reduceValues(reduction, listOf(value))],
  ["const", (reduction, value) => reduceValues(reduction, [value])],
  ["default", (reduction, value) => reduceExample(reduction, "default", value)],
  ["example", (reduction, value) => reduceExample(reduction, "example", value)],
  ["examples", reduceExamples],
]);

function reduceReference(reduction: Reduction, name: string): string | undefined {
  const { written, also, options } = reduction;
  const reduced = options.reduceDefinition(name);
  if (isImpossible(reduced)) return reduced.impossible;
  const { node, isExact } = reduced;
  reduction.isExact &&= isExact;
  if (typeof node["$ref"] === "string" && written["$ref"] === undefined) written["$ref"] = node["$ref"];
  else also.push(node);
  return undefined;
}

function reduceValues(reduction: Reduction, values: readonly unknown[]): string | undefined {
  const { fixed } = reduction.options;
  const left = values.filter((value) => mayBe(fixed, value)).map((value) => strip(fixed, value));
  if (left.length === 0) return 'no value in "enum" or "const" has the bound arguments';
  if ([...fixed.values()].includes(undefined)) reduction.isExact = false;
  reduction.also.push({ enum: [...new Map(left.map((value) => [canonicalJson(value), value])).values()] });
  return undefined;
}

function reduceExample({ written, options }: Reduction, keyword: "default" | "example", value: unknown): undefined {
  written[keyword] = strip(options.fixed, value);
}

function reduceExamples({ written, options: { fixed } }: Reduction, value: unknown): undefined {
  written["examples"] = Array.isArray(value) ? value.map((each) => strip(fixed, each)) : value;
}

/**
 * Any other keyword does not restrict the object's properties. A title or a description of the object may still name
 * them, and so may a keyword outside JSON Schema: these are left out.
 */
function keep({ written, options: { fixed } }: Reduction, keyword: string, value: unknown): undefined {
  const isProse = keyword === "title" || keyword === "description" || keyword === "$comment";
  if (!mentions(fixed, value) || (keywords.has(keyword) && !isProse)) written[keyword] = value;
  else if (Array.isArray(value)) written[keyword] = value.filter((each) => !mentions(fixed, each));
}
