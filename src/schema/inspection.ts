import type { Ajv } from "ajv";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import { resolveFragment } from "../json/pointer.ts";
import type { JsonSchema } from "./json-schema.ts";
import { useLinearKeywords } from "./ajv/linear-keywords.ts";
import type { Draft } from "./draft.ts";
import { toRegExp } from "./pattern.ts";
import { type Located, readDocument, type SchemaDocument } from "./resolve.ts";
import { closest } from "./suggest.ts";

/** Maximum nesting of schemas. ajv's compiler exceeds the stack at a few thousand levels. */
const maxSchemaDepth = 200;

export interface Inspection {
  /**
   * Only the compiler can decide whether the schema is valid, because of nested `$id`s, dynamic references and the
   * like.
   */
  readonly provenByCompiling: boolean;
  /** The same `anyOf` or `oneOf` may apply again at each level of a value. */
  readonly unionsRecur: boolean;
}

/**
 * Finds the faults that would make the compilation of a schema fail, at a hundredth of its
 * cost. @param text the schema as JSON @throws Error that describes the fault and its place for a person
 */
export function inspectSchema(draft: Draft, schema: JsonSchema, text: string): Inspection {
  if (typeof schema === "boolean") return { provenByCompiling: false, unionsRecur: false };
  checkAgainstDraft(draft, schema);
  const document = readDocument(schema);
  const { schemas } = document;
  for (const located of schemas) checkNode(located);
  /** A reference may have another target than its text suggests. */
  const hasOtherNames = hasDoubtfulNames(schema, text) || schemas.some(({ node }) => node !== schema && "$id" in node);
  const references = schemas.flatMap(({ node, path }) => readReference(document, node, path));
  for (const { ref, path, target } of references) {
    // The compiler does not read every reference: next to `true` in an `anyOf` it reads nothing.
    if (target === undefined && leadsNowhere(document, ref, hasOtherNames)) {
      throw new Error(`the reference "${ref}" at ${path || "the root"} points to nothing`);
    }
  }
  const provenByCompiling =
    hasOtherNames ||
    schemas.some(({ node }) => needsCompiler(node)) ||
    // The draft's own schema does not check places in which JSON Schema has no schemas.
    schemas.some(({ node, depth }) => depth === 0 && node !== schema) ||
    // A chain of references may be a cycle.
    references.some(
      ({ ref, target }) => ref.includes("%") || Object.hasOwn(Object(target?.node ?? { $ref: "" }), "$ref"),
    );
  const hasUnions = schemas.some(({ node }) => "anyOf" in node || "oneOf" in node);
  return { provenByCompiling, unionsRecur: hasUnions && (provenByCompiling || mayRecur(references)) };
}

function checkNode({ node, path, depth }: Located): void {
  if (depth > maxSchemaDepth) throw new Error(`schemas are nested over ${maxSchemaDepth} levels`);
  if ("$async" in node) throw new Error(`$async is not a keyword of JSON Schema (at ${path || "the root"})`);
  for (const pattern of patternsOf(node)) {
    if (!isPattern(pattern)) throw new Error(`a pattern at ${path || "the root"} is not a regular expression`);
  }
}

interface Reference {
  readonly path: string;
  readonly ref: string;
  readonly target: Located<JsonSchema> | undefined;
}

function readReference({ resolve }: SchemaDocument, node: JsonObject, path: string): Reference[] {
  const ref = node["$ref"];
  return typeof ref === "string" ? [{ path, ref, target: resolve(ref, node) }] : [];
}

/** Of a reference that the document does not resolve. An anchor may be anywhere, and a pointer starts at a resource. */
function leadsNowhere({ schemas }: SchemaDocument, ref: string, hasOtherNames: boolean): boolean {
  if (!ref.startsWith("#") || ref.includes("%")) return false;
  const isPointer = ref === "#" || ref.startsWith("#/");
  if (!isPointer) return !hasOtherNames;
  const roots = new Set(schemas.map(({ resource }) => resource.node));
  return [...roots].every((root) => resolveFragment(root, ref) === undefined);
}

/** A reference is inside the target of some reference, perhaps of itself. */
function mayRecur(references: readonly Reference[]): boolean {
  return references.some(({ path, target }) => {
    if (target === undefined) return true;
    return references.some((other) => `${path}/`.startsWith(`${other.target?.path ?? ""}/`));
  });
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
  throw new Error(`the schema is not valid JSON Schema: ${path || "the root"} ${what ?? ""}`);
}

function oneOf(allowed: readonly string[], written: unknown): string {
  const meant = typeof written === "string" ? closest(written, allowed) : undefined;
  return `must be one of ${allowed.join(", ")}${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
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

/** An `$id` that is certainly a URI, as nearly all are. */
const plainId = /^(?:https?:\/\/[\w.-]+\/)?[\w./-]*#?$/;

/**
 * ajv reads names in every place, even below unknown keywords, and refuses some: a repeated name, and one that is not a
 * URI.
 */
function hasDoubtfulNames(schema: JsonObject, text: string): boolean {
  const id = schema["$id"];
  if (typeof id === "string" && !plainId.test(id)) return true;
  const names = text.match(/"\$(?:id|anchor|dynamicAnchor)":"/g)?.length ?? 0;
  return names > (id === undefined ? 0 : 1);
}

/**
 * The places in which ajv's compiler refuses something that the draft's own schema allows, or in which references
 * change their meaning.
 */
function needsCompiler(node: JsonObject): boolean {
  return (
    "$dynamicRef" in node ||
    "$recursiveRef" in node ||
    "nullable" in node ||
    (Array.isArray(node["enum"]) && node["enum"].length === 0)
  );
}
