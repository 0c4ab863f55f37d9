import { statSync } from "node:fs";
import { basename } from "node:path";
import type { NamedFolder } from "./source-values.ts";

/**
 * A configured folder that does not exist is a mistake, such as a misspelt name: the service would start without its tools.
 * @param before the folders of the current configuration: a folder that has disappeared since keeps its tools
 */
export function findMissingFolders(folders: readonly NamedFolder[], before: readonly NamedFolder[]): string[] {
  return folders.flatMap(({ path, setting }, index) => {
    const isKnown =
      before.some((each) => each.path === path) || folders.findIndex((each) => each.path === path) < index;
    const problem = isKnown ? undefined : problemOf(path);
    // Only the last name: the part before it may come from a variable.
    return problem === undefined ? [] : [`${setting}: the folder ${basename(path)} ${problem}`];
  });
}

function problemOf(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : "is not a folder";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A folder that cannot be read now is tried again, like its tools.
    return code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : undefined;
  }
}
