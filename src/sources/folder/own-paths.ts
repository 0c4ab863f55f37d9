import { existsSync } from "node:fs";
import { basename, dirname, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A path of this machine, or the URL of one. What follows a letter or a colon is a part of an address of the web. */
const absolute = /(?<![\w:/.~@-])(?:file:\/\/)?\/[^\s'"`()<>|,;:?#*]+(?:\?toolhost=\d+)?/g;

/**
 * Node's messages contain full paths, and readers of `/status` must not learn where the service is installed. Paths of
 * the tool are written relative to its folder, those of packages from `node_modules` on, and any other path as its last
 * part.
 * @param folders the tool's folder, under each of its names
 */
export function withoutOwnPaths(text: string, folders: readonly string[]): string {
  let shown = text.replaceAll(/[?&]toolhost=\d+/g, "");
  // First as they are: they may contain spaces.
  for (const folder of folders) shown = replaceFolder(shown, folder, "");
  for (const folder of folders.map((each) => dirname(each)).filter((each) => each !== "/")) {
    shown = replaceFolder(shown, folder, "../");
  }
  return shown.replaceAll(absolute, (found) => (isOfMachine(found) ? showPath(found, folders) : found));
}

function replaceFolder(text: string, folder: string, shown: string): string {
  return [pathToFileURL(folder).href, folder].reduce((rest, name) => rest.replaceAll(`${name}/`, shown), text);
}

/** @param path absolute, or a `file:` URL */
export function showPath(path: string, folders: readonly string[]): string {
  const file = toPath(path);
  const [, inPackage] = /.*[\\/](node_modules[\\/].*)$/.exec(file) ?? [];
  if (inPackage !== undefined) return inPackage;
  const ways = folders.map((folder) => relative(folder, file));
  const shown = ways.find((way) => !way.startsWith("..")) ?? ways.find((way) => !way.startsWith(`..${sep}..`));
  return shown === undefined || shown === "" ? basename(file) : shown;
}

/** `/keys` may be the path of an address, unless there is such a folder here. */
function isOfMachine(found: string): boolean {
  const [, top = ""] = toPath(found).split(/[\\/]/);
  return found.startsWith("file:") || existsSync(`/${top}`);
}

/** @param found absolute, or a `file:` URL */
export function toPath(found: string): string {
  const [path = ""] = found.split("?");
  try {
    return path.startsWith("file:") ? fileURLToPath(path) : path;
  } catch {
    return path;
  }
}
