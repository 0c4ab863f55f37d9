import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { join, parse, resolve } from "node:path";
import { isVisible, markOf } from "./file-mark.ts";

/** How files and folders stood at one moment. */
export interface FileSnapshot {
  /** What tells a file or folder from a later one of the same name, by path. */
  readonly marks: ReadonlyMap<string, string>;
  /** The folders in which a change would show, each with the names that matter there, or undefined for all. */
  readonly folders: ReadonlyMap<string, ReadonlySet<string> | undefined>;
}

/** Beyond this many files nobody wants the start to wait. */
const maxEntries = 10_000;
const maxLinks = 16;

/**
 * Looks at files, and at folders with all that is in them but dot-files and `node_modules`. Links are followed, and each
 * link on the way is looked at too: that one of them leads elsewhere is a change. What is missing is no error.
 * @param paths absolute
 */
export function takeSnapshot(paths: readonly string[]): FileSnapshot {
  const marks = new Map<string, string>();
  const folders = new Map<string, Set<string> | undefined>();
  const seen = new Set<string>();
  for (const path of paths) {
    addWay(path, maxLinks);
    addContent(path);
  }
  return { marks, folders };

  /** The folders that hold the path, where it or a link on the way may be replaced. */
  function addWay(path: string, linksLeft: number): void {
    let folder = parse(path).root;
    for (const name of path.slice(folder.length).split(/[\\/]/).filter(Boolean)) {
      const here = join(folder, name);
      const found = tryTo(() => lstatSync(here));
      const isLink = found?.isSymbolicLink() === true;
      if (found === undefined || isLink || here === path) addName(folder, name);
      if (found === undefined) return;
      const target = isLink ? tryTo(() => readlinkSync(here)) : undefined;
      if (target !== undefined && linksLeft > 0) addWay(resolve(folder, target), linksLeft - 1);
      folder = here;
    }
  }

  function addName(folder: string, name: string): void {
    if (!folders.has(folder)) folders.set(folder, new Set());
    folders.get(folder)?.add(name);
  }

  function addContent(path: string): void {
    const stats = marks.size < maxEntries ? tryTo(() => statSync(path)) : undefined;
    if (stats === undefined) return;
    marks.set(path, markOf(stats));
    if (!stats.isDirectory()) return;
    const identity = `${stats.dev}:${stats.ino}`;
    // A link to a folder above would lead round and round.
    if (seen.has(identity)) return;
    seen.add(identity);
    folders.set(path, undefined);
    for (const name of tryTo(() => readdirSync(path)) ?? []) {
      if (isVisible(name)) addContent(join(path, name));
    }
  }
}

/** Whether nothing has changed in the files. */
export function hasSameFiles(one: FileSnapshot, other: FileSnapshot): boolean {
  if (one.marks.size !== other.marks.size) return false;
  for (const [path, mark] of one.marks) if (other.marks.get(path) !== mark) return false;
  return true;
}

/** Whether changes would show in the same places. */
export function hasSameFolders(one: FileSnapshot, other: FileSnapshot): boolean {
  const write = ({ folders }: FileSnapshot): string =>
    JSON.stringify([...folders].map(([folder, names]) => [folder, names === undefined ? undefined : [...names]]));
  return write(one) === write(other);
}

/** Files come and go while they are looked at. */
function tryTo<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
