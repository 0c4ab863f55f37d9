import { createBoundBefore } from "./bound-before.ts";
import { checkTimeoutMs, toolNamePattern } from "../../tool/check-tool.ts";
import { type KnownTool, unreadTool } from "./known-tool.ts";
import { nameOf, readTool } from "../../tool/read-tool.ts";
import { reasonOf } from "../../errors/reason.ts";
import { resolveOverride, type ToolOverrides, unusedOverrides } from "../../tool/overrides.ts";
import { type CreateExecutor, type RegisteredTool, registerTool, type ToolTrust } from "./registered-tool.ts";
import { defaultLimits, type Limits } from "../limits.ts";
import type { Observer, ToolWarning } from "../observer.ts";
import { alwaysReady } from "./readiness.ts";
import type { Tool } from "../../tool/tool.ts";
import { createToolGroups, type Register, type Skipped, type ToolGroup } from "./tool-groups.ts";

/** The settings that an operator may change while the registry is in use. */
export interface RegistrySettings extends Partial<Limits> {
  /** Changes to tools, by name or by pattern (`*` at its end). @default none */
  readonly overrides?: ToolOverrides;
  /** Runs the tools with `isolation: "thread"`. @default as before; at first, such tools are refused */
  readonly isolate?: CreateExecutor;
}

export interface RegistryOptions extends RegistrySettings {
  /** The program's own tools, with the source `local`. @throws Error for a tool that cannot be registered */
  readonly tools?: readonly Tool[];
  /** The environment for `requires`. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What `context.fetch` uses. @default the global fetch */
  readonly fetch?: typeof fetch;
  readonly observer?: Observer;
}

export interface Registry {
  /** Changes whenever the tools do. */
  readonly version: number;
  readonly limits: Limits;
  /** The number of calls that run or wait for a slot. `RunningCall` counts each; nothing else changes it. */
  readonly load: { calls: number };
  readonly fetch: typeof fetch;
  readonly observer: Observer;
  /** Sets limits, and overrides for the tools that are registered from now on. @throws Error for an invalid limit */
  configure(settings: RegistrySettings): void;
  /** @throws Error if the tool cannot be registered: an invalid schema, a name that is taken */
  add(tool: Tool): void;
  remove(name: string): void;
  /**
   * Replaces all tools of the source in one step. Those that cannot be registered are skipped alone.
   * @returns the skipped tools
   */
  replace(source: string, tools: readonly Tool[], trust?: ToolTrust): Skipped[];
  /** {@link Registry.replace} for several sources in one step. A source without tools is forgotten. */
  replaceAll(groups: readonly ToolGroup[]): void;
  /** The tools of a source that are not registered at the moment: another source may release or take a name. */
  skipped(source: string): readonly Skipped[];
  find(name: string): RegisteredTool | undefined;
  /** A tool that does not exist as far as is known: the source that may have it was never read. */
  findUnread(name: string): KnownTool | undefined;
  /** The tools that can run, by name. */
  list(): readonly RegisteredTool[];
  /** The tools that exist but cannot run, by name. */
  unavailable(): readonly RegisteredTool[];
  /** Probable misspellings in the tools of a source. Empty for sources that are not trusted. */
  warnings(source: string): ToolWarning[];
  /** The names and patterns of `overrides` that match no tool. */
  unknownOverrides(): string[];
}

const localSource = "local";

export function createRegistry(options: RegistryOptions = {}): Registry {
  const { env = process.env, fetch = globalThis.fetch, observer = {} } = options;
  let { isolate } = options;
  let limits = checkLimits(options);
  let overrides = options.overrides ?? {};
  let entries: ReadonlyMap<string, RegisteredTool> = new Map();
  const groups = createToolGroups();
  let listed: readonly RegisteredTool[] | undefined;
  let version = 0;
  let settingsRevision = 0;
  const bound = createBoundBefore();

  const register: Register = (given, tool, { source, trust, readiness }) => {
    const known = entries.get(tool.name);
    const override = resolveOverride(overrides, tool.name);
    const before = known?.source === source ? known : undefined;
    const { timeoutMs } = limits;
    const boundBefore = bound.of(tool.name, override.bind);
    const options = { given, source, override, boundBefore, ...trust, readiness, timeoutMs, env, isolate, before };
    const entry = registerTool(tool, options);
    bound.note(entry, override.bind);
    return entry;
  };
  const settle = (): void => {
    const next = groups.settle(register);
    const isSame = next.size === entries.size && [...next].every(([name, entry]) => entries.get(name) === entry);
    if (isSame) return;
    for (const [name, entry] of entries) if (next.get(name) !== entry) entry.isolated?.close();
    entries = next;
    listed = undefined;
    version++;
  };

  /** Settles once: for thousands of tools, once for each would take seconds. */
  const addAll = (tools: readonly Tool[]): void => {
    const added = new Map<string, RegisteredTool>();
    for (const given of tools) {
      try {
        const tool = readTool(given);
        if (entries.has(tool.name) || added.has(tool.name)) throw new Error("the name is taken");
        const entry = register(given, tool, { source: localSource, trust: {}, readiness: alwaysReady });
        groups.add(localSource, given, tool, entry, settingsRevision);
        added.set(tool.name, entry);
      } catch (cause) {
        throw new Error(`${nameOf(given)}: ${reasonOf(cause) ?? "it cannot be read"}`, { cause });
      }
    }
    settle();
    for (const warning of [...added.values()].flatMap(warningsOf)) observer.onToolWarning?.(warning);
  };

  const registry: Registry = {
    get version() {
      return version;
    },
    get limits() {
      return limits;
    },
    load: { calls: 0 },
    fetch,
    observer,
    configure(settings) {
      const before = JSON.stringify([overrides, limits.timeoutMs]);
      limits = checkLimits(settings);
      overrides = settings.overrides ?? {};
      const isSame = JSON.stringify([overrides, limits.timeoutMs]) === before;
      if (!isSame || (settings.isolate ?? isolate) !== isolate) settingsRevision++;
      isolate = settings.isolate ?? isolate;
    },
    add: (tool) => addAll([tool]),
    remove(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      groups.remove(entry);
      settle();
    },
    replace(source, tools, trust) {
      registry.replaceAll([{ source, tools, ...trust }]);
      return [...groups.skipped(source)];
    },
    replaceAll(next) {
      for (const group of next) groups.set(group, settingsRevision);
      settle();
    },
    skipped: groups.skipped,
    find: (name) => entries.get(name),
    findUnread(name) {
      const source = entries.has(name) || !toolNamePattern.test(name) ? undefined : groups.unreadSourceOf(name);
      return source === undefined ? undefined : unreadTool(name, source, resolveOverride(overrides, name));
    },
    list() {
      listed ??= sortByName([...entries.values()].filter((entry) => entry.unavailable === undefined));
      return listed;
    },
    warnings: (source) => [...entries.values()].filter((entry) => entry.source === source).flatMap(warningsOf),
    unknownOverrides: () => unusedOverrides(overrides, [...entries.keys()]),
    unavailable: () => sortByName([...entries.values()].filter((entry) => entry.unavailable !== undefined)),
  };
  addAll(options.tools ?? []);
  return registry;
}

/** Whether a value is a registry, for callers in JavaScript. Only registries have `replaceAll` and `unknownOverrides`. */
export function isRegistry(value: unknown): value is Registry {
  return typeof value === "object" && value !== null && "replaceAll" in value && "unknownOverrides" in value;
}

function warningsOf({ tool: { name }, lint }: RegisteredTool): ToolWarning[] {
  return lint.map((each) => ({ name, ...each }));
}

function checkLimits(settings: RegistrySettings): Limits {
  const {
    callsInFlight = defaultLimits.callsInFlight,
    queueMs = defaultLimits.queueMs,
    timeoutMs = defaultLimits.timeoutMs,
  } = settings;
  if (!(queueMs >= 0)) throw new Error(`queueMs must be a number of at least 0, got ${queueMs}`);
  if (!(callsInFlight >= 1)) throw new Error(`callsInFlight must be a number of at least 1, got ${callsInFlight}`);
  return { callsInFlight, queueMs, timeoutMs: checkTimeoutMs(timeoutMs) };
}

function sortByName(entries: RegisteredTool[]): RegisteredTool[] {
  return entries.sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}
