import { entriesOf, getOwn, isJsonObject, type JsonObject, listOf, omit } from "../../../json/object.ts";
import { addSentence } from "./describe.ts";
import { keywordSentence } from "./describe-keyword.ts";
import type { ModernSchema } from "../../../schema/modern.ts";
import { treatmentOf } from "../profile.ts";
import { modernSubschemas } from "../../../schema/keywords.ts";
import { type PatternEngine, writePattern } from "./write-pattern.ts";
import type { Place, Writer } from "./writer.ts";

const { one, list, map } = modernSubschemas;

/**
 * Removes what the provider cannot compile, `pattern` and keys of `patternProperties`, and describes it in a sentence.
 * The declaration then accepts more values, never fewer: a schema inside `not` and similar keywords is moved into a
 * sentence as a whole.
 */
export function limitPatterns(source: JsonObject, place: Place, writer: Writer): JsonObject {
  const engine = writer.shape.patterns;
  if (engine === undefined || !hasLostPattern(writer.modern, engine)) return writeOwnPattern(source, place, writer);
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
  return addSentence(omit(node, "pattern"), keywordSentence("pattern", node, place, writer));
}

function lost(keyword: string): string {
  return `"${keyword}" is mentioned in the description only, because the provider cannot compile it.`;
}

/** Without a key's pattern nothing is known of the keys that it matches, so other keys may be present. */
function limitKeys(node: JsonObject, place: Place, writer: Writer): JsonObject {
  const { patternProperties: patterns, additionalProperties: more, ...rest } = node;
  const engine = writer.shape.patterns;
  if (engine === undefined || patterns === undefined || treatmentOf(writer.profile, "patternProperties") !== "keep")
    return node;
  const kept: [string, JsonObject][] = [];
  const left: [string, JsonObject][] = [];
  for (const [pattern, schema] of entriesOf(patterns)) {
    const written = writePattern(pattern, engine);
    // Two patterns with the same rewritten form would overwrite each other.
    if (written === undefined || kept.some(([other]) => other === written)) left.push([pattern, schema]);
    else kept.push([written, schema]);
  }
  const written = kept.length > 0 && { patternProperties: Object.fromEntries(kept) };
  if (left.length === 0) return { ...node, ...written };
  writer.lose(place.path, "widened", lost("patternProperties"));
  const sentence = keywordSentence("patternProperties", { patternProperties: Object.fromEntries(left) }, place, writer);
  const widened = writer.derive(addSentence({ ...rest, ...written, additionalProperties: true }, sentence), node);
  if (more === undefined || more === true) return widened;
  writer.lose(place.path, "widened", '"additionalProperties" is mentioned in the description only.');
  return addSentence(widened, keywordSentence("additionalProperties", node, place, writer));
}

/** Keywords that would accept less if a schema inside them accepted more. Each is replaced by one that accepts more. */
function avoidReversals(source: JsonObject, place: Place, writer: Writer, engine: PatternEngine): JsonObject {
  let node = source;
  const isWider = (schema: unknown): boolean => hasLost(schema, writer.modern, engine);
  if (isWider(node["not"])) node = inWords(["not"]);
  if (isWider(node["if"]))
    node = place.isRoot ? inWords(["if", "then", "else", "unevaluatedProperties"]) : eitherBranch();
  if (listOf(node["oneOf"]).some(isWider)) {
    const { oneOf } = node;
    writer.lose(place.path, "widened", '"oneOf" is written as "anyOf".');
    node = withUnion(omit(node, "oneOf"), listOf(oneOf));
  }
  if (isWider(node["contains"]) && node["maxContains"] !== undefined) node = inWords(["maxContains"]);
  return node;

  function inWords(keywords: readonly string[]): JsonObject {
    const [keyword = ""] = keywords;
    writer.lose(place.path, "widened", `"${keyword}" is mentioned in the description only.`);
    return addSentence(omit(node, ...keywords), keywordSentence(keyword, node, place, writer));
  }

  /** One of the branches applies, whichever the condition selects. */
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

/** Whether anything in a schema is left out. In most schemas nothing is. */
function hasLostPattern(modern: ModernSchema, engine: PatternEngine): boolean {
  const answer =
    known[engine].get(modern) ??
    [modern.root, ...modern.definitions.values()].some((schema) => hasLost(schema, modern, engine));
  known[engine].set(modern, answer);
  return answer;
}

/** Whether a pattern is left out of a schema, of those inside it or of those that it refers to. */
function hasLost(source: unknown, modern: ModernSchema, engine: PatternEngine): boolean {
  const open: unknown[] = [source];
  const followed = new Set<string>();
  // The list grows during the loop.
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
