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

/** The schema of the success answers, if all of them have JSON with one, and the media types to ask for. */
export function readResponse(
  operation: JsonObject,
  produces: readonly string[] | undefined,
  resolve: Resolve,
  definitions: Definitions,
  reaches: Set<string>,
): ReadResponse {
  const answers = isJsonObject(operation["responses"]) ? operation["responses"] : {};
  const accept = new Set<string>(produces?.filter(isMediaType).slice(0, maxTypes));
  const schemas = new Map<string, JsonObject>();
  let isCertain = true;
  for (const [status, given] of Object.entries(answers)) {
    if (!/^2(?:\d\d|XX)$/i.test(status)) continue;
    const answer = resolve(given);
    const content = isJsonObject(answer?.["content"]) ? Object.entries(answer["content"]) : [];
    const json = content.find(([type]) => /[/+]json/i.test(type));
    for (const [type] of content) if (isMediaType(type) && accept.size < maxTypes) accept.add(type);
    const media = json?.[1];
    const schema = produces === undefined ? isJsonObject(media) && media["schema"] : answer?.["schema"];
    if (!isJsonObject(schema) || content.length > 1) {
      isCertain = false;
      continue;
    }
    const converted = definitions.convert(schema, reaches);
    if (isJsonObject(converted)) schemas.set(JSON.stringify(converted), converted);
  }
  const [first, ...others] = schemas.values();
  const whole = others.length > 0 ? { anyOf: [...schemas.values()] } : first;
  const isFile = accept.size > 0 && [...accept].every((type) => fileType.test(type));
  return {
    isFile,
    ...(isCertain && !isFile && whole !== undefined && { schema: whole }),
    ...(accept.size > 0 && { accept: [...accept].join(", ") }),
  };
}
