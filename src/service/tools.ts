import type { ToolConfig } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Env } from "../config/environment.ts";
import { createStartCall, type StartCall } from "../core/call/start-call.ts";
import type { Observer } from "../core/observer.ts";
import type { CreateExecutor } from "../core/registry/registered-tool.ts";
import { createRegistry, type Registry } from "../core/registry/registry.ts";
import type { SourceStatus, WatchedFiles } from "../core/source.ts";
import { createBreakers } from "../egress/breaker.ts";
import { createOutboundFetch, type OutboundFetchOptions } from "../egress/fetch.ts";
import type { EgressOptions } from "../egress/rules.ts";
import { createThreads } from "../isolation/threads.ts";
import {
  type ConfiguredSource,
  type ConfigureOptions,
  createSources,
  type SourcesOptions,
} from "../sources/sources.ts";
import type { SourceNetwork } from "../sources/source-kind.ts";
import { configuredSources, type NamedSource, originsOf } from "./configured-sources.ts";

/** The largest document of a source, in bytes. */
const maxDocumentBytes = 67_108_864;

/** What {@link Tools.load} waits for, and what happens when the configuration takes effect. */
export interface LoadOptions extends Pick<ConfigureOptions, "waitsFor" | "patienceMs"> {
  /**
   * Called in the step in which the overrides and tools take effect, with the names of the sources. Must not throw.
   */
  readonly onApply?: ((sourceNames: readonly string[]) => void) | undefined;
}

/**
 * A registry and the sources of its tools. What it remembers of calls, origins and sources outlives a configuration.
 */
export interface Tools {
  readonly registry: Registry;
  /** Runs the calls of every door. */
  readonly startCall: StartCall;
  /**
   * Replaces the tools, limits and overrides by those of another configuration. Running calls continue.
   * @param options @default it waits for all sources, because a command that ends cannot wait later
   * @throws ConfigError before anything is changed
   */
  load(config: ToolConfig, options?: LoadOptions): Promise<void>;
  status(): SourceStatus[];
  /** The number of origins that are not called at the moment because they fail. */
  openBreakers(): number;
  /** The files of the tools in the operator's folders. */
  files(): WatchedFiles;
  /** Closes the sources. @param withinMs how long it waits for them */
  close(withinMs: number): Promise<void>;
}

export interface ToolsOptions extends Omit<SourcesOptions, "registry"> {
  readonly observer?: Observer;
  /** The environment for the tools' `requires`. @default process.env */
  readonly env?: Env;
  /** Called with a line that a program of a source wrote for people, such as an MCP server. @default nothing */
  readonly onOutput?: SourceNetwork["onOutput"];
  /** Sources that rank behind those of every configuration. @default none */
  readonly moreSources?: readonly ConfiguredSource[];
}

export function createTools(options: ToolsOptions = {}): Tools {
  const { observer = {}, env = process.env, moreSources = [], onOutput = () => undefined, ...rest } = options;
  // A failing origin continues to fail after a reload, so its state is kept.
  const breakers = createBreakers();
  let outbound = createOutboundFetch({ breakers });
  const bases = new Map<string, string>();
  let threads: { readonly egress: string; readonly isolate: CreateExecutor } | undefined;
  let inForce: readonly NamedSource[] = [];
  const registry = createRegistry({
    env,
    fetch: (input, init) => outbound(input, init),
    observer,
  });
  const sources = createSources({ ...rest, registry });
  /** Returns the same function for the same rules, so that tools keep their threads over a reload. */
  const isolateWith = (egress: EgressOptions): CreateExecutor => {
    const key = JSON.stringify(egress);
    if (threads?.egress !== key) {
      threads = { egress: key, isolate: createThreads({ egress, onOutput: (entry) => observer.onToolLog?.(entry) }) };
    }
    return threads.isolate;
  };
  return {
    registry,
    startCall: createStartCall(registry),
    async load(config, { onApply, ...waits } = { waitsFor: "all" }) {
      const egress = { ...config.egress, origins: [...config.egress.origins, ...originsOf(config.sources)] };
      const nextOutbound = toOutbound({ ...egress, breakers });
      const fetch = toOutbound({ ...egress, breakers, maxResponseBytes: maxDocumentBytes });
      const next = await configuredSources(config, inForce, { fetch, bases, onOutput });
      await sources.configure([...next, ...moreSources], {
        ...waits,
        apply() {
          outbound = nextOutbound;
          registry.configure({ ...config.limits, overrides: config.overrides, isolate: isolateWith(egress) });
          onApply?.(next.map(({ name }) => name));
          inForce = next;
        },
      });
    },
    openBreakers: breakers.countOpen,
    status: sources.status,
    files: sources.files,
    close: sources.close,
  };
}

/** @throws ConfigError for a malformed rule */
function toOutbound(options: OutboundFetchOptions): typeof fetch {
  try {
    return createOutboundFetch(options);
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
