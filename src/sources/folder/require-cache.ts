import { createRequire, Module } from "node:module";
import { pathToFileURL } from "node:url";
import type { ModuleGraph } from "./module-graph.ts";

const { cache } = createRequire(import.meta.url);
/** The version that loaded what is in the cache. Absent for the first. */
const versions = new Map<string, number>();

/**
 * Makes Node forget the CommonJS modules of a graph, which it keeps by file, whatever the URL of who requires them. An ES
 * module that one of them requires is imported first: `require` would get the one that Node keeps.
 */
export async function refreshRequires(graph: ModuleGraph, version: number): Promise<void> {
  for (const file of filesOf(graph)) {
    if (versions.get(file) !== version) delete cache[file];
  }
  for (const { file, isRequiredEsm } of graph.files) {
    if (!isRequiredEsm || cache[file] !== undefined) continue;
    cache[file] = toModule(file, await import(`${pathToFileURL(file).href}?toolhost=${version}`));
  }
}

/** Remembers that this version loaded them, so that the tools of one reload share what they require. */
export function noteRequires(graph: ModuleGraph, version: number): void {
  for (const file of filesOf(graph)) if (cache[file] !== undefined) versions.set(file, version);
}

/** The files of the graph, and what was found to be required by them. Packages stay. */
function filesOf({ files }: ModuleGraph): Set<string> {
  const found = new Set(files.map(({ file }) => file));
  for (const file of found) {
    for (const { filename } of cache[file]?.children ?? []) {
      if (!filename.includes("/node_modules/")) found.add(filename);
    }
  }
  return found;
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
