import { SourceError } from "../../core/source.ts";
import { isJsonObject } from "../../json/object.ts";
import type { Connection } from "./connection.ts";

/** More of any is a fault of the server: its list would not end, or fill the memory. */
const maxTools = 10_000;
const maxPages = 1000;
const maxCharacters = 67_108_864;

/** A tool as a server declares it. Nothing of it is checked. */
export interface ListedTool {
  readonly declaration: unknown;
  /** The declaration as JSON; empty if it is nested too deeply to be written. */
  readonly text: string;
}

/** All pages of a server's tools. @throws SourceError if it answers with something else, or without end */
export async function listTools(
  { requests, hasTools }: Connection,
  signal: AbortSignal,
): Promise<readonly ListedTool[]> {
  if (!hasTools) return [];
  const listed: ListedTool[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let characters = 0;
  do {
    const page = await requests.send("tools/list", cursor === undefined ? {} : { cursor }, { signal });
    if (!isJsonObject(page) || !Array.isArray(page["tools"]))
      throw new SourceError("its answer to tools/list has no tools");
    for (const declaration of page["tools"] as unknown[]) {
      const text = textOf(declaration);
      characters += text.length;
      listed.push({ declaration, text });
    }
    const { nextCursor } = page;
    cursor = typeof nextCursor === "string" ? nextCursor : undefined;
    if (listed.length > maxTools) throw new SourceError(`it has more than ${maxTools} tools`);
    if (characters > maxCharacters) throw new SourceError(`its tools take more than ${maxCharacters} characters`);
    if (cursor !== undefined && (cursors.has(cursor) || cursors.size >= maxPages)) {
      throw new SourceError("its list of tools has too many pages, or repeats a page");
    }
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined);
  return listed;
}

/** One declaration must not fail the list. */
function textOf(declaration: unknown): string {
  try {
    return JSON.stringify(declaration);
  } catch (error) {
    if (error instanceof RangeError) return "";
    throw error;
  }
}
