import { isJsonObject, type JsonObject, setOwn } from "../../../src/json/object.ts";
import { subschemas } from "../../../src/schema/walk.ts";

export const olderDrafts = {
  "draft-04": "http://json-schema.org/draft-04/schema#",
  "draft-06": "http://json-schema.org/draft-06/schema#",
  "draft-07": "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
} as const;
export type OlderDraft = keyof typeof olderDrafts;

/** A schema as its author would have written it in an older draft. Its `$defs` are flat. */
export function asDraft(source: JsonObject, draft: OlderDraft): JsonObject {
  const schema = JSON.parse(JSON.stringify(source)) as JsonObject;
  const nodes = [schema];
  // The list grows on the way.
  for (const node of nodes) {
    for (const child of subschemas(node)) if (isJsonObject(child.schema)) nodes.push(child.schema);
  }
  for (const node of nodes) writeOlder(node, draft);
  return { ...schema, $schema: olderDrafts[draft] };
}

function writeOlder(node: JsonObject, draft: OlderDraft): void {
  const move = (from: string, to: string): void => {
    if (!Object.hasOwn(node, from)) return;
    setOwn(node, to, node[from]);
    delete node[from];
  };
  if (Array.isArray(node["prefixItems"])) {
    move("items", "additionalItems");
    move("prefixItems", "items");
  }
  if (draft === "2019-09") return;
  move("$defs", "definitions");
  if (typeof node["$ref"] === "string") node["$ref"] = node["$ref"].replace("#/$defs/", "#/definitions/");
  if ("dependentRequired" in node || "dependentSchemas" in node) {
    node["dependencies"] = { ...Object(node["dependentSchemas"]), ...Object(node["dependentRequired"]) } as JsonObject;
    delete node["dependentRequired"];
    delete node["dependentSchemas"];
  }
  if (draft !== "draft-04") return;
  move("$id", "id");
  for (const [limit, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (typeof node[exclusive] !== "number") continue;
    // Of two limits the narrower one counts.
    const [own, other] = [node[limit], node[exclusive]];
    const isWider = typeof own !== "number" || (limit === "minimum" ? other >= own : other <= own);
    if (isWider) node[limit] = other;
    node[exclusive] = isWider;
    if (!isWider) delete node[exclusive];
  }
}
