import { pathToFileURL } from "node:url";
import { markOfFile } from "../../files/file-mark.ts";
import { type FreshImports, startFreshImports } from "./fresh-imports.ts";
import { loadInTurn } from "./load-queue.ts";
import type { GraphFile, ModuleGraph } from "./module-graph.ts";
import { noteRequires, refreshRequires } from "./require-cache.ts";

export interface LoadedModule {
  readonly url: string;
  readonly namespace: unknown;
}

/** The modules that Node keeps under one version. */
interface Version {
  /** In the URLs of its modules; 0 is not in them. */
  readonly number: number;
  readonly contents: Map<string, { readonly hash: string; readonly isGood: boolean }>;
}

/** The same for all modules that are loaded at one time, so that those that share a helper go on sharing it. */
export type Round = object;

// All of it one for the process, as Node's own memory of modules is.
const first: Version = { number: 0, contents: new Map() };
let lastNumber = 0;
const versions = new WeakMap<Round, Version>();
const loaded = new Map<string, LoadedModule & { readonly signature: string }>();

/** A package that fails may hide the next one. */
const maxAttempts = 6;

/**
 * Loads a module and what it imports by relative path as they are now. Node loads a module once and keeps it, failed or
 * not; one that has changed, or failed, is another module to Node by a version in its URL. What is the same as when it
 * was last loaded is not loaded again. The memory of old versions stays taken.
 */
export async function loadModule(graph: ModuleGraph, round: Round): Promise<LoadedModule> {
  const known = loaded.get(graph.entry);
  if (known?.signature === graph.signature) return known;
  const module = await loadInTurn((isRepeated) => {
    const version = isRepeated ? newVersion() : versionFor(graph, round);
    return version.number === 0 ? importGraph(graph, version) : importFresh(graph, version);
  });
  // What changed in the meantime may have been loaded as it was then, and is read again.
  if (graph.files.every(isUnchanged)) loaded.set(graph.entry, { ...module, signature: graph.signature });
  else loaded.delete(graph.entry);
  return module;
}

/** The first version is without a hook, and is shared with tools that were loaded before; the next is the round's. */
function versionFor(graph: ModuleGraph, round: Round): Version {
  if (fits(graph, first, ({ isGood }) => isGood)) return first;
  let version = versions.get(round);
  if (version === undefined || !fits(graph, version, () => true)) version = newVersion();
  versions.set(round, version);
  return version;
}

function fits(
  { files, entry }: ModuleGraph,
  { contents }: Version,
  isUsable: (content: { isGood: boolean }) => boolean,
): boolean {
  if (contents.get(entry)?.isGood === false) return false;
  return files.every(({ file, hash }) => {
    const known = contents.get(file);
    // A module that Node has loaded keeps the files that were found then.
    if (known === undefined) return !contents.has(entry);
    return known.hash === hash && isUsable(known);
  });
}

function newVersion(): Version {
  return { number: ++lastNumber, contents: new Map() };
}

async function importFresh(graph: ModuleGraph, version: Version): Promise<LoadedModule> {
  const hook = await startFreshImports();
  await hook.takeResolved();
  for (let attempt = 1, current = version; ; attempt++, current = newVersion()) {
    try {
      await refreshRequires(graph, current.number);
      return await importGraph(graph, current);
    } catch (error) {
      if (attempt === maxAttempts || !(await retryPackages(hook))) throw error;
    }
  }
}

async function importGraph(graph: ModuleGraph, version: Version): Promise<LoadedModule> {
  const { href } = pathToFileURL(graph.entry);
  const url = version.number === 0 ? href : `${href}?toolhost=${version.number}`;
  let isGood = false;
  try {
    const namespace: unknown = await import(url);
    isGood = true;
    return { url, namespace };
  } finally {
    await noteRequires(graph, version.number);
    for (const each of graph.files) {
      const { file } = each;
      const hash = isUnchanged(each) ? each.hash : "?";
      // A failing module does not affect a helper that others have loaded.
      if (isGood || file === graph.entry || !version.contents.has(file)) version.contents.set(file, { hash, isGood });
    }
  }
}

/** Whether a file is as it was when the graph was read. */
function isUnchanged({ path, mark }: GraphFile): boolean {
  return markOfFile(path) === mark.replace("?", "");
}

/** Finds the packages that the last attempt met and that fail by themselves. @returns whether there are any */
async function retryPackages(hook: FreshImports): Promise<boolean> {
  const resolved = await hook.takeResolved();
  const tried = await Promise.allSettled(resolved.map(({ imported }) => import(imported)));
  const failed = resolved.filter((_, index) => tried[index]?.status === "rejected").map(({ url }) => url);
  if (failed.length > 0) await hook.retry(failed);
  return failed.length > 0;
}
