import { createRequire, Module } from "node:module";
import { pathToFileURL } from "node:url";
import { assignVersion } from "./fresh-imports.ts";
import type { ModuleGraph } from "./module-graph.ts";

const { cache } = createRequire(import.meta.url);
/**
 * The file that `require` found for each name. Node does not search again, although another file may have that name
 * now.
 */
const { _pathCache: foundPaths = {} } = Module as unknown as { readonly _pathCache?: Record<string, string> };
/** The version that loaded what is in the cache. Absent for the first. */
const versions = new Map<string, number>();

/**
 * Makes Node forget the CommonJS modules of a graph, which it keeps by file, whatever the URL of who requires them. An
 * ES module that one of them requires is imported first: `require` would get the one that Node keeps.
 */
export async function refreshRequires(graph: ModuleGraph, version: number): Promise<void> {
  const old = new Set([...filesOf(graph)].filter((file) => versions.get(file) !== version));
  await assignVersion(urlsOf([...old].filter((file) => cache[file] !== undefined)), version);
  for (const file of old) delete cache[file];
  for (const [name, file] of Object.entries(foundPaths)) if (old.has(file)) delete foundPaths[name];
  for (const { file, isRequiredEsm } of graph.files) {
    if (!isRequiredEsm || cache[file] !== undefined) continue;
    cache[file] = toModule(file, await import(`${pathToFileURL(file).href}?toolhost=${version}`));
  }
}

/** Remembers that this version loaded them, so that the tools of one reload share what they require. */
export async function noteRequires(graph: ModuleGraph, version: number): Promise<void> {
  const files = [...filesOf(graph)].filter((file) => cache[file] !== undefined);
  for (const file of files) versions.set(file, version);
  await assignVersion(urlsOf(files), version);
}

function urlsOf(files: readonly string[]): string[] {
  return files.map((file) => pathToFileURL(file).href);
}

/** The files of the graph, and what was found to be required by them. Packages stay. */
function filesOf({ files }: ModuleGraph): Set<string> {
  const found = new Set(files.map(({ file }) => file));
  for (const file of found) {
    for (const child of cache[file]?.children ?? []) {
      const filename = filenameOf(child);
      if (filename !== undefined && !filename.includes("/node_modules/")) found.add(filename);
    }
  }
  return found;
}

/** JSON that an ES module imported before is in the cache without a file name. */
function filenameOf(module: Partial<NodeJS.Module>): string | undefined {
  return module.filename ?? Object.keys(cache).find((file) => cache[file] === module);
}

/** What `require` of an ES module gives. */
function toModule(filename: string, namespace: Readonly<Record<string, unknown>>): NodeJS.Module {
  const module = new Module(filename);
  module.filename = filename;
  module.loaded = true;
  if ("module.exports" in namespace) module.exports = namespace["module.exports"];
  else if ("default" in namespace) module.exports = { ...namespace, __esModule: true };
  else module.exports = namespace;
  return module;
}
