import { isMedia } from "../core/content-blocks.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import type { CallResult } from "./dialect.ts";
import { readableText } from "./results.ts";

/** A part of a result as a model sees it. */
export type Piece = { readonly text: string } | Media;

export interface Media {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** Which media the results of a format may contain. */
export type Shows = (mimeType: string) => boolean;

/** The image types that OpenAI and Anthropic accept. */
export const showsImages: Shows = (mimeType) => /^image\/(?:gif|jpeg|png|webp)$/.test(mimeType);
export const showsNothing: Shows = () => false;

/**
 * A result in pieces, with adjacent texts joined. Media that the format can show remain media. Each other content block
 * becomes one line of text, because base64 in a text does not help a model and uses up its context.
 */
export function piecesOf(result: CallResult, shows: Shows): Piece[] {
  const blocks = blocksOf(result);
  if (blocks === undefined) return [{ text: readableText(result.outcome) }];
  const pieces: Piece[] = [];
  for (const piece of blocks.map(readBlock)) {
    const shown = "text" in piece || isShown(piece, shows) ? piece : { text: lineOf(piece) };
    const last = pieces.at(-1);
    if ("text" in shown && last !== undefined && "text" in last)
      pieces[pieces.length - 1] = { text: `${last.text}\n${shown.text}` };
    else pieces.push(shown);
  }
  return pieces;
}

/** A result as text alone. */
export function textOf(result: CallResult): string {
  return textsOf(piecesOf(result, showsNothing)).join("\n");
}

export function textsOf(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => ("text" in piece ? [piece.text] : []));
}

export function mediaOf(pieces: readonly Piece[]): Media[] {
  return pieces.filter((piece): piece is Media => !("text" in piece));
}

/** The lines that replace the parts of a result that a format cannot show. */
export function hiddenMedia(result: CallResult, shows: Shows): string[] {
  const pieces = (blocksOf(result) ?? []).map(readBlock);
  return pieces.flatMap((piece) => ("text" in piece || isShown(piece, shows) ? [] : [lineOf(piece)]));
}

/** Every provider refuses an image of zero bytes. */
function isShown({ data, mimeType }: Media, shows: Shows): boolean {
  return data !== "" && shows(mimeType);
}

/** Undefined for a result that does not consist of content blocks. */
function blocksOf({ outcome, tool }: CallResult): readonly JsonObject[] | undefined {
  if (tool?.contentBlocks !== true || outcome.status === "error" || !isJsonObject(outcome.result)) return undefined;
  const { content } = outcome.result;
  return Array.isArray(content) ? content.filter(isJsonObject) : undefined;
}

function readBlock(block: JsonObject): Piece {
  if (isMedia(block)) return block;
  const { type, text, resource, uri, name } = block;
  if (type === "resource" && isJsonObject(resource)) return readResource(resource);
  return { text: type === "resource_link" ? `[${String(name)}: ${String(uri)}]` : String(text) };
}

function readResource({ text, blob, mimeType }: JsonObject): Piece {
  if (typeof text === "string") return { text };
  return {
    data: String(blob),
    mimeType: typeof mimeType === "string" && mimeType !== "" ? mimeType : "application/octet-stream",
  };
}

/** Such as `[image/png, 34 kB]`. */
function lineOf({ mimeType, data }: Media): string {
  const bytes = Math.floor((data.replace(/=+$/, "").length * 3) / 4);
  const size =
    bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return `[${mimeType.slice(0, 100)}, ${size}]`;
}
