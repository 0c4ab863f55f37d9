import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import type { JsonSchema } from "../../../schema/json-schema.ts";
import { readDraft } from "../../../schema/draft.ts";
import { subschemas } from "../../../schema/walk.ts";
import { foreignWords, renameWords, Unplaceable } from "./keywords.ts";
import { parseUrl } from "../../../net/parse-url.ts";

export function refTo(schema: string): { $ref: string } {
  return { $ref: `#/components/schemas/${schema}` };
}

/**
 * A tool's schema as components in the words of 2020-12, which are OpenAPI 3.1's. What it refers to becomes a component of
 * its own: inside the document `#` is another root, and generators take `$defs` for a property or not at all.
 */
export function placeSchema(name: string, source: JsonSchema): Record<string, JsonSchema> {
  try {
    return placeReferences(name, source);
  } catch (error) {
    if (!(error instanceof Unplaceable)) throw error;
    const description = `Any value here: the schema itself has no place in this document, because ${error.message}. GET /tools has it.`;
    return {
      [name]: isJsonObject(source) && source["type"] === "object" ? { type: "object", description } : { description },
    };
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
    for (const { schema: child, holder, key } of subschemas(node)) {
      if (isJsonObject(child)) rewrite(child);
      // Importers look into properties and items, and crash where these are no objects.
      else if (holder === node["properties"] || key === "items") holder[key] = child ? {} : { not: {} };
    }
  }

  function placeOf(ref: string): string {
    const known = places.get(ref);
    if (known !== undefined) return known;
    if (hasScopes) throw new Unplaceable("it holds schemas with an $id of their own");
    const fragment = localFragment(ref, rootId);
    const target = fragment.startsWith("/")
      ? followPointer(schema, fragment)
      : fragment === ""
        ? schema
        : anchors.get(fragment);
    if (target === undefined) throw new Unplaceable("it refers to what it does not hold");
    const as =
      fragment === ""
        ? name
        : freeName(
            `${name}_${fragment
              .split("/")
              .at(-1)!
              .replace(/[^a-zA-Z0-9]+/g, "_")}`,
          );
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
  const own = parseUrl(rootId, base);
  const target = own === undefined ? undefined : parseUrl(ref, own.href);
  if (own === undefined || target === undefined) throw new Unplaceable("it refers to no URI");
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
