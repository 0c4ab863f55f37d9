import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { RegisteredTool } from "../../core/registry/registered-tool.ts";
import type { Skipped } from "../../core/registry/tool-groups.ts";
import type { LoadedFolder } from "./tool-folder.ts";

type FindTool = (name: string) => RegisteredTool | undefined;

/** Adds to the registry's reasons the folder of each tool, if the tool's name does not show it. */
export function placeRefusals(
  refused: readonly Skipped[],
  folders: readonly LoadedFolder[],
  find: FindTool,
): Skipped[] {
  const places = new Map<string, string[]>();
  for (const { folder, tools } of folders) {
    for (const { name, module } of tools) {
      // The one that is registered was not refused.
      if (find(name)?.tool.module === module) continue;
      places.set(name, [...(places.get(name) ?? []), basename(folder)]);
    }
  }
  return refused.map(({ name, reason }) => {
    const folder = places.get(name)?.shift();
    const taken = reason.startsWith("the name is taken") ? takenBy(name, find) : "";
    const place =
      folder === undefined || (folder === name && taken === "") ? "" : ` (this one is in the folder ${folder})`;
    return { name, reason: `${reason}${taken}${place}` };
  });
}

function takenBy(name: string, find: FindTool): string {
  const module = find(name)?.tool.module;
  return module === undefined || !module.startsWith("file:")
    ? ""
    : `, in the folder ${basename(dirname(fileURLToPath(module)))}`;
}
