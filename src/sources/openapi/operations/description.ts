import type { JsonObject } from "../../../json/object.ts";
import type { ToolAnnotations } from "../../../tool/tool.ts";

/** The description for a model: the document's, else the summary, else method and path. Says if it is deprecated. */
export function describeOperation(
  { description, summary, deprecated }: JsonObject,
  method: string,
  path: string,
): string {
  const text = [description, summary].find((each) => typeof each === "string" && each.trim() !== "");
  const written = typeof text === "string" ? text.trim() : `${method} ${path}`;
  return deprecated === true ? `Deprecated. ${written}` : written;
}

export function tagsOf({ tags }: JsonObject): string[] {
  return Array.isArray(tags)
    ? [...new Set(tags.filter((tag): tag is string => typeof tag === "string" && tag !== ""))]
    : [];
}

const safe = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);

/** By the method: RFC 9110, section 9.2. */
export function annotationsOf(method: string): ToolAnnotations {
  const readOnly = method === "GET" || method === "HEAD";
  const idempotent = safe.has(method) || method === "PUT" || method === "DELETE";
  return { readOnly, idempotent, ...(method === "DELETE" && { destructive: true }) };
}
