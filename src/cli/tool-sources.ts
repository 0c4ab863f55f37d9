import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import { outboundFetch } from "../egress.ts";
import { createRegistry, type Observer, type Registry } from "../core/registry.ts";
import { createFolderSource, type FolderSource } from "../sources/folder.ts";

export interface LoadedTools {
  readonly registry: Registry;
  readonly sources: readonly FolderSource[];
}

// `tools` stands beside `src`, here and in dist.
const bundledFolder = join(dirname(fileURLToPath(import.meta.url)), "../../tools");

/** A registry with the tools of every folder that the configuration names. */
export async function loadTools(
  config: Pick<Config, "toolFolders" | "bundledTools">,
  observer: Observer = {},
): Promise<LoadedTools> {
  const registry = createRegistry({ fetch: outboundFetch, observer });
  const sources = config.toolFolders.map((dir, index) =>
    createFolderSource(registry, sourceName(config.toolFolders, index), resolve(dir)),
  );
  if (config.bundledTools) sources.push(createFolderSource(registry, "bundled", bundledFolder));
  // In turn: where two folders hold one name, the one named first has it, and the operator's own come before ours.
  for (const source of sources) await source.load();
  return { registry, sources };
}

/** The folder's own name, with a number where another is called the same. */
function sourceName(dirs: readonly string[], index: number): string {
  const names = [...dirs.map((dir) => basename(resolve(dir)) || "root")];
  const name = names[index] ?? "";
  const same = names.slice(0, index).filter((other) => other === name).length;
  return same === 0 && name !== "bundled" ? name : `${name}-${same + 1}`;
}
