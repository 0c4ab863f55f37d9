import { existsSync } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isJsonObject } from "../core/json.ts";
import { reasonOf } from "../core/reason.ts";
import type { Registry, Skipped, ToolWarning } from "../core/registry.ts";
import type { Tool } from "../core/tool.ts";
import { loadInTurn } from "./load-queue.ts";
import type { SourceStatus } from "./source.ts";

/** The tool folders inside a folder. Reading them takes time; what came of it is taken over by whoever asked, at once. */
export interface FolderSource {
  /** Reads all of them anew. */
  read(): Promise<readonly Tool[]>;
  /** Reports what the registry refused of what was read, and what it warns of. */
  taken(refused: readonly Skipped[], warnings?: readonly ToolWarning[]): void;
  status(): SourceStatus;
}

const moduleNames = ["tool.mjs", "tool.js", "tool.ts"];

/**
 * A tool folder `<dir>/<name>/` holds `tool.mjs`, `tool.js` or `tool.ts`, `parameters.json`, `response.json`, and may hold
 * `examples.json`. One that cannot be loaded is skipped alone, with its reason.
 * @param name what `/status` and the declarations call this source
 */
export function createFolderSource(registry: Registry, name: string, dir: string): FolderSource {
  let state: SourceStatus["state"] = "connecting";
  let unloadable: readonly Skipped[] = [];
  let skipped: readonly Skipped[] = [];
  let warnings: readonly ToolWarning[] = [];
  let last: readonly Tool[] = [];
  return {
    async read() {
      const found = await findToolFolders(dir);
      if (typeof found === "string") {
        state = "failed";
        unloadable = [{ name, reason: found }];
        return last; // A folder that is away for a moment keeps its tools.
      }
      const loaded = await Promise.all(found.map(loadFolder));
      unloadable = loaded.flatMap((each) => ("skipped" in each ? [each.skipped] : []));
      last = loaded.flatMap((each) => ("tool" in each ? [each.tool] : []));
      state = "ready";
      return last;
    },
    taken(refused, found = []) {
      skipped = [...unloadable, ...refused];
      warnings = found;
    },
    status() {
      const tools = registry.list().filter((entry) => entry.source === name).length;
      return { name, kind: "folder", state, tools, skipped, warnings };
    },
  };
}

/** @returns the folders, or why there are none */
async function findToolFolders(dir: string): Promise<string[] | string> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    const module = entries.find((entry) => moduleNames.includes(entry.name));
    if (module !== undefined) return `it holds ${module.name} itself: name the folder that the tool's folder is in`;
    const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    return folders
      .map((entry) => resolve(dir, entry.name))
      .filter((folder) => moduleNames.some((module) => existsSync(join(folder, module))) || holdsSchemas(folder))
      .sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "the folder does not exist" : `the folder cannot be read: ${code}`;
  }
}

/** Meant as a tool, but without a module: worth a word, where a folder of anything else is not. */
function holdsSchemas(folder: string): boolean {
  return existsSync(join(folder, "parameters.json"));
}

async function loadFolder(folder: string): Promise<{ tool: Tool } | { skipped: Skipped }> {
  try {
    const { tool, module } = await importTool(folder);
    const parameters = tool.parameters ?? (await readJson(folder, "parameters.json"));
    const response = tool.response ?? (await readJson(folder, "response.json"));
    // The module's own object stays behind it: `this` inside execute is what its author expects. Defined and not set,
    // for the module's object may be frozen.
    const complete = Object.create(tool, {
      module: { value: module },
      ...(parameters !== undefined && { parameters: { value: parameters } }),
      ...(response !== undefined && { response: { value: response } }),
    }) as Tool;
    return { tool: complete };
  } catch (error) {
    return { skipped: { name: basename(folder), reason: explain(error) } };
  }
}

/**
 * On the main thread, whatever the tool's isolation: it is not known before, and its settings may hold schema objects that
 * cannot cross from a thread.
 */
async function importTool(folder: string): Promise<{ tool: Tool; module: string }> {
  const file = moduleNames.find((module) => existsSync(join(folder, module)));
  if (file === undefined) throw new Error("it has no tool.mjs, tool.js or tool.ts");
  const module = await moduleUrl(join(folder, file));
  const namespace: unknown = await loadInTurn(
    (isRepeated) => import(isRepeated ? `${module}${module.includes("?") ? "&" : "?"}again` : module),
  );
  const tool = isNamespace(namespace) ? namespace["tool"] : undefined;
  if (!isJsonObject(tool)) throw new Error(`${file} does not export a tool: export const tool = { name, … }`);
  return { tool: tool as unknown as Tool, module };
}

/** When each module was last changed before it was loaded first. One for the process, as Node's own memory of modules is. */
const firstChangedMs = new Map<string, number>();

/**
 * Node loads a module once and keeps it. One that has changed since it was first loaded is another module to Node by a
 * query in its URL. What it imports itself stays as it was, and so does the memory of the old one.
 */
async function moduleUrl(path: string): Promise<string> {
  // Node names modules by where they really are, in stack traces too.
  const file = await realpath(path);
  const { mtimeMs } = await stat(file);
  const url = pathToFileURL(file).href;
  const first = firstChangedMs.get(file);
  if (first === undefined) firstChangedMs.set(file, mtimeMs);
  return first === undefined || first === mtimeMs ? url : `${url}?changed=${mtimeMs}`;
}

function isNamespace(module: unknown): module is Record<string, unknown> {
  return typeof module === "object" && module !== null;
}

async function readJson(folder: string, file: string): Promise<Tool["parameters"] | undefined> {
  const path = join(folder, file);
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(await readFile(path, "utf8")) as Tool["parameters"];
  } catch {
    throw new Error(`${file} is not valid JSON`);
  }
}

function explain(thrown: unknown): string {
  const reason = reasonOf(thrown) ?? "its module threw something that is no error";
  if (/^Unknown file extension .*\/tool\.ts$/.test(reason)) {
    return "this Node cannot load tool.ts: write tool.mjs, or run Node 22.18 or later";
  }
  // Node's own messages name files in full; callers who read `/status` need not know where the service lives.
  return reason.replaceAll(/(?:file:\/\/)?(?:\/[^\s/'"]+)+\/([^\s/'"]+)/g, "$1");
}
