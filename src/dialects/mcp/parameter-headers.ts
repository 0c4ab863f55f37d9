import { type JsonObject, ownMember } from "../../json/object.ts";
import { subschemas } from "../../schema/walk.ts";
import { encodeHeaderValue } from "./header-value.ts";

/** An argument that clients repeat in a header, so that proxies can read it. */
export interface ParameterHeader {
  /** In lower case, such as `mcp-param-region`. */
  readonly header: string;
  /** The keys that lead to the argument. */
  readonly path: readonly string[];
}

const annotation = "x-mcp-header";
const isToken = /^[!#$%&'*+.^_`|~\w-]+$/;
const types: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/** The same schema, or one without its annotations if one of them is not valid: clients leave out such a tool. */
export function withValidHeaders(schema: JsonObject): JsonObject {
  return readParameterHeaders(schema) === undefined ? withoutHeaders(schema) : schema;
}

/**
 * The annotations of a schema. Rules: modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http, "Schema
 * Extension".
 * @returns undefined if one is not valid
 */
export function readParameterHeaders(schema: JsonObject): ParameterHeader[] | undefined {
  const found: ParameterHeader[] = [];
  const nodes: { readonly schema: JsonObject; readonly path?: readonly string[] }[] = [{ schema, path: [] }];
  // The list grows during the loop.
  for (const { schema: node, path } of nodes) {
    const name = Object.hasOwn(node, annotation) ? node[annotation] : undefined;
    if (name !== undefined) {
      if (path === undefined || path.length === 0 || !types.has(node["type"])) return undefined;
      if (typeof name !== "string" || !isToken.test(name)) return undefined;
      const header = `mcp-param-${name.toLowerCase()}`;
      if (found.some((other) => other.header === header)) return undefined;
      found.push({ header, path });
    }
    for (const { schema: child, keyword, key } of subschemas(node)) {
      if (typeof child !== "object") continue;
      const isReachable = path !== undefined && keyword === "properties";
      nodes.push(isReachable ? { schema: child, path: [...path, String(key)] } : { schema: child });
    }
  }
  return found;
}

/** The headers that repeat arguments. An argument that is absent has none. */
export function writeParameterHeaders(headers: readonly ParameterHeader[], args: unknown): Record<string, string> {
  const written: Record<string, string> = {};
  for (const { header, path } of headers) {
    const argument = path.reduce(ownMember, args);
    if (isPrimitive(argument)) written[header] = encodeHeaderValue(String(argument));
  }
  return written;
}

/** Whether an argument can be repeated in a header. */
export function isPrimitive(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A copy without the annotations. */
export function withoutHeaders(schema: JsonObject): JsonObject {
  const copy = structuredClone(schema);
  const nodes = [copy];
  // The list grows during the loop.
  for (const node of nodes) {
    delete node[annotation];
    for (const { schema: child } of subschemas(node)) if (typeof child === "object") nodes.push(child);
  }
  return copy;
}
