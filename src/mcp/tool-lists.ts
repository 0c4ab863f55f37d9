import { inTurns } from "../async/in-turns.ts";
import { listTools, viewKey } from "../core/caller.ts";
import { keepByVersion } from "../core/registry/kept-by-version.ts";
import type { RegisteredTool } from "../core/registry/registered-tool.ts";
import type { Registry } from "../core/registry/registry.ts";
import type { Connection } from "./method.ts";
import { declaredToolOf } from "../dialects/declared-tool.ts";
import type { Era } from "./revisions.ts";
import { cacheMembers, frames } from "./server-info.ts";

const maxKept = 64;

/**
 * The results of `tools/list` as JSON text, in one page. Each is written once for each version of the registry, era, choice
 * of tools and set of rights.
 */
export function createToolLists(registry: Registry): (era: Era, connection: Connection) => Promise<string> {
  const lists = keepByVersion<Promise<string>>(registry, maxKept);
  return (era, connection) => {
    const { caller, choice } = connection;
    return lists(`${era} ${choice?.key ?? ""} ${viewKey(caller)}`, () =>
      writeList(era, listTools(registry, { caller, only: choice?.names })),
    );
  };
}

async function writeList(era: Era, entries: readonly RegisteredTool[]): Promise<string> {
  const { startListing } = await import("./list-declarations.ts");
  const declaring = startListing(era);
  await inTurns(entries, (entry) => declaring.add(declaredToolOf(entry)));
  const { head, meta } = frames[era];
  const tools = `"tools":${JSON.stringify(declaring.end().tools)}`;
  return era === "legacy" ? `{${head}${tools}}` : `{${head}${tools},${cacheMembers},"_meta":{${meta}}}`;
}
