import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { ToolConfig } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { toolFlags, type ToolFlags, withItsFlag } from "../config/flags.ts";
import { readToolConfig } from "../config/read-tools.ts";
import type { StartCall } from "../core/call/start-call.ts";
import type { Observer, ToolWarning } from "../core/observer.ts";
import type { SourceStatus } from "../core/source.ts";
import type { RegisteredTool } from "../core/registry/registered-tool.ts";
import {
  type Bound,
  resolveOverride,
  type ToolOverride,
  type ToolOverrides,
  type UnusedBinding,
  unusedBindings,
} from "../tool/overrides.ts";
import type { Registry } from "../core/registry/registry.ts";
import type { Skipped } from "../core/registry/tool-groups.ts";
import { skippedOf } from "../core/source.ts";
import { closest } from "../schema/suggest.ts";
import { warningsOfClaims } from "../service/settings.ts";
import { noteImpliedFile } from "./implied-file.ts";
import type { Io } from "./io.ts";
import { loadConfigured } from "./load-tools.ts";

/** The flags of the commands for your own tools. */
export const ownToolFlags = {
  ...toolFlags,
  tool: { type: "string", multiple: true },
} as const;

interface OwnToolFlags extends ToolFlags {
  readonly tool?: readonly string[] | undefined;
}

export interface OwnTools {
  readonly registry: Registry;
  readonly startCall: StartCall;
  /** By name. They include tools that cannot run here, because their variables may be set elsewhere. */
  readonly tools: readonly RegisteredTool[];
  readonly skipped: readonly Skipped[];
  readonly warnings: readonly ToolWarning[];
  /** The message if there are none: the places that were searched, and what a tool looks like. */
  readonly noTools: string;
  /** Bindings that have no effect. */
  readonly unusedBindings: readonly UnusedBinding[];
  /** What the overrides bind, by the tool's name. */
  readonly bindOf: (name: string) => ReadonlyMap<string, Bound>;
}

interface OwnToolsOptions {
  readonly observer?: Observer;
  /** Tools take their bound arguments from their caller, who stands in for tokens and sessions. @default false */
  readonly isUnbound?: boolean;
}

/**
 * The tools of your own folders; the bundled ones only if they are requested, by `--bundled` or by name.
 * @param names only these, if there are any
 * @throws ConfigError for a name of neither a tool nor a skipped one
 */
export async function loadOwnTools(
  flags: OwnToolFlags,
  positionals: readonly string[],
  io: Io,
  { observer, isUnbound = false }: OwnToolsOptions = {},
): Promise<OwnTools> {
  const names = [...(flags.tool ?? []), ...positionals];
  const config = await readToolConfig(flags, io.env, io.cwd);
  const note = noteImpliedFile({
    configFile: config.configFile,
    hasDocument: (flags.sources ?? []).length > 0,
    isNamed: flags.config !== undefined || Boolean(io.env["TOOLHOST_CONFIG"]),
  });
  // On stderr: stdout may be JSON.
  if (note !== undefined) io.err(`${note}\n`);
  const bundledTools = flags.bundled === true || (names.length > 0 && config.bundledTools);
  const bindOf: OwnTools["bindOf"] = (name) => resolveOverride(config.overrides, name).bind;
  const overrides = isUnbound ? withoutBindings(config.overrides) : config.overrides;
  const loaded = { ...config, overrides, bundledTools };
  const { registry, startCall, status } = await loadConfigured(loaded, io, observer);
  const all = [...registry.list(), ...registry.unavailable()].toSorted(byName);
  const found = {
    noTools: describeNoTools(loaded, status(), io.cwd),
    tools: all,
    unusedBindings: unusedBindings(
      overrides,
      all.map(({ tool: { name }, binding }) => ({
        name,
        isBound: (argument) => binding?.bound.has(argument) === true,
      })),
    ),
    skipped: status().flatMap(skippedOf),
    warnings: [...status().flatMap((source) => source.warnings), ...warningsOfClaims(config)],
  };
  if (names.length === 0) return { registry, startCall, bindOf, ...found };
  const known = [...found.tools.map(({ tool }) => tool.name), ...found.skipped.map(({ name }) => name)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownTool(unknown, known, io.cwd);
  return {
    registry,
    startCall,
    bindOf,
    noTools: found.noTools,
    unusedBindings: [],
    tools: found.tools.filter(({ tool }) => names.includes(tool.name)),
    skipped: found.skipped.filter(({ name }) => names.includes(name)),
    warnings: found.warnings.filter(({ name }) => names.includes(name)),
  };
}

/** Without any source, a folder is what most operators want. */
function describeNoTools({ sources, bundledTools }: ToolConfig, status: readonly SourceStatus[], cwd: string): string {
  const folders = sources.flatMap((source) => ("folder" in source ? [relative(cwd, source.folder) || "."] : []));
  const others = status.filter(({ kind }) => kind !== "folder").map(({ name, kind }) => `${name} (${kind})`);
  const places = [...folders, ...others];
  if (places.length > 0 && folders.length === 0) return `No tools in ${places.join(", ")}.\n`;
  const found =
    places.length > 0
      ? `No tools in ${places.join(", ")}.`
      : bundledTools
        ? "No tools."
        : `No tools of your own: name a folder with --tools, TOOLHOST_TOOLS or toolhost.yaml,
or look at the bundled tools with --bundled.`;
  return `${found}\nIn a folder of tools, each tool is a folder that contains tool.mjs, tool.js or tool.ts.\n`;
}

function withoutBindings(overrides: ToolOverrides): ToolOverrides {
  const unbound = Object.create(null) as Record<string, ToolOverride>;
  for (const [key, override] of Object.entries(overrides)) {
    const { bind: _, ...rest } = override;
    unbound[key] = rest;
  }
  return unbound;
}

/** A folder or file in place of a name lacks its flag. */
function unknownTool(name: string, known: readonly string[], cwd: string): ConfigError {
  const similar = closest(name, known);
  const meant = existsSync(resolve(cwd, name)) ? withItsFlag(name) : similar && JSON.stringify(similar);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return new ConfigError(`there is no tool ${JSON.stringify(name)}${hint}`);
}

function byName({ tool: left }: RegisteredTool, { tool: right }: RegisteredTool): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}
