import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isVisible, joinMarks, namesMarkOf } from "../../files/file-mark.ts";
import { untilAborted } from "../../async/until-aborted.ts";
import type { ToolWarning } from "../../core/observer.ts";
import { type Source, SourceError } from "../../core/source.ts";
import { placeRefusals } from "./refusals.ts";
import { findFlat, type Stray } from "./stray-files.ts";
import { type LoadedFolder, loadToolFolder, moduleNames } from "./tool-folder.ts";

export interface FolderOptions {
  /** The name of the source in `/status` and the declarations. */
  readonly name: string;
  readonly dir: string;
  /** A change of its files leads to a reload. @default true */
  readonly isWatched?: boolean;
}

/** The modules load one after the other; a few that take long hold up no others. */
const foldersAtOnce = 32;

/**
 * The tool folders inside a folder. Each, `<dir>/<name>/`, contains `tool.mjs`, `tool.js` or `tool.ts`,
 * `parameters.json`, `response.json`, and may contain `examples.json`. One that cannot be loaded is skipped alone, with
 * its reason.
 */
export function createFolderSource({ name, dir, isWatched = true }: FolderOptions): Source {
  let loaded: ReadonlyMap<string, LoadedFolder> = new Map();
  let namesMark = "";
  return {
    name,
    kind: "folder",
    isLocal: true,
    trust: { trusted: true, trustsAnnotations: true },
    async read(signal) {
      const found = await findFolders(dir);
      namesMark = found.mark;
      if (found.reason !== undefined) throw new SourceError(found.reason);
      const round = {};
      const loading = mapFew(found.folders, foldersAtOnce, (folder) => loadToolFolder(folder, round), signal);
      // A module that is being loaded cannot be stopped.
      const read = await untilAborted(loading, signal);
      const before = loaded;
      loaded = new Map(read.map((each) => [each.folder, keepTools(each, before.get(each.folder))]));
      const folders = [...loaded.values()];
      return {
        tools: folders.flatMap(({ tools }) => tools),
        skipped: folders.flatMap((each) => each.skipped),
        warnings: [...folders.flatMap((each) => each.warnings), ...unused(folders, findFlat(dir, found.files))],
        isIncomplete: read.some(({ isToBeRepeated }) => isToBeRepeated),
        explain: (skipped, find) => placeRefusals(skipped, folders, find),
      };
    },
    files() {
      const folders = isWatched ? [...loaded.values()] : [];
      return {
        files: joinMarks(folders.map(({ files }) => files)),
        folders: joinMarks([isWatched ? [[dir, namesMark]] : [], ...folders.map((each) => each.searched)]),
      };
    },
  };
}

/** Modules that are at no tool's place, and that no tool imports. */
function unused(folders: readonly LoadedFolder[], flat: readonly Stray[]): ToolWarning[] {
  const strays = [...flat, ...folders.flatMap(({ stray }) => (stray === undefined ? [] : [stray]))];
  const used = new Set(folders.flatMap(({ files }) => [...files.keys()]));
  return strays.filter(({ path }) => !used.has(path)).map(({ warning }) => warning);
}

interface Found {
  readonly folders: readonly string[];
  /** The names of the files beside them. */
  readonly files: readonly string[];
  readonly mark: string;
  /** Why there are none. */
  readonly reason?: string;
}

async function findFolders(dir: string): Promise<Found> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    const mark = namesMarkOf(entries);
    const module = entries.find((entry) => moduleNames.includes(entry.name));
    if (module !== undefined) {
      const reason = `it contains ${module.name} itself: pass the folder that contains the tool's folder`;
      return { folders: [], files: [], mark, reason };
    }
    const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    const folders = entries.filter((entry) => isVisible(entry.name) && (entry.isDirectory() || entry.isSymbolicLink()));
    return { folders: folders.map((entry) => join(dir, entry.name)).sort(), files, mark };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "the folder does not exist" : `the folder cannot be read: ${code}`;
    return { folders: [], files: [], mark: "", reason };
  }
}

/**
 * The tools of a folder that cannot be read now stay. Unchanged tools are the same objects, which the registry keeps.
 */
function keepTools(read: LoadedFolder, before: LoadedFolder | undefined): LoadedFolder {
  if (before === undefined || before.tools.length === 0) return read;
  const { tools, content } = before;
  if (read.isToBeRepeated) return { ...read, tools, content, skipped: [] };
  return read.content === content ? { ...read, tools } : read;
}

/** Begins no more items once the signal is aborted. */
async function mapFew<T, R>(
  items: readonly T[],
  atOnce: number,
  map: (item: T) => Promise<R>,
  signal: AbortSignal,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      // Calls go on while a thousand folders are read.
      await setImmediate();
      if (signal.aborted) return;
      results[index] = await map(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
