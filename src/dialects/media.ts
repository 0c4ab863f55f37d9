import { isBase64 } from "../tool/content-blocks.ts";
import { blocksOf } from "../core/result-blocks.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import type { CallResult } from "./dialect.ts";
import { readableText } from "./results.ts";

/** A part of a result as a model sees it. */
export type Piece = { readonly text: string } | Media;

export interface Media {
  /** In lower case, without parameters. */
  readonly mimeType: string;
  /** Base64, which is not checked. */
  readonly data: string;
}

/** Which media the results of a format may contain. */
export type Shows = (media: Media) => boolean;

/** The images that OpenAI and Anthropic accept. */
export const showsImages: Shows = (media) => isOfType(media, /^image\/(?:gif|jpeg|png|webp)$/);
export const showsNothing: Shows = () => false;

/** Every provider refuses media of zero bytes, and the whole conversation because of one that is not base64. */
export function isOfType({ mimeType, data }: Media, types: RegExp): boolean {
  return data !== "" && types.test(mimeType) && isBase64(data);
}

/**
 * A result in pieces, with adjacent texts joined. Media that the format can show remain media. Each other content block
 * becomes one line of text, because base64 in a text does not help a model and uses up its context.
 */
export function piecesOf(result: CallResult, shows: Shows): Piece[] {
  const pieces: Piece[] = [];
  for (const piece of allPieces(result)) {
    const shown = "text" in piece || shows(piece) ? piece : { text: lineOf(piece) };
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

/** A content block as text, whatever it is. */
export function textOfBlock(block: JsonObject): string {
  const piece = readBlock(block);
  return "text" in piece ? piece.text : lineOf(piece);
}

export function textsOf(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => ("text" in piece ? [piece.text] : []));
}

export function mediaOf(pieces: readonly Piece[]): Media[] {
  return pieces.filter((piece): piece is Media => !("text" in piece));
}

/** The lines that replace the parts of a result that a format cannot show. */
export function hiddenMedia(result: CallResult, shows: Shows): string[] {
  return allPieces(result).flatMap((piece) => ("text" in piece || shows(piece) ? [] : [lineOf(piece)]));
}

/** The result itself comes first if the blocks are beside it. */
function allPieces(result: CallResult): Piece[] {
  const found = blocksOf(result.outcome, result.tool);
  if (found === undefined) return [{ text: readableText(result.outcome) }];
  const pieces = found.blocks.map(readBlock);
  return found.areBeside ? [{ text: readableText(result.outcome) }, ...pieces] : pieces;
}

/** A block of an MCP server may be anything: what is missing in it must not become the text "undefined". */
function readBlock(block: JsonObject): Piece {
  const { type, text, resource, uri, name } = block;
  if (type === "resource" && isJsonObject(resource)) return readResource(resource);
  if (type === "resource_link" && typeof uri === "string") {
    return { text: `[${typeof name === "string" ? name : "link"}: ${uri}]` };
  }
  if (type === "image" || type === "audio") return readMedia(block["mimeType"], block["data"]);
  return { text: typeof text === "string" ? text : `[${typeof type === "string" ? type.slice(0, 100) : "block"}]` };
}

function readResource({ text, blob, mimeType }: JsonObject): Piece {
  return typeof text === "string" ? { text } : readMedia(mimeType, blob);
}

/** `image/jpg` does not exist, and is common. */
function readMedia(mimeType: unknown, data: unknown): Media {
  const type = typeof mimeType === "string" ? mimeType.replace(/;.*/s, "").trim().toLowerCase() : "";
  return {
    mimeType: type === "" ? "application/octet-stream" : type === "image/jpg" ? "image/jpeg" : type,
    data: typeof data === "string" ? data : "",
  };
}

/** Such as `[image/png, 34 kB]`. */
function lineOf({ mimeType, data }: Media): string {
  const bytes = Math.floor((data.replace(/=+$/, "").length * 3) / 4);
  const size =
    bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return `[${mimeType.slice(0, 100)}, ${size}]`;
}
