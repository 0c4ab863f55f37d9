import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolConfig } from "../config/config.ts";
import type { Env } from "../config/environment.ts";
import { ConfigError } from "../config/config-error.ts";
import type { ToolFlags } from "../config/flags.ts";
import type { WatchedFiles } from "../config/file-snapshot.ts";
import { readToolConfig } from "../config/read-tools.ts";
import type { Observer } from "../core/observer.ts";
import { createRegistry, type Registry } from "../core/registry/registry.ts";
import { type Breakers, createBreakers } from "../egress/breaker.ts";
import { createOutboundFetch } from "../egress/fetch.ts";
import { createThreads } from "../isolation/threads.ts";
import { createFolderSource, type FolderSource } from "../sources/folder.ts";
import type { SourceStatus } from "../sources/source.ts";

/** A registry and where its tools come from. */
export interface Tools {
  readonly registry: Registry;
  /** Loads what the configuration names, in place of what was loaded before. Running calls go on. */
  load(config: ToolConfig): Promise<void>;
  status(): SourceStatus[];
  /** How many origins are left alone now because they fail. */
  openBreakers(): number;
  /** What the tools of the operator's folders are made of. */
  files(): WatchedFiles;
  /** Whether something could not be read the last time, which may be otherwise in a moment. */
  isToBeRepeated(): boolean;
}

const bundled = "bundled";
// `tools` stands beside `src`, here and in dist.
const bundledFolder = join(dirname(fileURLToPath(import.meta.url)), "../../tools");

/** @param env where the tools' `requires` looks */
export function createTools(observer: Observer = {}, env: Env = process.env): Tools {
  // An origin that fails goes on to fail while the configuration is read again.
  const breakers = createBreakers();
  let outbound = createOutboundFetch({ breakers });
  let threads = createThreads();
  const registry = createRegistry({
    env,
    fetch: (input, init) => outbound(input, init),
    isolate: (tool, settings) => threads(tool, settings),
    observer,
  });
  let sources = new Map<string, NamedSource>();
  return {
    registry,
    async load(config) {
      const next = new Map(
        nameFolders(config).map(([name, dir]): [string, NamedSource] => {
          const key = `${name} ${dir}`;
          return [key, sources.get(key) ?? { name, source: createFolderSource(registry, name, dir) }];
        }),
      );
      // The only thing that takes time. All that follows is one step, so that no call meets a half of it.
      const read = await Promise.all([...next.values()].map(({ source }) => source.read()));
      const nextOutbound = toOutbound(config, breakers);
      const gone = [...sources.values()].map(({ name }) => name);
      sources = next;
      outbound = nextOutbound;
      threads = createThreads({ egress: config.egress, onOutput: (entry) => observer.onToolLog?.(entry) });
      registry.configure({ ...config.limits, overrides: config.overrides });
      // Where two folders hold one name, the one named first has it, and the operator's own come before ours.
      registry.replaceAll([
        ...gone
          .filter((source) => ![...next.values()].some(({ name }) => name === source))
          .map((source) => ({ source, tools: [] })),
        ...[...next.values()].map(({ name }, index) => ({ source: name, tools: read[index] ?? [], rank: index + 1 })),
      ]);
      for (const { name, source } of next.values()) source.taken(registry.skipped(name), registry.warnings(name));
    },
    openBreakers: breakers.countOpen,
    status: () => [...sources.values()].map(({ source }) => source.status()),
    files() {
      const own = [...sources.values()].filter(({ name }) => name !== bundled).map(({ source }) => source.files());
      return {
        files: new Map(own.flatMap(({ files }) => [...files])),
        folders: new Map(own.flatMap(({ folders }) => [...folders])),
      };
    },
    isToBeRepeated: () => [...sources.values()].some(({ source }) => source.isToBeRepeated()),
  };
}

interface NamedSource {
  readonly name: string;
  readonly source: FolderSource;
}

/** @throws ConfigError for a rule that is none */
function toOutbound({ egress }: ToolConfig, breakers: Breakers): typeof fetch {
  try {
    return createOutboundFetch({ ...egress, breakers });
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/**
 * The tools for a command that ends.
 * @throws ConfigError
 */
export async function loadTools(
  flags: ToolFlags,
  { env, cwd }: { readonly env: Env; readonly cwd: string },
  observer: Observer = {},
): Promise<Tools> {
  const tools = createTools(observer, env);
  await tools.load(await readToolConfig(flags, env, cwd));
  return tools;
}

/** The folders by the names of their sources: a source replaces what is under its name, so each has its own. */
function nameFolders({ toolFolders, bundledTools }: ToolConfig): [name: string, dir: string][] {
  const named = new Map<string, string>();
  for (const dir of toolFolders) {
    const own = basename(resolve(dir)) || "root";
    let name = own;
    for (let count = 2; name === bundled || named.has(name); count++) name = `${own}-${count}`;
    named.set(name, resolve(dir));
  }
  return [...named, ...(bundledTools ? [[bundled, bundledFolder] as [string, string]] : [])];
}
