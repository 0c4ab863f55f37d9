import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { WatchedFiles } from "../core/source.ts";
import { markOfFile, namesMarkOf } from "../files/file-mark.ts";

/** How files and folders were at one moment. */
export interface FileSnapshot {
  /** By path: what distinguishes a file, or the names in a folder, from those of another time. Empty if not there. */
  readonly marks: ReadonlyMap<string, string>;
  /** The folders in which a change would show. */
  readonly folders: ReadonlyMap<string, SnapshotFolder>;
}

export interface SnapshotFolder {
  /** Distinguishes it from a later file of the same name. */
  readonly identity: string;
  /** The names that are compared there; undefined for all. */
  readonly names: ReadonlySet<string> | undefined;
}

const maxLinks = 16;

/**
 * Looks at files and folders. Links are followed, and a link on the way with a new target is a change. Never throws.
 */
export function takeSnapshot(watched: WatchedFiles): FileSnapshot {
  const marks = new Map<string, string>();
  const names = new Map<string, Set<string> | undefined>();
  /** Whether each folder on a way is there. */
  const ways = new Map<string, boolean>();
  for (const path of watched.files.keys()) {
    addTarget(path, maxLinks);
    marks.set(path, markOfFile(path));
  }
  for (const path of watched.folders.keys()) {
    addTarget(path, maxLinks);
    const found = tryTo(() => readdirSync(path, { withFileTypes: true }));
    marks.set(path, found === undefined ? "" : namesMarkOf(found));
    if (found !== undefined) names.set(path, undefined);
  }
  return {
    marks,
    folders: new Map([...names].map(([path, all]) => [path, { identity: identityOf(path), names: all }])),
  };

  /** The folder that contains the path: there it can appear, disappear or be replaced. */
  function addTarget(path: string, linksLeft: number): void {
    const folder = dirname(path);
    if (folder === path || !addWay(folder, linksLeft)) return;
    addName(path);
    addLink(path, linksLeft);
  }

  /** The links on the way to a folder, and its missing part. @returns whether it is there */
  function addWay(folder: string, linksLeft: number): boolean {
    const known = ways.get(folder);
    if (known !== undefined) return known;
    const isThere = dirname(folder) === folder || (addWay(dirname(folder), linksLeft) && addStep(folder, linksLeft));
    ways.set(folder, isThere);
    return isThere;
  }

  function addStep(folder: string, linksLeft: number): boolean {
    const isLink = addLink(folder, linksLeft);
    const isThere = tryTo(() => statSync(folder)) !== undefined;
    if (isLink || !isThere) addName(folder);
    return isThere;
  }

  /** @returns whether there is a link */
  function addLink(path: string, linksLeft: number): boolean {
    const isLink = tryTo(() => lstatSync(path))?.isSymbolicLink() === true;
    const target = isLink ? tryTo(() => readlinkSync(path)) : undefined;
    if (target !== undefined && linksLeft > 0) addTarget(resolve(dirname(path), target), linksLeft - 1);
    return isLink;
  }

  function addName(path: string): void {
    const folder = dirname(path);
    if (!names.has(folder)) names.set(folder, new Set());
    names.get(folder)?.add(basename(path));
  }
}

/** The paths that are not as they were. */
export function changesBetween(one: FileSnapshot, other: FileSnapshot): string[] {
  return [...other.marks].filter(([path, mark]) => one.marks.get(path) !== mark).map(([path]) => path);
}

/** Whether changes would show in the same places. */
export function hasSameFolders(one: FileSnapshot, other: FileSnapshot): boolean {
  if (one.folders.size !== other.folders.size) return false;
  for (const [path, { identity, names }] of one.folders) {
    const folder = other.folders.get(path);
    if (folder?.identity !== identity || !hasSameNames(folder.names, names)) return false;
  }
  return true;
}

function hasSameNames(one: ReadonlySet<string> | undefined, other: ReadonlySet<string> | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.size === other.size && [...one].every((name) => other.has(name));
}

/** Not by its times: they change with every name in it, including those that are not compared. */
function identityOf(folder: string): string {
  const { dev, ino, birthtimeMs } = tryTo(() => statSync(folder)) ?? {};
  return `${dev}:${ino}:${birthtimeMs}`;
}

/** Files come and go while they are looked at. */
function tryTo<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
