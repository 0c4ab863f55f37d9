import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isVisible, namesMarkOf } from "../config/file-mark.ts";
import type { WatchedFiles } from "../config/file-snapshot.ts";
import type { ToolWarning } from "../core/observer.ts";
import type { Registry } from "../core/registry/registry.ts";
import type { Skipped } from "../core/registry/tool-groups.ts";
import type { Tool } from "../core/tool.ts";
import { type ReadFault, readFaultOf } from "./file-state.ts";
import { placeRefusals } from "./refusals.ts";
import { findFlat, type Stray } from "./stray-files.ts";
import type { SourceStatus } from "./source.ts";
import { type LoadedFolder, loadToolFolder, moduleNames } from "./tool-folder.ts";

/** The tool folders inside a folder. Reading them takes time; what came of it is taken over by whoever asked, at once. */
export interface FolderSource {
  /** Reads all of them anew. */
  read(): Promise<readonly Tool[]>;
  /** Reports what the registry refused of what was read, and what it warns of. */
  taken(refused: readonly Skipped[], warnings?: readonly ToolWarning[]): void;
  status(): SourceStatus;
  /** What its tools were made of when it was last read. */
  files(): WatchedFiles;
  /** Whether something could not be read the last time, which may be otherwise in a moment. */
  isToBeRepeated(): boolean;
}

/** The modules load one after the other; a few that take long hold up no others. */
const foldersAtOnce = 32;

/**
 * A tool folder `<dir>/<name>/` holds `tool.mjs`, `tool.js` or `tool.ts`, `parameters.json`, `response.json`, and may hold
 * `examples.json`. One that cannot be loaded is skipped alone, with its reason.
 * @param name what `/status` and the declarations call this source
 */
export function createFolderSource(registry: Registry, name: string, dir: string): FolderSource {
  let state: SourceStatus["state"] = "connecting";
  let failure: readonly Skipped[] = [];
  let skipped: readonly Skipped[] = [];
  let warnings: readonly ToolWarning[] = [];
  let loaded: ReadonlyMap<string, LoadedFolder> = new Map();
  let flat: readonly Stray[] = [];
  let namesMark = "";
  let isIncomplete = false;

  const toolsOf = (): Tool[] => [...loaded.values()].flatMap(({ tools }) => tools);
  return {
    async read() {
      const found = await findFolders(dir);
      namesMark = found.mark;
      isIncomplete = found.fault !== undefined;
      if (found.reason !== undefined) {
        state = "failed";
        failure = [{ name, reason: found.reason }];
        return toolsOf(); // A folder that is away for a moment keeps its tools.
      }
      const round = {};
      const read = await mapFew(found.folders, foldersAtOnce, (folder) => loadToolFolder(folder, round));
      const before = loaded;
      loaded = new Map(read.map((each) => [each.folder, keepUnread(each, before.get(each.folder))]));
      flat = findFlat(dir, found.files);
      isIncomplete = read.some(({ isToBeRepeated }) => isToBeRepeated);
      state = "ready";
      failure = [];
      return toolsOf();
    },
    taken(refused, found = []) {
      const folders = [...loaded.values()];
      skipped = [...failure, ...folders.flatMap((each) => each.skipped), ...placeRefusals(refused, folders, registry)];
      warnings = [...folders.flatMap((each) => each.warnings), ...unused(folders, flat), ...found];
    },
    status() {
      const tools = registry.list().filter((entry) => entry.source === name).length;
      return { name, kind: "folder", state, tools, skipped, warnings };
    },
    files() {
      return {
        files: new Map([...loaded.values()].flatMap(({ files }) => [...files])),
        folders: new Map([[dir, namesMark]]),
      };
    },
    isToBeRepeated: () => isIncomplete,
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
  readonly fault?: ReadFault | undefined;
}

async function findFolders(dir: string): Promise<Found> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    const mark = namesMarkOf(entries.map((entry) => entry.name));
    const module = entries.find((entry) => moduleNames.includes(entry.name));
    if (module !== undefined) {
      const reason = `it holds ${module.name} itself: name the folder that the tool's folder is in`;
      return { folders: [], files: [], mark, reason };
    }
    const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    const folders = entries.filter((entry) => isVisible(entry.name) && (entry.isDirectory() || entry.isSymbolicLink()));
    return { folders: folders.map((entry) => join(dir, entry.name)).sort(), files, mark };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "the folder does not exist" : `the folder cannot be read: ${code}`;
    return { folders: [], files: [], mark: "", reason, fault: readFaultOf(error) };
  }
}

/** What cannot be read now stays as it was. */
function keepUnread(read: LoadedFolder, before: LoadedFolder | undefined): LoadedFolder {
  if (!read.isToBeRepeated || before === undefined || before.tools.length === 0) return read;
  return { ...read, tools: before.tools, skipped: [] };
}

async function mapFew<T, R>(items: readonly T[], atOnce: number, map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      // Calls go on while a thousand folders are read.
      await setImmediate();
      results[index] = await map(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
