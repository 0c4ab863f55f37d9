import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolConfig } from "../config/config.ts";
import { createFolderSource, type FolderOptions } from "../sources/folder/source.ts";
import type { ConfiguredSource } from "../sources/sources.ts";

const bundled = "bundled";
// `tools` is beside `src`, here and in dist.
const bundledFolder = join(dirname(fileURLToPath(import.meta.url)), "../../tools");

/** The sources of a configuration, by rank: of two tools with one name the operator's own comes before the bundled one. */
export function configuredSources({ toolFolders, bundledTools }: ToolConfig): ConfiguredSource[] {
  const folders = nameFolders(toolFolders).map(([name, dir]) => folderOf({ name, dir }));
  return bundledTools ? [...folders, folderOf({ name: bundled, dir: bundledFolder, isWatched: false })] : folders;
}

function folderOf(options: FolderOptions): ConfiguredSource {
  return { key: JSON.stringify(["folder", options]), open: () => createFolderSource(options) };
}

/** Folders of one name get numbers, for each source has a name of its own. */
function nameFolders(folders: readonly string[]): [name: string, dir: string][] {
  const named = new Map<string, string>();
  for (const dir of folders) {
    const own = basename(resolve(dir)) || "root";
    let name = own;
    for (let count = 2; name === bundled || named.has(name); count++) name = `${own}-${count}`;
    named.set(name, resolve(dir));
  }
  return [...named];
}
