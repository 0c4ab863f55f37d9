import { Console } from "node:console";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolConfig } from "../config/config.ts";
import type { ToolFlags } from "../config/flags.ts";
import { readToolConfig } from "../config/read-tools.ts";
import { outboundFetch } from "../egress.ts";
import { createRegistry, type Observer, type Registry } from "../core/registry.ts";
import { createFolderSource, type FolderSource } from "../sources/folder.ts";

export interface LoadedTools {
  readonly registry: Registry;
  readonly sources: readonly FolderSource[];
}

/** Where the tools are. */
type ToolFolders = Pick<ToolConfig, "toolFolders" | "bundledTools">;

const bundled = "bundled";
// `tools` stands beside `src`, here and in dist.
const bundledFolder = join(dirname(fileURLToPath(import.meta.url)), "../../tools");

/** A registry with the tools of every folder that the configuration names. */
export async function loadTools(config: ToolFolders, observer: Observer = {}): Promise<LoadedTools> {
  const registry = createRegistry({ fetch: outboundFetch, observer });
  const taken = new Set([bundled]);
  const sources = config.toolFolders.map((dir) => createFolderSource(registry, nameSource(dir, taken), resolve(dir)));
  if (config.bundledTools) sources.push(createFolderSource(registry, bundled, bundledFolder));
  // In turn: where two folders hold one name, the one named first has it, and the operator's own come before ours.
  for (const source of sources) await source.load();
  return { registry, sources };
}

/** The tools for a command whose stdout is its answer: what they print goes to stderr. */
export async function loadToolsQuietly(flags: ToolFlags, observer: Observer = {}): Promise<LoadedTools> {
  globalThis.console = new Console(process.stderr);
  return loadTools(await readToolConfig(flags, process.env), observer);
}

/** The folder's own name, with a number where another is called the same: a source replaces what is under its name. */
function nameSource(dir: string, taken: Set<string>): string {
  const own = basename(resolve(dir)) || "root";
  let name = own;
  for (let count = 2; taken.has(name); count++) name = `${own}-${count}`;
  taken.add(name);
  return name;
}
