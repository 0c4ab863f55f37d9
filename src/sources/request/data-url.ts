import { decodePercent } from "../../json/pointer.ts";

/** The content of a file argument. */
export interface FileContent {
  /** Absent if it is a text, or a `data:` URL without a type. */
  readonly mediaType?: string;
  readonly bytes: Uint8Array;
}

/** `data:[<media type>][;base64],<data>` (RFC 2397). */
const dataUrl = /^data:([^,]{0,300}),(.*)$/is;

/** RFC 9110, section 8.3.1: tokens only, so that the type cannot leave its header. */
const mediaTypePattern =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/;

/** A valid `data:` URL is its bytes; any other text is itself, as UTF-8. */
export function readFile(text: string): FileContent {
  return readDataUrl(text) ?? { bytes: Buffer.from(text.toWellFormed()) };
}

function readDataUrl(text: string): FileContent | undefined {
  const [, head = "", data = ""] = dataUrl.exec(text) ?? [];
  if (data === "" && head === "" && !/^data:,$/i.test(text)) return undefined;
  const isBase64 = /;\s*base64$/i.test(head);
  const type = isBase64 ? head.slice(0, head.lastIndexOf(";")).trim() : head;
  // Parameters alone mean a text (RFC 2397, section 3).
  const mediaType = type.startsWith(";") ? `text/plain${type}` : type;
  if (mediaType !== "" && !mediaTypePattern.test(mediaType)) return undefined;
  const bytes = isBase64 ? fromBase64(data) : fromPercent(data);
  return bytes && { ...(mediaType !== "" && { mediaType }), bytes };
}

function fromBase64(data: string): Uint8Array | undefined {
  const text = decodePercent(data);
  const isValid =
    /^[A-Za-z0-9+/]*={0,2}$/.test(text) && (text.includes("=") ? text.length % 4 === 0 : text.length % 4 !== 1);
  return isValid ? Buffer.from(text, "base64") : undefined;
}

function fromPercent(data: string): Uint8Array | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(data) || !data.isWellFormed()) return undefined;
  const latin1 = Buffer.from(data).toString("latin1");
  return Buffer.from(
    latin1.replace(/%[0-9A-Fa-f]{2}/g, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16))),
    "latin1",
  );
}

/** Whether a media type is one of those in a list such as `image/png, image/*`; parameters do not matter. */
export function isOneOf(mediaType: string, list: string): boolean {
  const [type = ""] = mediaType.toLowerCase().split(";");
  return list
    .toLowerCase()
    .split(",")
    .map((each) => each.split(";")[0]!.trim())
    .some(
      (each) =>
        each === type ||
        each === "*/*" ||
        each === "application/octet-stream" ||
        (each.endsWith("/*") && type.startsWith(each.slice(0, -1))),
    );
}
