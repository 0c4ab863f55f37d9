import { statSync } from "node:fs";
import { basename } from "node:path";

/**
 * A configured folder that does not exist is a mistake, such as a misspelt name: the service would start without its tools.
 * @param settings the setting that names each folder, by the absolute path of the folder
 * @param before the folders of the current configuration: a folder that has disappeared since keeps its tools
 */
export function findMissingFolders(settings: ReadonlyMap<string, string>, before: readonly string[]): string[] {
  return [...settings].flatMap(([path, setting]) => {
    const problem = before.includes(path) ? undefined : problemOf(path);
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
