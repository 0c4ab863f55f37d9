import { isJsonObject, type JsonObject } from "../json/object.ts";
import { resolveFragment } from "../json/pointer.ts";
import type { JsonSchema } from "./json-schema.ts";
import { parseUrl } from "../net/parse-url.ts";

/** A schema and where it stands. */
interface PlacedNode {
  readonly node: JsonObject;
  readonly path: string;
}

/** A resource: a schema with a URI of its own, against which what is inside it refers. */
interface Resource extends PlacedNode {
  readonly uri: string;
}

type Resolver = (reference: string, path: string) => JsonSchema | undefined;

/** Stands in where a schema has no address. */
const nowhere = "toolhost:/";

/** Follows references inside one document: pointers, anchors and the URIs of its resources. */
export function createResolver(root: JsonObject, nodes: readonly PlacedNode[]): Resolver {
  const resources: Resource[] = [];
  const anchors = new Map<string, JsonObject>();
  for (const placed of nodes) {
    const id = placed.node["$id"];
    const isName = typeof id === "string" && !id.startsWith("#");
    if (placed.node === root) resources.push({ ...placed, uri: toUri(isName ? id : "", nowhere) });
    else if (isName) resources.push({ ...placed, uri: toUri(id, resourceOf(placed.path).uri) });
  }
  for (const { node, path } of nodes) {
    const { $id, $anchor, $dynamicAnchor } = node;
    // Up to draft-07 an `$id` that is a mere fragment is an anchor.
    const fragment = typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : undefined;
    for (const anchor of [fragment, $anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") anchors.set(`${resourceOf(path).uri}#${anchor}`, node);
    }
  }
  return (reference, path) => {
    const uri = toUri(reference, resourceOf(path).uri);
    const mark = reference.indexOf("#");
    const fragment = mark < 0 ? "" : reference.slice(mark + 1);
    const resource = resources.find((candidate) => candidate.uri === uri);
    if (resource === undefined) return undefined;
    const isPointer = fragment === "" || fragment.startsWith("/");
    const target = isPointer ? resolveFragment(resource.node, `#${fragment}`) : anchors.get(`${uri}#${fragment}`);
    return isJsonObject(target) || typeof target === "boolean" ? target : undefined;
  };

  /** The innermost one around a place; the outer ones come first in the list. */
  function resourceOf(path: string): Resource {
    const around = resources.findLast((each) => path === each.path || path.startsWith(`${each.path}/`));
    return around ?? { node: root, path: "", uri: nowhere };
  }
}

/** Without its fragment. */
function toUri(reference: string, base: string): string {
  const url = parseUrl(reference, base);
  if (url === undefined) return reference;
  url.hash = "";
  return url.href;
}
