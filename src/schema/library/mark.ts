import type { OpenPlace } from "./open.ts";
import type { ReadSchema } from "./read.ts";

/** Facts about a tool that its JSON Schemas do not contain: a schema library wrote them. */
export interface LibraryMark {
  /** The library checks the arguments too, before `execute` is called. */
  readonly validates: boolean;
  /** Places in the tool, such as `/parameters/properties/when`. */
  readonly open: readonly OpenPlace[];
}

/** Global, because another copy of this package than the service's may have made the tool. */
const key = Symbol.for("toolhost.library");
const none: LibraryMark = { validates: false, open: [] };

/** @returns the mark of a tool that defineTool or readTool made */
export function libraryMark(tool: object): LibraryMark {
  const mark: unknown = (tool as Record<symbol, unknown>)[key];
  const isMark = typeof mark === "object" && mark !== null && "open" in mark && Array.isArray(mark.open);
  return isMark ? (mark as LibraryMark) : none;
}

/** Records on a tool the source of its schemas. @param before the record of the tool that it was made from */
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
