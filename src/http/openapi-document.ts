import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isJsonObject } from "../core/json.ts";
import type { JsonObject, JsonSchema } from "../core/json-schema.ts";
import type { RegisteredTool, Registry } from "../core/registry.ts";
import { readDraft } from "../core/schema-draft.ts";
import { subschemas } from "../core/schema-walk.ts";
import type { Route } from "./app.ts";
import { readQuery } from "./query.ts";
import { version } from "./status.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly unknown[];
  readonly responses: Readonly<Record<string, JsonObject>>;
  readonly [field: string]: unknown;
}

/** The parts of an OpenAPI 3.1 document that are looked at here. */
interface OpenApiDocument {
  readonly info: JsonObject;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly [kind: string]: unknown };
  readonly [field: string]: unknown;
}

/** `GET /openapi.json`: openapi.yaml and one typed operation a listed tool, written once for each version of the registry. */
export function createOpenApiDocument(registry: Registry): Route {
  let fixed: Promise<OpenApiDocument> | undefined;
  let written: { readonly version: number; readonly json: string } | undefined;
  return async (exchange) => {
    readQuery(exchange.query, []);
    fixed ??= readFixedDocument();
    const document = await fixed;
    if (written?.version !== registry.version) {
      written = { version: registry.version, json: JSON.stringify(withTools(document, registry.list())) };
    }
    const headers = { "content-type": "application/json", vary: "Authorization", "cache-control": "private, no-cache" };
    return { status: 200, headers, body: written.json };
  };
}

/** openapi.yaml stands beside package.json, to which the package's own name leads from src and from dist alike. */
async function readFixedDocument(): Promise<OpenApiDocument> {
  const root = dirname(createRequire(import.meta.url).resolve("toolhost/package.json"));
  const [{ parse }, text] = await Promise.all([import("yaml"), readFile(join(root, "openapi.yaml"), "utf8")]);
  return parse(text) as OpenApiDocument;
}

function withTools(fixed: OpenApiDocument, tools: readonly RegisteredTool[]): OpenApiDocument {
  const names = nameTools(fixed, tools);
  const generic = fixed.paths["/tools/{name}/invoke"]!["post"]!;
  const paths: Record<string, Readonly<Record<string, Operation>>> = { ...fixed.paths };
  const schemas: Record<string, JsonSchema> = { ...fixed.components.schemas };
  for (const entry of tools) {
    const name = names.get(entry)!;
    paths[`/tools/${entry.tool.name}/invoke`] = { post: toOperation(entry, name, generic) };
    Object.assign(schemas, toSchemas(entry, name));
  }
  return { ...fixed, info: { ...fixed.info, version }, paths, components: { ...fixed.components, schemas } };
}

/** What the schemas of a tool called `GetWeather` are called, and of no other: none of these words ends in another. */
const kinds = ["Arguments", "Result", "Success", "Outcome"] as const;

/**
 * Each tool's name in the words of programs: `get_weather` is `GetWeather`. Where two tools come to the same name, or one
 * to a name of the fixed document, all of them get an ending made of their own name alone: whatever tools come and go,
 * a client that is generated anew never finds one tool under the name of another.
 */
function nameTools(fixed: OpenApiDocument, tools: readonly RegisteredTool[]): Map<RegisteredTool, string> {
  const operations = Object.values(fixed.paths).flatMap((path) => Object.values(path));
  // Compared without case, because some generators write a file for each.
  const taken = new Set(
    [...operations.map(({ operationId }) => operationId), ...Object.keys(fixed.components.schemas)].map((id) => id?.toLowerCase()),
  );
  const uses = new Map<string, number>();
  const bases = tools.map((entry) => toPascalCase(entry.tool.name));
  for (const base of bases) uses.set(base.toLowerCase(), (uses.get(base.toLowerCase()) ?? 0) + 1);
  return new Map(
    tools.map((entry, index) => {
      const base = bases[index]!;
      const ids = [`invoke${base}`, ...kinds.map((kind) => base + kind)];
      const isFree = uses.get(base.toLowerCase()) === 1 && !ids.some((id) => taken.has(id.toLowerCase()));
      return [entry, isFree ? base : `${base}_${createHash("sha256").update(entry.tool.name).digest("hex").slice(0, 8)}`];
    }),
  );
}

function toPascalCase(name: string): string {
  const words = name.split(/[_-]+/).filter((word) => word !== "");
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^[A-Z]/.test(joined) ? joined : `Tool${joined}`;
}

function refTo(schema: string): { $ref: string } {
  return { $ref: `#/components/schemas/${schema}` };
}

/** The generic operation for one tool. Streaming stays with the generic one: clients get a single type of answer here. */
function toOperation({ declaration }: RegisteredTool, name: string, generic: Operation): Operation {
  const { title, description, tags, parameters } = declaration;
  const required = isJsonObject(parameters) && Array.isArray(parameters["required"]) && parameters["required"].length > 0;
  return {
    operationId: `invoke${name}`,
    summary: title ?? declaration.name,
    description,
    ...(tags !== undefined && { tags }),
    ...(generic.parameters !== undefined && { parameters: generic.parameters }),
    requestBody: { required, content: { "application/json": { schema: refTo(`${name}Arguments`) } } },
    responses: {
      ...generic.responses,
      200: { ...generic.responses["200"], content: { "application/json": { schema: refTo(`${name}Outcome`) } } },
    },
  };
}

function toSchemas({ declaration }: RegisteredTool, name: string): Record<string, JsonSchema> {
  return {
    ...placeSchema(`${name}Arguments`, declaration.parameters),
    ...placeSchema(`${name}Result`, declaration.response),
    [`${name}Success`]: {
      type: "object",
      required: ["status", "callId", "result"],
      properties: {
        status: { const: "ok" },
        callId: { type: "string" },
        result: refTo(`${name}Result`),
        repairs: { type: "array", items: refTo("Repair") },
      },
    },
    [`${name}Outcome`]: {
      oneOf: [refTo(`${name}Success`), refTo("Failure")],
      discriminator: {
        propertyName: "status",
        mapping: { ok: refTo(`${name}Success`).$ref, error: refTo("Failure").$ref },
      },
    },
  };
}

/** A schema that has no place in the document, such as one that refers to another document. */
class Unplaceable extends Error {
  override readonly name = "Unplaceable";
}

/**
 * A tool's schema as components in the words of 2020-12, which are OpenAPI 3.1's. What it refers to becomes a component of
 * its own: inside the document `#` is another root, and generators take `$defs` for a property or not at all.
 */
function placeSchema(name: string, source: JsonSchema): Record<string, JsonSchema> {
  try {
    return placeReferences(name, source);
  } catch (error) {
    if (!(error instanceof Unplaceable)) throw error;
    const description = `Any value here: the schema itself has no place in this document, because ${error.message}. GET /tools has it.`;
    return { [name]: isJsonObject(source) && source["type"] === "object" ? { type: "object", description } : { description } };
  }
}

function placeReferences(name: string, source: JsonSchema): Record<string, JsonSchema> {
  const { draft, schema } = readDraft(source);
  const foreign = foreignWords(draft.uri);
  const anchors = new Map<string, JsonSchema>();
  const hasScopes = findAnchors(schema, anchors);
  const rootId = isJsonObject(schema) && typeof schema["$id"] === "string" ? schema["$id"] : "";
  const components: Record<string, JsonSchema> = {};
  const places = new Map<string, string>();
  place(name, schema);
  return components;

  function place(as: string, target: JsonSchema): void {
    components[as] = true; // The name is taken before the schema can refer to itself.
    const written = JSON.parse(JSON.stringify(target)) as JsonSchema;
    if (isJsonObject(written)) rewrite(written);
    components[as] = written;
  }

  function rewrite(node: JsonObject): void {
    renameWords(node, foreign);
    if (typeof node["$ref"] === "string") node["$ref"] = refTo(placeOf(node["$ref"])).$ref;
    for (const { schema: child } of subschemas(node)) {
      if (isJsonObject(child)) rewrite(child);
    }
  }

  function placeOf(ref: string): string {
    const known = places.get(ref);
    if (known !== undefined) return known;
    if (hasScopes) throw new Unplaceable("it holds schemas with an $id of their own");
    const fragment = localFragment(ref, rootId);
    const target = fragment.startsWith("/") ? followPointer(schema, fragment) : fragment === "" ? schema : anchors.get(fragment);
    if (target === undefined) throw new Unplaceable("it refers to what it does not hold");
    const as = fragment === "" ? name : freeName(`${name}_${fragment.split("/").at(-1)!.replace(/[^a-zA-Z0-9]+/g, "_")}`);
    places.set(ref, as);
    if (as !== name) place(as, target);
    return as;
  }

  function freeName(wanted: string): string {
    let free = wanted;
    for (let count = 2; free in components; count++) free = `${wanted}${count}`;
    return free;
  }
}

/** Fills in what `#name` may refer to. @returns whether a schema inside has an `$id`, which changes what references mean */
function findAnchors(schema: JsonSchema, anchors: Map<string, JsonSchema>, isRoot = true): boolean {
  if (typeof schema === "boolean") return false;
  const { $id, $anchor, $dynamicAnchor } = schema;
  for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === "string") anchors.set(anchor, schema);
  // Up to draft-07 an `$id` that is a mere fragment is an anchor.
  const isAnchor = typeof $id === "string" && $id.startsWith("#");
  if (isAnchor) anchors.set($id.slice(1), schema);
  let hasScopes = !isRoot && $id !== undefined && !isAnchor;
  for (const { schema: child } of subschemas(schema)) hasScopes = findAnchors(child, anchors, false) || hasScopes;
  return hasScopes;
}

/** The fragment of a reference into the same schema, percent-decoded. */
function localFragment(ref: string, rootId: string): string {
  const base = "toolhost:/"; // Stands in where the schema has no address.
  if (!URL.canParse(rootId, base) || !URL.canParse(ref, new URL(rootId, base).href)) throw new Unplaceable("it refers to no URI");
  const own = new URL(rootId, base);
  const target = new URL(ref, own);
  const mark = ref.indexOf("#");
  own.hash = target.hash = "";
  if (own.href !== target.href) throw new Unplaceable("it refers to another document");
  const fragment = mark === -1 ? "" : ref.slice(mark + 1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function followPointer(schema: JsonSchema, pointer: string): JsonSchema | undefined {
  let at: unknown = schema;
  for (const token of pointer.slice(1).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as JsonObject)[key];
  }
  return typeof at === "boolean" || isJsonObject(at) ? at : undefined;
}

// The words of JSON Schema 2020-12 that say something of a value. All others are left out: OpenAPI gives some of them,
// such as `discriminator`, a meaning in the document that they did not have in the tool.
const words = new Set(
  (
    "$ref $comment title description deprecated readOnly writeOnly examples type enum const multipleOf maximum " +
    "exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains " +
    "minContains maxProperties minProperties required dependentRequired allOf anyOf oneOf not if then else dependentSchemas " +
    "prefixItems items contains properties patternProperties additionalProperties propertyNames unevaluatedItems " +
    "unevaluatedProperties format contentEncoding contentMediaType contentSchema"
  ).split(" "),
);
const wordsSince2019 = ["dependentRequired", "dependentSchemas", "maxContains", "minContains", "unevaluatedItems", "unevaluatedProperties"];

/** Words that the draft does not know and that must not begin to count now. */
function foreignWords(draftUri: string): readonly string[] {
  if (draftUri.includes("2020-12")) return [];
  return draftUri.includes("2019-09") ? ["prefixItems"] : ["prefixItems", ...wordsSince2019];
}

/** Writes one schema, without those inside it, in the words of 2020-12. */
function renameWords(node: JsonObject, foreign: readonly string[]): void {
  for (const word of foreign) delete node[word];
  // With one `$id` in all there is one thing that a dynamic reference can mean.
  const dynamic = node["$dynamicRef"] ?? node["$recursiveRef"];
  if (dynamic !== undefined && node["$ref"] !== undefined) throw new Unplaceable("it refers twice in one place");
  if (dynamic !== undefined) node["$ref"] = dynamic;
  const { items, additionalItems, dependencies, description, nullable, type } = node;
  if (Array.isArray(items)) {
    delete node["items"];
    if (items.length > 0) node["prefixItems"] = items;
    if (additionalItems !== undefined) node["items"] = additionalItems;
  }
  if (isJsonObject(dependencies)) splitDependencies(node, dependencies);
  if (nullable === true && type !== undefined) node["type"] = [...new Set([type, "null"].flat())];
  // Toolhost fills in no defaults, and generators ask callers for a property that has one.
  if ("default" in node) node["description"] = [description, `Default: ${JSON.stringify(node["default"])}.`].join(" ").trim();
  for (const word of Object.keys(node)) if (!words.has(word)) delete node[word];
  // Readers of OpenAPI follow every `$ref`, even one that is data.
  if (holdsRef(node["examples"])) delete node["examples"];
  if (holdsRef(node["enum"]) || holdsRef(node["const"])) throw new Unplaceable("it has $ref in a value");
}

function splitDependencies(node: JsonObject, dependencies: JsonObject): void {
  const [lists, schemas] = [true, false].map((isList) =>
    Object.fromEntries(Object.entries(dependencies).filter(([, needs]) => Array.isArray(needs) === isList)),
  );
  node["dependentRequired"] = { ...lists, ...Object(node["dependentRequired"]) };
  node["dependentSchemas"] = { ...schemas, ...Object(node["dependentSchemas"]) };
}

function holdsRef(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).includes('"$ref"');
}
