import { CallError } from "../../../errors/errors.ts";
import { hasRoundedInteger } from "../../../json/rounded-integers.ts";

/** The media type of an answer without its parameters, in lower case; empty if it has none. */
export function mediaTypeOf(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
}

/** Types that are texts, in addition to `text/…`; others are bytes unless they turn out to be UTF-8. */
const textTypes =
  /[/+](?:json|xml|yaml|x-yaml)$|^application\/(?:x-ndjson|jsonl|javascript|graphql|x-www-form-urlencoded)$/;
const byteTypes =
  /^(?:image|audio|video|font)\/(?!svg\+xml$)|^application\/(?:octet-stream|pdf|zip|gzip|x-tar|vnd\.(?!.*[+.](?:json|xml)$).*)$/;

/**
 * The result of a success answer: JSON by its media type or its content, any other text as a string, null if it is
 * empty, bytes as one content block.
 * @param url for the name of a resource; without its query, which may contain a credential
 * @throws UpstreamError, CallError `invalid_result` if a number cannot be held exactly
 */
export async function readAnswer(response: Response, url: string): Promise<unknown> {
  if (response.body === null) return null;
  const type = mediaTypeOf(response);
  if (byteTypes.test(type)) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    return bytes.byteLength === 0 ? null : toBlock(bytes, type, url);
  }
  if (type.startsWith("text/") || textTypes.test(type)) return readText(await decode(response));
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = asUtf8(bytes);
  return text === undefined ? toBlock(bytes, type || "application/octet-stream", url) : readText(text);
}

/** UTF-8, as JSON always is (RFC 8259, section 8.1), unless it names another charset. */
async function decode(response: Response): Promise<string> {
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(response.headers.get("content-type") ?? "")?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return response.text();
  const bytes = await response.arrayBuffer();
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function asUtf8(bytes: Uint8Array): string | undefined {
  try {
    return bytes.includes(0) ? undefined : strict.decode(bytes);
  } catch {
    return undefined;
  }
}

const strict = new TextDecoder("utf-8", { fatal: true });

function readText(text: string): unknown {
  if (text === "") return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (hasRoundedInteger(text)) throw roundedInteger();
  return value;
}

function roundedInteger(): CallError {
  const message = "contains an integer that cannot be represented exactly";
  return new CallError(
    "invalid_result",
    `The answer of the service behind the tool ${message}. The result is refused, because rounding would change the number.`,
    { issues: [{ path: "", message, keyword: "json" }] },
  );
}

/** One block of MCP's content: what a model can see or hear as such, anything else as a resource. */
function toBlock(bytes: Uint8Array, mimeType: string, url: string): unknown {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  const kind = mimeType.split("/")[0];
  if (kind === "image" || kind === "audio") return { content: [{ type: kind, data, mimeType }] };
  return { content: [{ type: "resource", resource: { uri: url.split("?")[0], mimeType, blob: data } }] };
}
