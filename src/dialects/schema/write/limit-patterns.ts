import { entriesOf, getOwn, isJsonObject, type JsonObject, listOf, omit } from "../../../json/object.ts";
import { tell } from "./describe.ts";
import { sayKeyword } from "./describe-keyword.ts";
import type { ModernSchema } from "../../../schema/modern.ts";
import { treatmentOf } from "../profiles.ts";
import { modernSubschemas } from "../../../schema/keywords.ts";
import { type PatternEngine, writePattern } from "./write-pattern.ts";
import type { Place, Writer } from "./writer.ts";

const { one, list, map } = modernSubschemas;

/**
 * Leaves out what the provider cannot compile, `pattern` and keys of `patternProperties`, and says it in words. What is
 * declared takes more values then, never less: a schema that is inside `not` and its like is moved into words as a whole.
 */
export function limitPatterns(source: JsonObject, place: Place, writer: Writer): JsonObject {
  const engine = writer.shape.patterns;
  if (engine === undefined || !holdsLostPattern(writer.modern, engine)) return writeOwnPattern(source, place, writer);
  const node = writer.shape.plain ? source : avoidReversals(source, place, writer, engine);
  return limitKeys(writeOwnPattern(node, place, writer), place, writer);
}

function writeOwnPattern(node: JsonObject, place: Place, writer: Writer): JsonObject {
  const { pattern, type } = node;
  const engine = writer.shape.patterns;
  if (typeof pattern !== "string" || engine === undefined || treatmentOf(writer.profile, "pattern") !== "keep")
    return node;
  const written = writePattern(pattern, engine);
  if (written !== undefined) return written === pattern ? node : { ...node, pattern: written };
  const isAsked = type === undefined || [type].flat().includes("string");
  writer.lose(place.path, isAsked ? "widened" : "annotation", lost("pattern"));
  return tell(omit(node, "pattern"), sayKeyword("pattern", node, place, writer));
}

function lost(keyword: string): string {
  return `${keyword} is mentioned in the description only: the provider cannot compile it.`;
}

/** Without a key's pattern nothing is known of the keys that it means, so others may be there. */
function limitKeys(node: JsonObject, place: Place, writer: Writer): JsonObject {
  const { patternProperties: patterns, additionalProperties: more, ...rest } = node;
  const engine = writer.shape.patterns;
  if (engine === undefined || patterns === undefined || treatmentOf(writer.profile, "patternProperties") !== "keep")
    return node;
  const kept: [string, JsonObject][] = [];
  const left: [string, JsonObject][] = [];
  for (const [pattern, schema] of entriesOf(patterns)) {
    const written = writePattern(pattern, engine);
    // Two patterns that are written alike would be one.
    if (written === undefined || kept.some(([other]) => other === written)) left.push([pattern, schema]);
    else kept.push([written, schema]);
  }
  const written = kept.length > 0 && { patternProperties: Object.fromEntries(kept) };
  if (left.length === 0) return { ...node, ...written };
  writer.lose(place.path, "widened", lost("patternProperties"));
  const said = sayKeyword("patternProperties", { patternProperties: Object.fromEntries(left) }, place, writer);
  const told = writer.derive(tell({ ...rest, ...written, additionalProperties: true }, said), node);
  if (more === undefined || more === true) return told;
  writer.lose(place.path, "widened", "additionalProperties is mentioned in the description only.");
  return tell(told, sayKeyword("additionalProperties", node, place, writer));
}

/** What would take less if a schema inside it took more. Stands in for it what takes more. */
function avoidReversals(source: JsonObject, place: Place, writer: Writer, engine: PatternEngine): JsonObject {
  let node = source;
  const isWider = (schema: unknown): boolean => holdsLost(schema, writer.modern, engine);
  if (isWider(node["not"])) node = inWords(["not"]);
  if (isWider(node["if"]))
    node = place.isRoot ? inWords(["if", "then", "else", "unevaluatedProperties"]) : eitherBranch();
  if (listOf(node["oneOf"]).some(isWider)) {
    const { oneOf } = node;
    writer.lose(place.path, "widened", "oneOf is written as anyOf.");
    node = withUnion(omit(node, "oneOf"), listOf(oneOf));
  }
  if (isWider(node["contains"]) && node["maxContains"] !== undefined) node = inWords(["maxContains"]);
  return node;

  function inWords(keywords: readonly string[]): JsonObject {
    const [keyword = ""] = keywords;
    writer.lose(place.path, "widened", `${keyword} is mentioned in the description only.`);
    return tell(omit(node, ...keywords), sayKeyword(keyword, node, place, writer));
  }

  /** Whatever the condition says, one of its branches holds. */
  function eitherBranch(): JsonObject {
    const condition = node["if"] as JsonObject;
    const then = writer.derive(
      { allOf: [condition, ...(node["then"] === undefined ? [] : [node["then"]])] },
      condition,
    );
    const otherwise = (node["else"] ?? {}) as JsonObject;
    return withUnion(inWords(["if", "then", "else"]), [then, otherwise]);
  }

  function withUnion(base: JsonObject, anyOf: readonly JsonObject[]): JsonObject {
    if (base["anyOf"] === undefined) return { ...base, anyOf };
    return { ...base, allOf: [...listOf(base["allOf"]), writer.derive({ anyOf }, base)] };
  }
}

const known: Readonly<Record<PatternEngine, WeakMap<ModernSchema, boolean>>> = {
  python: new WeakMap(),
  anthropic: new WeakMap(),
  re2: new WeakMap(),
};

/** Whether anything in a schema is left out: most have nothing. */
function holdsLostPattern(modern: ModernSchema, engine: PatternEngine): boolean {
  const answer =
    known[engine].get(modern) ??
    [modern.root, ...modern.definitions.values()].some((schema) => holdsLost(schema, modern, engine));
  known[engine].set(modern, answer);
  return answer;
}

/** Whether a pattern is left out of a schema, of those inside it or of those that it refers to. */
function holdsLost(source: unknown, modern: ModernSchema, engine: PatternEngine): boolean {
  const open: unknown[] = [source];
  const followed = new Set<string>();
  // The list grows on the way.
  for (const node of open) {
    if (!isJsonObject(node)) continue;
    const { pattern, patternProperties, $ref: name } = node;
    const patterns = [...(typeof pattern === "string" ? [pattern] : []), ...Object.keys(patternProperties ?? {})];
    if (patterns.some((each) => writePattern(each, engine) === undefined)) return true;
    if (typeof name === "string" && !followed.has(name)) {
      followed.add(name);
      open.push(modern.definitions.get(name));
    }
    for (const keyword of Object.keys(node)) open.push(...schemasUnder(keyword, getOwn(node, keyword)));
  }
  return false;
}

function schemasUnder(keyword: string, value: unknown): readonly unknown[] {
  if (one.has(keyword)) return [value];
  if (list.has(keyword)) return listOf<unknown>(value);
  return map.has(keyword) ? entriesOf(value).map(([, schema]) => schema) : [];
}
