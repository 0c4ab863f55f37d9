import { statSync } from "node:fs";
import { basename } from "node:path";

/**
 * A folder that is named and is not there is a mistake, as a misspelt name is: the service would start without its tools.
 * @param settings what named each folder, by its absolute path
 * @param before the folders of the configuration in force: one that has gone away since keeps its tools
 */
export function findMissingFolders(settings: ReadonlyMap<string, string>, before: readonly string[]): string[] {
  return [...settings].flatMap(([path, setting]) => {
    const problem = before.includes(path) ? undefined : problemOf(path);
    // The last name alone: what is before it may come from a variable.
    return problem === undefined ? [] : [`${setting}: the folder ${basename(path)} ${problem}`];
  });
}

function problemOf(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : "is not a folder";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // One that cannot be looked at now is tried again, as its tools are.
    return code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : undefined;
  }
}
