import { limitResolve, type Resolve } from "../document/resolve.ts";

const maxDepth = 8;
const maxParts = 1000;

/** Whether a property of a form is a file or a list of files; also if it may be null, or says it in a member of `allOf`. */
export function isFile(property: unknown, resolve: Resolve): boolean {
  return hasFile(property, limitResolve(resolve, maxParts), 0);
}

function hasFile(property: unknown, resolve: Resolve, depth: number): boolean {
  const schema = resolve(property);
  if (schema === undefined || depth > maxDepth) return false;
  const { type, format, contentMediaType, items } = schema;
  const types = Array.isArray(type) ? type : [type];
  if (contentMediaType === "application/octet-stream") return true;
  if (types.includes("string") && (format === "binary" || format === "base64")) return true;
  const parts = [schema["allOf"], schema["anyOf"], schema["oneOf"], types.includes("array") ? [items] : []];
  return parts.some((part) => Array.isArray(part) && part.some((member) => hasFile(member, resolve, depth + 1)));
}
