import type { Ajv } from "ajv";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import { resolveFragment } from "../json/pointer.ts";
import type { JsonSchema } from "./json-schema.ts";
import { useLinearKeywords } from "./ajv/linear-keywords.ts";
import type { Draft } from "./draft.ts";
import { toRegExp } from "./pattern.ts";
import { subschemas } from "./walk.ts";
import { closest } from "./suggest.ts";

/** Levels of schemas in schemas. ajv's compiler runs out of stack at a few thousand. */
const maxSchemaDepth = 200;

export interface Inspection {
  /** Only the compiler can tell whether the schema holds, because of nested `$id`s, dynamic references and the like. */
  readonly provenByCompiling: boolean;
  /** It may meet the same `anyOf` or `oneOf` again at each level of a value. */
  readonly unionsRecur: boolean;
}

/**
 * Finds what would make a schema fail when it is compiled, at a hundredth of that cost.
 * @param text the schema as JSON
 * @throws Error that says for a person what is wrong, and where
 */
export function inspectSchema(draft: Draft, schema: JsonSchema, text: string): Inspection {
  const inspection = { provenByCompiling: false, unionsRecur: false };
  if (typeof schema === "boolean") return inspection;
  checkAgainstDraft(draft, schema);
  /** References may lead elsewhere than they seem to. */
  let hasOtherNames = hasDoubtfulNames(schema, text);
  if (hasOtherNames) inspection.provenByCompiling = true;

  const references: Reference[] = [];
  /** Schemas with an `$id` of their own: a pointer in them starts there. */
  const resources: JsonObject[] = [];
  const anchors = new Map<string, JsonObject>();
  const visited = new Set<unknown>();
  let hasUnions = false;
  visit(schema, "", 0);
  for (const { path, ref } of references) {
    const target = resolveLocally(schema, anchors, ref);
    if (ref.includes("%")) inspection.provenByCompiling = true;
    // The compiler does not come to every one: beside `true` in an `anyOf` it looks at nothing.
    if (target === undefined && leadsNowhere(ref)) throw unresolved(ref, path);
    // What stands where JSON Schema keeps no schemas was not looked at; what refers on may go round in a circle.
    const known = typeof target === "boolean" || visited.has(target);
    if (!known || Object.hasOwn(Object(target), "$ref")) inspection.provenByCompiling = true;
    if (!known && isJsonObject(target)) visit(target, ref.slice(1), 0);
  }
  inspection.unionsRecur = hasUnions && (inspection.provenByCompiling || mayRecur(references));
  return inspection;

  /** Of a reference that the root does not resolve. Anchors may be anywhere, a pointer starts at a resource. */
  function leadsNowhere(ref: string): boolean {
    if (!ref.startsWith("#") || ref.includes("%")) return false;
    const isPointer = ref === "#" || ref.startsWith("#/");
    return isPointer
      ? resources.every((resource) => resolveLocally(resource, anchors, ref) === undefined)
      : !hasOtherNames;
  }

  function visit(node: JsonObject, path: string, depth: number): void {
    if (depth > maxSchemaDepth) throw new Error(`schemas are nested over ${maxSchemaDepth} levels`);
    if ("$async" in node) throw new Error(`$async is not JSON Schema (at ${path || "the root"})`);
    for (const pattern of patternsOf(node)) {
      if (!isPattern(pattern)) throw new Error(`a pattern at ${path || "the root"} is not a regular expression`);
    }
    if (needsCompiler(node, path)) inspection.provenByCompiling = true;
    if (path !== "" && "$id" in node) {
      hasOtherNames = true;
      resources.push(node);
    }
    visited.add(node);
    if ("anyOf" in node || "oneOf" in node) hasUnions = true;
    if (typeof node["$anchor"] === "string") anchors.set(node["$anchor"], node);
    if (typeof node["$ref"] === "string") references.push({ path, ref: node["$ref"] });
    for (const child of subschemas(node)) {
      if (typeof child.schema === "object") visit(child.schema, path + child.path, depth + 1);
    }
  }
}

interface Reference {
  readonly path: string;
  readonly ref: string;
}

/** A reference stands inside what some reference points at: perhaps inside what it points at itself. */
function mayRecur(references: readonly Reference[]): boolean {
  return references.some(
    ({ path, ref }) => !ref.startsWith("#/") || references.some((other) => path.startsWith(other.ref.slice(1))),
  );
}

function unresolved(ref: string, path: string): Error {
  return new Error(`the reference "${ref}" at ${path || "the root"} points at nothing`);
}

const metaschemas = new Map<Draft, Ajv>();

function checkAgainstDraft(draft: Draft, schema: JsonObject): void {
  let ajv = metaschemas.get(draft);
  if (ajv === undefined) {
    ajv = draft.createAjv({ strict: false, logger: false, validateFormats: false });
    useLinearKeywords(ajv);
    metaschemas.set(draft, ajv);
  }
  let valid: unknown;
  try {
    valid = ajv.validateSchema({ ...schema, $schema: draft.uri });
  } catch (error) {
    if (error instanceof RangeError) throw new Error("the schema is nested too deeply", { cause: error });
    throw error;
  }
  if (valid === true) return;
  const fault = ajv.errors?.at(0);
  const path = fault?.instancePath ?? "";
  const allowed: unknown = fault?.keyword === "enum" ? fault.params["allowedValues"] : undefined;
  const what = Array.isArray(allowed)
    ? oneOf(allowed.map(String), resolveFragment(schema, `#${path}`))
    : fault?.message;
  throw new Error(`not valid JSON Schema: ${path || "the root"} ${what ?? ""}`);
}

function oneOf(allowed: readonly string[], written: unknown): string {
  const meant = typeof written === "string" ? closest(written, allowed) : undefined;
  return `must be one of ${allowed.join(", ")}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function patternsOf(node: JsonObject): string[] {
  const patterns = isJsonObject(node["patternProperties"]) ? Object.keys(node["patternProperties"]) : [];
  if (typeof node["pattern"] === "string") patterns.push(node["pattern"]);
  return patterns;
}

function isPattern(pattern: string): boolean {
  try {
    toRegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

/** An `$id` that is a URI beyond doubt, as nearly all are. */
const plainId = /^(?:https?:\/\/[\w.-]+\/)?[\w./-]*#?$/;

/** ajv takes names wherever they stand, below unknown keywords too, and refuses some: one given twice, one that is no URI. */
function hasDoubtfulNames(schema: JsonObject, text: string): boolean {
  const id = schema["$id"];
  if (typeof id === "string" && !plainId.test(id)) return true;
  const names = text.match(/"\$(?:id|anchor|dynamicAnchor)":"/g)?.length ?? 0;
  return names > (id === undefined ? 0 : 1);
}

/** The places where ajv's compiler refuses what the draft's own schema allows, or where references change meaning. */
function needsCompiler(node: JsonObject, path: string): boolean {
  return (
    (path !== "" && "$id" in node) ||
    "$dynamicRef" in node ||
    "$recursiveRef" in node ||
    "nullable" in node ||
    (Array.isArray(node["enum"]) && node["enum"].length === 0)
  );
}

function resolveLocally(root: JsonObject, anchors: Map<string, JsonObject>, ref: string): JsonSchema | undefined {
  const anchored = ref.startsWith("#") && ref !== "#" && !ref.startsWith("#/");
  const target = anchored ? anchors.get(ref.slice(1)) : resolveFragment(root, ref);
  return typeof target === "boolean" || isJsonObject(target) ? target : undefined;
}
