import { randomUUID } from "node:crypto";
import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { isOneOf, readFile } from "./data-url.ts";
import type { BodyPlan, EncodingPlan } from "./plan.ts";
import { refuseArgument } from "./refuse-argument.ts";
import { joinSimple } from "./simple.ts";
import { isPresent, textOf } from "./value-text.ts";
import type { WrittenBody } from "./body.ts";

/**
 * A `multipart` body (RFC 7578): one part a property, one part an item of an array. The type of a part is that of its encoding,
 * otherwise JSON for objects (https://spec.openapis.org/oas/v3.2.0.html#encoding-multipart).
 * @param pathOf the place of a property among the arguments
 */
export function writeMultipart(plan: BodyPlan, value: JsonObject, pathOf: (property: string) => string): WrittenBody {
  const boundary = `toolhost-${randomUUID()}`;
  const chunks: (string | Uint8Array)[] = [];
  for (const [name, member] of Object.entries(value)) {
    const encoding =
      plan.encoding !== undefined && Object.hasOwn(plan.encoding, name) ? plan.encoding[name] : undefined;
    for (const item of partsOf(member, encoding)) {
      const { head, content } = writePart(name, item, encoding, pathOf);
      chunks.push(`--${boundary}\r\n${head}\r\n`, content, "\r\n");
    }
  }
  chunks.push(`--${boundary}--\r\n`);
  const [type = "multipart/form-data"] = plan.mediaType.split(";");
  return {
    contentType: `${type.trim()}; boundary=${boundary}`,
    content: Buffer.concat(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk))),
  };
}

function partsOf(member: unknown, encoding: EncodingPlan | undefined): readonly unknown[] {
  if (!isPresent(member)) return [];
  if (!Array.isArray(member)) return [member];
  const present = member.filter(isPresent);
  if (encoding?.style === undefined || encoding.explode !== false || present.length === 0) return present;
  return [joinSimple(present, false, (text) => text)];
}

interface Part {
  readonly head: string;
  readonly content: string | Uint8Array;
}

function writePart(
  name: string,
  value: unknown,
  encoding: EncodingPlan | undefined,
  pathOf: (property: string) => string,
): Part {
  const declared = encoding?.mediaType;
  const disposition = `Content-Disposition: form-data; name="${escapeName(name)}"`;
  if (encoding?.isFile === true && typeof value === "string") {
    const file = readFile(value);
    if (declared !== undefined && file.mediaType !== undefined && !isOneOf(file.mediaType, declared)) {
      throw refuseArgument(pathOf(name), `must be a file of the media type ${declared}`);
    }
    const type = file.mediaType ?? (isConcrete(declared) ? declared : "application/octet-stream");
    return { head: `${disposition}; filename="${escapeName(name)}"\r\nContent-Type: ${type}\r\n`, content: file.bytes };
  }
  const isJson = isJsonObject(value) || Array.isArray(value);
  const type = isConcrete(declared) ? declared : isJson ? "application/json" : undefined;
  const isQuoted = type !== undefined && /[/+]json\b/i.test(type) && typeof value === "string" && isConcrete(declared);
  return {
    head: `${disposition}\r\n${type === undefined ? "" : `Content-Type: ${type}\r\n`}`,
    content: isQuoted ? JSON.stringify(value) : textOf(value).toWellFormed(),
  };
}

/** One type without wildcards, which a part can have. */
function isConcrete(mediaType: string | undefined): mediaType is string {
  return mediaType !== undefined && /^[^\s,*;]+\/[^\s,*;]+(?:;[\x20-\x2b\x2d-\x7e]*)?$/.test(mediaType);
}

/** As browsers do (HTML, "multipart/form-data encoding algorithm"). */
function escapeName(name: string): string {
  return name
    .toWellFormed()
    .replace(/["\r\n]/g, (character) => ({ '"': "%22", "\r": "%0D", "\n": "%0A" })[character] ?? "");
}
