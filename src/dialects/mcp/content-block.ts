import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { isContentBlock } from "../../tool/content-blocks.ts";
import { textOfBlock } from "../media.ts";

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === "string";
const all =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
const members =
  (tests: Readonly<Record<string, Test>>): Test =>
  (value) =>
    isJsonObject(value) && Object.entries(tests).every(([key, test]) => value[key] === undefined || test(value[key]));

const optional: Readonly<Record<string, Test>> = {
  _meta: isJsonObject,
  annotations: members({
    audience: all((role) => role === "user" || role === "assistant"),
    priority: (value) => typeof value === "number" && value >= 0 && value <= 1,
    lastModified: (value) =>
      typeof value === "string" &&
      /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
      !Number.isNaN(Date.parse(value)),
  }),
};
const optionalOfResource: Readonly<Record<string, Test>> = { _meta: isJsonObject, mimeType: isText };
const optionalOfLink: Readonly<Record<string, Test>> = {
  ...optional,
  ...optionalOfResource,
  title: isText,
  description: isText,
  size: (value) => typeof value === "number",
  icons: all(
    (icon) =>
      isJsonObject(icon) &&
      isText(icon["src"]) &&
      members({
        mimeType: isText,
        sizes: all(isText),
        theme: (value) => value === "light" || value === "dark",
      })(icon),
  ),
};

/**
 * A block of a server as all clients accept it: they refuse a whole result because of one block. What is no block of MCP becomes a
 * line of text, and an optional member of another type than the schema's is left out. Source:
 * modelcontextprotocol.io/specification/2026-07-28/schema, `ContentBlock`.
 */
export function toContentBlock(block: JsonObject): JsonObject {
  if (!isContentBlock(block)) return { type: "text", text: textOfBlock(block) };
  const { type, resource } = block;
  const kept = without(block, type === "resource_link" ? optionalOfLink : optional);
  if (!isJsonObject(resource) || type !== "resource") return kept;
  const contents = without(resource, optionalOfResource);
  return contents === resource ? kept : { ...kept, resource: contents };
}

/** The same object if nothing of it is left out. */
function without(object: JsonObject, tests: Readonly<Record<string, Test>>): JsonObject {
  const refused = Object.entries(tests).filter(([key, test]) => object[key] !== undefined && !test(object[key]));
  if (refused.length === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !refused.some(([name]) => name === key)));
}
