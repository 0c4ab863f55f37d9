import type { OpenPlace } from "./open.ts";
import type { ReadSchema } from "./read.ts";

/** What a tool's JSON Schemas do not say: a schema library wrote them. */
export interface LibraryMark {
  /** The library checks the arguments too, before `execute` is called. */
  readonly validates: boolean;
  /** Places in the tool, such as `/parameters/properties/when`. */
  readonly open: readonly OpenPlace[];
}

/** Known under this name to every copy of this package: a tool may be made by another one than the service's. */
const key = Symbol.for("toolhost.library");
const none: LibraryMark = { validates: false, open: [] };

/** @returns the mark of a tool that defineTool or readTool made */
export function libraryMark(tool: object): LibraryMark {
  const mark: unknown = (tool as Record<symbol, unknown>)[key];
  const isMark = typeof mark === "object" && mark !== null && "open" in mark && Array.isArray(mark.open);
  return isMark ? (mark as LibraryMark) : none;
}

/** Notes on a tool what its schemas were read from. @param before what was noted on the tool that it was made of */
export function markTool<T extends object>(
  tool: T,
  parameters: ReadSchema | undefined,
  response: ReadSchema | undefined,
  before: LibraryMark = none,
): T {
  const validates = before.validates || parameters?.validate !== undefined;
  const open = [...before.open, ...placesIn("/parameters", parameters), ...placesIn("/response", response)];
  return validates || open.length > 0 ? { ...tool, [key]: { validates, open } satisfies LibraryMark } : tool;
}

function placesIn(place: string, schema: ReadSchema | undefined): OpenPlace[] {
  return (schema?.open ?? []).map(({ path, message }) => ({ path: place + path, message }));
}
