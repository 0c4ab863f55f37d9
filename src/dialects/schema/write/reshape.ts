import { entriesOf, isJsonObject, type JsonObject, listOf, omit, setOwn } from "../../../json/object.ts";
import { spreadAlternatives } from "./alternatives.ts";
import { describeKeyword, nothingFits, addSentence } from "./describe.ts";
import { isFormatAsked, speaksOf } from "./formats.ts";
import { isImpossible } from "./impossible.ts";
import { limitPatterns } from "./limit-patterns.ts";
import { isNever, never } from "../never.ts";
import { treatmentOf } from "../profile.ts";
import { closeObject } from "./strict.ts";
import { annotations, omitForeign, splitTypes, typesOf, typesSpokenOf } from "./types.ts";
import { limitValues } from "./values.ts";
import type { Place, Writer } from "./writer.ts";

/** Expresses the same in keywords that a profile has, or records the loss. */
type Step = (node: JsonObject, place: Place, writer: Writer) => JsonObject;

const plainSteps: readonly Step[] = [
  spreadAlternatives,
  splitByType,
  nameType,
  omitForeign,
  limitValues,
  includeBounds,
  listTuples,
  settleProperties,
  settleItems,
  limitItems,
  closeObject,
  limitFormats,
  limitPatterns,
  nameNothing,
];

/** Rewrites a schema, but not those inside it, before its keywords are written. */
export function reshape(source: JsonObject, place: Place, writer: Writer): JsonObject {
  const steps = writer.shape.plain ? plainSteps : [limitPatterns, settleItems];
  return steps.reduce((node, step) => step(node, place, writer), source);
}

function splitByType(node: JsonObject, place: Place, { shape, lose }: Writer): JsonObject {
  if (!shape.oneType || Array.isArray(node["anyOf"]) || isNever(node)) return node;
  const types = typesOf(node) ?? (shape.needsType ? typesSpokenOf(node) : undefined);
  if (types === undefined) return node;
  if (typesOf(node) === undefined) {
    lose(place.path, "narrowed", "The schema has no type, and the provider requires one.");
    if (types.length === 0) return anyValue(node);
  }
  const branches = splitTypes(node, types);
  if (branches.length === 0) return never();
  if ("format" in node && branches.every((branch) => !("format" in branch))) {
    lose(place.path, "annotation", '"format" is left out, because it applies to values of another type.');
  }
  const kept = Object.fromEntries(Object.entries(node).filter(([keyword]) => annotations.has(keyword)));
  return branches.length === 1 ? { ...branches[0], ...kept } : { ...kept, anyOf: branches };
}

/** A strict schema has a `type`, even if its values imply it. */
function nameType(node: JsonObject, _place: Place, { shape }: Writer): JsonObject {
  if (!shape.strict || node["type"] !== undefined || Array.isArray(node["anyOf"]) || isNever(node)) return node;
  const types = typesOf(node);
  if (types === undefined || types.length === 0) return node;
  return { type: types.length === 1 ? types[0] : types, ...node };
}

function anyValue(node: JsonObject): JsonObject {
  const types = ["string", "number", "boolean", "object", "null"];
  return { ...addSentence(node, "Any JSON value."), anyOf: types.map((type) => ({ type })) };
}

/** For integers, an exclusive bound equals the next inclusive one. */
function includeBounds(node: JsonObject, _place: Place, { shape }: Writer): JsonObject {
  if (!shape.inclusiveBounds || node["type"] !== "integer") return node;
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = node;
  const minimum = typeof exclusiveMinimum === "number" ? [Math.floor(exclusiveMinimum) + 1] : [];
  const maximum = typeof exclusiveMaximum === "number" ? [Math.ceil(exclusiveMaximum) - 1] : [];
  if (minimum.length + maximum.length === 0) return node;
  const own = (keyword: string): number[] => (typeof rest[keyword] === "number" ? [rest[keyword]] : []);
  return {
    ...rest,
    ...(minimum.length > 0 && { minimum: Math.max(...minimum, ...own("minimum")) }),
    ...(maximum.length > 0 && { maximum: Math.min(...maximum, ...own("maximum")) }),
  };
}

function listTuples(node: JsonObject, place: Place, { shape, lose }: Writer): JsonObject {
  if (!shape.tuplesAsLists || !Array.isArray(node["prefixItems"])) return node;
  const members = listOf(node["prefixItems"]);
  const more = node["items"];
  if (more === undefined) lose(place.path, "narrowed", "Further items must match one of the listed schemas.");
  const isClosed = isNever(more);
  const kinds = new Map(
    [...members, ...(isJsonObject(more) && !isClosed ? [more] : [])].map((each) => [JSON.stringify(each), each]),
  );
  const items = kinds.size === 1 ? [...kinds.values()][0] : { anyOf: [...kinds.values()] };
  const most = Math.min(members.length, Number(node["maxItems"] ?? Infinity));
  return { ...node, items, ...(isClosed && { maxItems: most }) };
}

/** Handles forbidden properties, keys that only patterns know, and required properties that are not declared. */
function settleProperties(node: JsonObject, place: Place, writer: Writer): JsonObject {
  const { shape, profile, lose } = writer;
  let settled = node;
  const more = node["additionalProperties"];
  if (more === true || (isJsonObject(more) && Object.keys(more).length === 0)) {
    // Without it, `unevaluatedProperties` would apply to what it accepts.
    const isNeeded = shape.strict || node["unevaluatedProperties"] !== undefined;
    settled = isNeeded ? { ...settled, additionalProperties: true } : omit(settled, "additionalProperties");
  } else if (isNever(more)) settled = { ...settled, additionalProperties: false };

  const required = listOf<string>(node["required"]);
  const forbidden = entriesOf(node["properties"]).filter(([, schema]) => isImpossible(schema, place, writer));
  const isRequired = forbidden.some(([key]) => required.includes(key));
  if (isRequired && !place.isRoot) return never();
  if (forbidden.length > 0) {
    const optional = forbidden.map(([key]) => key).filter((key) => !required.includes(key));
    // A tool that cannot be called is still listed: its properties show why.
    const properties = omit(node["properties"] as JsonObject, ...optional);
    for (const [key] of forbidden) if (required.includes(key)) setOwn(properties, key, never());
    settled = { ...settled, properties };
    if (optional.length > 0 && settled["additionalProperties"] !== false && !shape.strict) {
      lose(place.path, "widened", "Only the description says which properties are not allowed.");
      settled = addSentence(
        settled,
        `No ${optional.map((key) => JSON.stringify(writer.wireName(key, place))).join(", ")}.`,
      );
    }
  }
  // Without its patterns, `additionalProperties` would apply to keys that it does not cover.
  if (
    "patternProperties" in settled &&
    settled["additionalProperties"] !== undefined &&
    treatmentOf(profile, "patternProperties") === "describe"
  ) {
    lose(place.path, "widened", '"additionalProperties" is left out.');
    settled = omit(settled, "additionalProperties");
  }
  return shape.declaresRequired ? declareRequired(settled, required, place) : settled;
}

function declareRequired(node: JsonObject, required: readonly string[], { isRoot }: Place): JsonObject {
  const properties = node["properties"] as JsonObject | undefined;
  const missing = required.filter((key) => !Object.hasOwn(properties ?? {}, key));
  if (missing.length === 0) return node;
  const more = node["additionalProperties"];
  if (more === false && !isRoot) return never();
  const declared: JsonObject = { ...properties };
  for (const key of missing) setOwn(declared, key, more === false ? never() : isJsonObject(more) ? more : {});
  return { ...node, properties: declared };
}

function settleItems(node: JsonObject, place: Place, writer: Writer): JsonObject {
  const { shape, lose, refuse } = writer;
  if (shape.plain && node["items"] !== undefined && isImpossible(node["items"], place, writer)) {
    const most = listOf(node["prefixItems"]).length;
    return settleMissingItems({ ...omit(node, "items"), maxItems: Math.min(most, Number(node["maxItems"] ?? most)) });
  }
  return settleMissingItems(node);

  function settleMissingItems(node: JsonObject): JsonObject {
    if (node["items"] !== undefined || ![node["type"]].flat().includes("array")) return node;
    if (shape.requiresAll) refuse(place, "an array does not define its items");
    if (!shape.needsItems) return node;
    // Items that `items` covers are evaluated.
    if (!shape.plain && "unevaluatedItems" in node) lose(place.path, "widened", "unevaluatedItems has no effect.");
    return { ...node, items: {} };
  }
}

function limitItems(node: JsonObject, place: Place, { shape, lose }: Writer): JsonObject {
  const least = Number(node["minItems"] ?? 0);
  if (shape.mostMinItems === undefined || least <= shape.mostMinItems) return node;
  lose(place.path, "widened", '"minItems" is mentioned in the description only.');
  return addSentence(omit(node, "minItems"), describeKeyword("minItems", least, node));
}

function limitFormats(node: JsonObject, place: Place, { shape, lose }: Writer): JsonObject {
  const { format } = node;
  if (typeof format !== "string" || shape.formats === undefined) return node;
  const types = [node["type"]]
    .flat()
    .map(String)
    .filter((type) => speaksOf(format, type));
  if (types.length > 0 && types.every((type) => shape.formats?.[type]?.has(format))) return node;
  lose(place.path, isFormatAsked(node) ? "widened" : "annotation", '"format" is mentioned in the description only.');
  return addSentence(omit(node, "format"), `Must be in the format ${format}.`);
}

/** A schema that accepts nothing needs a type too. */
function nameNothing(node: JsonObject, place: Place, { shape, lose }: Writer): JsonObject {
  if (!shape.needsType || !isNever(node)) return node;
  lose(place.path, "widened", "The schema allows no value. Only the description mentions this.");
  return { type: "string", ...addSentence(omit(node, "not"), nothingFits) };
}
