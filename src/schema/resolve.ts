import { isJsonObject, type JsonObject } from "../json/object.ts";
import { decodePercent, decodeToken, pointerToken } from "../json/pointer.ts";
import { parseUrl } from "../net/parse-url.ts";
import type { JsonSchema } from "./json-schema.ts";
import { keywordsWhere } from "./keywords.ts";
import { isSchema, subschemas } from "./walk.ts";

/** A schema inside a document. */
export interface Located<Schema = JsonObject> {
  readonly node: Schema;
  /** JSON Pointer from the root. */
  readonly path: string;
  /**
   * Number of schemas around it, counted from the root, or from the target of a reference if there is no other way to
   * it.
   */
  readonly depth: number;
  readonly resource: Resource;
}

/** A schema with a URI, to which the references inside it are relative. */
export interface Resource {
  readonly uri: string;
  readonly node: JsonObject;
  readonly path: string;
}

/** A schema as a document: every schema inside it, and what its references lead to. */
export interface SchemaDocument {
  /**
   * Each schema once, the root first. The target of a reference may be a place in which JSON Schema has no schema: it
   * then counts as one, and may contain references.
   */
  readonly schemas: readonly Located[];
  /** A schema below the root has an `$id`. */
  readonly hasResources: boolean;
  /**
   * The target of a reference: a pointer, an anchor or the URI of a resource. References are read as ajv reads them,
   * because ajv makes the check: `%2F` is part of a key, and `#/` is the root.
   * @param from the schema that contains the reference
   * @returns undefined if the document does not contain it
   */
  resolve(reference: string, from: JsonObject): Located<JsonSchema> | undefined;
}

/** The base URI of a schema that has none. */
const noBase = "toolhost:/";

const referring = [...keywordsWhere(({ role }) => role === "refer")];

function refers(node: JsonObject): boolean {
  for (const keyword of referring) if (node[keyword] !== undefined) return true;
  return false;
}

/** The references of a schema, without those of the schemas inside it. */
export function referencesOf(node: JsonObject): { keyword: string; reference: string }[] {
  const found: { keyword: string; reference: string }[] = [];
  for (const keyword of referring) {
    const reference = node[keyword];
    if (typeof reference === "string") found.push({ keyword, reference });
  }
  return found;
}

export function readDocument(root: JsonObject): SchemaDocument {
  const located = new Map<JsonObject, Located>();
  const schemas: Located[] = [];
  const resources = new Map<string, Resource>();
  const anchors = new Map<string, Located>();
  const outermost: Resource = { uri: noBase, node: root, path: "" };
  let referrers: JsonObject[] = [];

  add(root, "", 0, outermost);
  // The list grows during the loop.
  for (let index = 0; index < schemas.length; index++) {
    const { node, path, depth, resource } = schemas[index]!;
    if (refers(node)) referrers.push(node);
    for (const child of subschemas(node)) add(child.schema, path + child.path, depth + 1, resource);
    // Last, so that each schema has the path of its own place, and every name is known.
    if (index === schemas.length - 1) followReferences();
  }
  const ownResource = located.get(root)?.resource;
  return { schemas, hasResources: schemas.some(({ resource }) => resource !== ownResource), resolve };

  function followReferences(): void {
    const nodes = referrers;
    referrers = [];
    for (const node of nodes) {
      for (const { reference } of referencesOf(node)) {
        const target = resolve(reference, node);
        if (target !== undefined) add(target.node, target.path, 0, target.resource);
      }
    }
  }

  function add(node: JsonSchema, path: string, depth: number, outer: Resource): void {
    if (!isJsonObject(node) || located.has(node)) return;
    const { $id, $anchor, $dynamicAnchor } = node;
    let resource = outer;
    // Up to draft-07, an `$id` that is only a fragment is an anchor.
    const isFragment = typeof $id === "string" && $id.startsWith("#");
    if (typeof $id === "string" && !isFragment) resource = { uri: toUri($id, outer.uri), node, path };
    if (resource !== outer || node === root) {
      if (!resources.has(resource.uri)) resources.set(resource.uri, resource);
    }
    const place = { node, path, depth, resource };
    located.set(node, place);
    schemas.push(place);
    if (isFragment) nameAnchor(decodePercent($id.slice(1)), place);
    if ($anchor !== undefined) nameAnchor($anchor, place);
    if ($dynamicAnchor !== undefined) nameAnchor($dynamicAnchor, place);
  }

  function nameAnchor(anchor: unknown, place: Located): void {
    if (typeof anchor === "string") anchors.set(`${place.resource.uri}#${anchor}`, place);
  }

  function resolve(reference: string, from: JsonObject): Located<JsonSchema> | undefined {
    const base = located.get(from)?.resource ?? located.get(root)?.resource ?? outermost;
    const mark = reference.indexOf("#");
    const address = mark < 0 ? reference : reference.slice(0, mark);
    const fragment = mark < 0 ? "" : reference.slice(mark + 1);
    const resource = address === "" ? base : resources.get(toUri(address, base.uri));
    if (resource === undefined) return undefined;
    if (fragment === "" || fragment === "/") return located.get(resource.node);
    if (fragment.startsWith("/")) return follow(resource, fragment);
    return anchors.get(`${resource.uri}#${decodePercent(fragment)}`);
  }

  function follow(resource: Resource, pointer: string): Located<JsonSchema> | undefined {
    let at: unknown = resource.node;
    let { path } = resource;
    for (const token of pointer.slice(1).split("/")) {
      const key = decodeToken(decodePercent(token));
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
      at = (at as JsonObject)[key];
      path += pointerToken(key);
    }
    if (!isSchema(at)) return undefined;
    return (isJsonObject(at) ? located.get(at) : undefined) ?? { node: at, path, depth: 0, resource };
  }
}

const documents = new WeakMap<JsonObject, SchemaDocument>();

/** The document of a schema that does not change, read once. */
export function documentOf(root: JsonObject): SchemaDocument {
  const document = documents.get(root) ?? readDocument(root);
  documents.set(root, document);
  return document;
}

/** A URI without its fragment. */
function toUri(reference: string, base: string): string {
  const url = parseUrl(reference, base);
  if (url === undefined) return reference;
  url.hash = "";
  return url.href;
}
