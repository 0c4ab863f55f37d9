import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import type { Resolve } from "../document/resolve.ts";
import type { Definitions } from "./definitions.ts";
import { isMediaType } from "./media-type.ts";

export interface ReadResponse {
  readonly schema?: JsonObject;
  readonly accept?: string;
  /** All success answers are files, such as images. */
  readonly isFile: boolean;
}

/** A header has room for so many. */
const maxTypes = 20;

/** Media types whose content a model cannot read as text or JSON. */
const fileType =
  /^(?:image|audio|video|font)\/(?!svg\+xml)|^application\/(?:octet-stream|pdf|zip|gzip|x-tar)\s*(?:;|$)/i;

const jsonType = /[/+]json\s*(?:;|$)/i;
const xmlType = /[/+]xml\s*(?:;|$)/i;

/**
 * The schema of the success answers and the media types to ask for. JSON is asked for in place of the same value as XML. The
 * schema is a union of what can arrive: of each answer its JSON, and null for those without content. It is left out if an answer
 * has no schema, or if it may be something other than JSON.
 */
export function readResponse(
  operation: JsonObject,
  produces: readonly string[] | undefined,
  resolve: Resolve,
  definitions: Definitions,
  reaches: Set<string>,
): ReadResponse {
  const answers = isJsonObject(operation["responses"]) ? operation["responses"] : {};
  const accept = new Set<string>();
  const schemas = new Map<string, JsonObject>();
  let isCertain = true;
  let isFile = true;
  const addTypes = (types: readonly string[]): void => {
    const sendable = types.filter(isMediaType);
    const json = sendable.filter((type) => jsonType.test(type));
    for (const type of json.length > 0 && isJsonOrXml(types) ? json : sendable) {
      if (accept.size < maxTypes) accept.add(type);
      isFile &&= fileType.test(type);
    }
  };
  addTypes(produces ?? []);
  for (const [status, given] of Object.entries(answers)) {
    if (!/^2(?:\d\d|XX)$/i.test(status)) continue;
    if (isEmptyStatus(status)) {
      addSchema({ type: "null" });
      continue;
    }
    const answer = resolve(given);
    const content = isJsonObject(answer?.["content"]) ? answer["content"] : {};
    addTypes(Object.keys(content));
    const found = produces === undefined ? jsonSchemas(content) : swaggerSchemas(answer, produces);
    for (const schema of found) {
      const converted = isJsonObject(schema) ? definitions.convert(schema, reaches) : true;
      if (isJsonObject(converted)) addSchema(converted);
      else isCertain = false;
    }
    if (found.length === 0) isCertain = false;
  }
  const hasJson = [...schemas.values()].some(({ type }) => type !== "null");
  const [first, ...others] = schemas.values();
  const whole = others.length > 0 ? { anyOf: [...schemas.values()] } : first;
  isFile &&= accept.size > 0;
  return {
    isFile,
    ...(isCertain && !isFile && hasJson && whole !== undefined && { schema: whole }),
    ...(accept.size > 0 && { accept: [...accept].join(", ") }),
  };

  function addSchema(schema: JsonObject): void {
    schemas.set(JSON.stringify(schema), schema);
  }
}

/** 204 and 205 have no content: RFC 9110, sections 15.3.5 and 15.3.6. */
function isEmptyStatus(status: string): boolean {
  return status === "204" || status === "205";
}

function isJsonOrXml(types: readonly string[]): boolean {
  return types.every((type) => jsonType.test(type) || xmlType.test(type));
}

/** The schemas of the content's JSON types, of which one may be missing; none if something else may arrive. */
function jsonSchemas(content: JsonObject): unknown[] {
  if (!isJsonOrXml(Object.keys(content))) return [];
  const json = Object.entries(content).filter(([type]) => jsonType.test(type));
  return json.map(([, media]) => (isJsonObject(media) ? media["schema"] : undefined));
}

/** Swagger 2.0 has one schema for all types. A document that names no type means JSON. */
function swaggerSchemas(answer: JsonObject | undefined, produces: readonly string[]): unknown[] {
  const isJson = produces.length === 0 || (isJsonOrXml(produces) && produces.some((type) => jsonType.test(type)));
  return isJson ? [answer?.["schema"]] : [];
}
