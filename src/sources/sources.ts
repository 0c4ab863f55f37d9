import { inTime } from "../async/in-time.ts";
import type { Registry } from "../core/registry/registry.ts";
import type { ToolGroup } from "../core/registry/tool-groups.ts";
import type { Source, SourceReading, SourceStatus, WatchedFiles } from "../core/source.ts";
import { joinMarks } from "../files/file-mark.ts";
import { type KeptSource, keepSource, type ReadTimes } from "./kept-source.ts";

/** A source as the configuration names it. */
export interface ConfiguredSource {
  /** Equal for equal settings: such a source is kept over a reconfiguration. */
  readonly key: string;
  /** Makes the source. It must not throw: what cannot be opened fails when it is read. No other source has its name. */
  readonly open: () => Source;
}

export interface SourcesOptions extends ReadTimes {
  readonly registry: Registry;
  /** Called with a source whose tools or state changed by themselves, between reconfigurations. */
  readonly onUpdate?: (status: SourceStatus) => void;
  /** Called after a source that is made of files was read by itself: they may be others now. */
  readonly onFilesChange?: (() => void) | undefined;
  /** Called with an error of a source that operators must not see in `/status`. */
  readonly onFault?: (error: unknown) => void;
}

export interface ConfigureOptions {
  /** Applies settings in the same step in which the tools change. If it throws, nothing changes. */
  readonly apply?: () => void;
  /** The sources whose first read is waited for. @default "local": the others must not delay it */
  readonly waitsFor?: "local" | "all";
  /** How long it waits for them, in milliseconds. What is read later is taken over then. @default until all are read */
  readonly patienceMs?: number;
}

/** All configured sources. Each is read alone, and its tools change in one step; running calls go on. */
export interface Sources {
  /**
   * Replaces the sources, and reads all. For a name, an earlier source has precedence. A source with the same
   * key is kept; a source that takes the place of another one of its name does so when it was first read without
   * failure.
   * @throws Error if two sources have one name, or if an earlier call has not resolved
   */
  configure(next: readonly ConfiguredSource[], options?: ConfigureOptions): Promise<void>;
  /** In the order of the configuration. */
  status(): SourceStatus[];
  /** The files of the sources: a change of one leads to a reload. */
  files(): WatchedFiles;
  /** Closes all. @param withinMs how long it waits for them */
  close(withinMs: number): Promise<void>;
}

/** A source in the order of the configuration. */
interface Place {
  readonly key: string;
  readonly kept: KeptSource;
  /** The reading whose tools are in the registry. */
  registered?: SourceReading | undefined;
  /** The source that it replaces. The tools of that source are served until a read of `kept` succeeds. */
  predecessor?: KeptSource | undefined;
}

export function createSources({ registry, onUpdate, onFilesChange, onFault, ...times }: SourcesOptions): Sources {
  let places: readonly Place[] = [];
  let isConfiguring = false;
  let isClosed = false;

  const open = ({ key, open: openSource }: ConfiguredSource): Place => {
    const source = openSource();
    const onOwnUpdate = (): void => {
      const rank = places.indexOf(place);
      // A deployment changes code and settings together, so the sources that are waited for take effect together with
      // the configuration.
      if (rank < 0 || (isConfiguring && source.isLocal === true)) return;
      const { reading } = place.kept;
      if (reading !== undefined && reading !== place.registered) {
        endPredecessor(place);
        registry.replaceAll([groupOf(place, rank)]);
      }
      onUpdate?.(statusOf(place));
      if (source.files !== undefined) onFilesChange?.();
    };
    const place: Place = { key, kept: keepSource(source, { ...times, onUpdate: onOwnUpdate, onFault }) };
    return place;
  };
  const statusOf = ({ kept, predecessor }: Place): SourceStatus => {
    const { source, state, reason } = kept;
    const { reading } = predecessor ?? kept;
    const { name, kind } = source;
    const refused = registry.skipped(name);
    return {
      name,
      kind,
      state,
      ...(reason !== undefined && { reason }),
      isRead: kept.reading !== undefined,
      tools: registry.list().filter((entry) => entry.source === name).length,
      skipped: [...(reading?.skipped ?? []), ...(reading?.explain?.(refused, registry.find) ?? refused)],
      warnings: [...(reading?.warnings ?? []), ...registry.warnings(name)],
    };
  };
  return {
    async configure(next, { apply, waitsFor = "local", patienceMs = Infinity } = {}) {
      if (isConfiguring) throw new Error("the sources are being configured");
      const before = places;
      const after = next.map((each) => before.find(({ key }) => key === each.key) ?? open(each));
      const shared = findSharedName(after);
      if (shared !== undefined) {
        void closeAll(after.filter((place) => !before.includes(place)));
        throw new Error(`two sources have the name ${shared}`);
      }
      isConfiguring = true;
      try {
        const reads = after.map((place) => ({ place, read: place.kept.refresh() }));
        const awaited = reads.filter(({ place: { kept } }) => waitsFor === "all" || kept.source.isLocal === true);
        await inTime(Promise.all(awaited.map(({ read }) => read)), patienceMs, doNotWait);
      } finally {
        isConfiguring = false;
      }
      if (isClosed) return closeAll(after);
      try {
        apply?.();
      } catch (error) {
        void closeAll(after.filter((place) => !before.includes(place)));
        throw error;
      }
      const gone = before.filter((place) => !after.includes(place));
      for (const place of after) takePredecessor(place, gone);
      places = after;
      const names = new Set(after.map(({ kept }) => kept.source.name));
      const removed = gone.filter(({ kept }) => !names.has(kept.source.name));
      registry.replaceAll([
        ...removed.map(({ kept }): ToolGroup => ({ source: kept.source.name, tools: [] })),
        ...after.map(groupOf),
      ]);
      closeUnused(gone, after);
    },
    status: () => places.map(statusOf),
    files() {
      const all = places.flatMap(({ kept }) => kept.source.files?.() ?? []);
      return { files: joinMarks(all.map(({ files }) => files)), folders: joinMarks(all.map(({ folders }) => folders)) };
    },
    async close(withinMs) {
      isClosed = true;
      await inTime(closeAll(places), withinMs, doNotWait);
    },
  };
}

function groupOf(place: Place, index: number): ToolGroup {
  const { source, reading, readiness } = place.predecessor ?? place.kept;
  place.registered = reading;
  const unread = reading === undefined ? { unreadPrefix: source.toolPrefix } : {};
  return { source: source.name, tools: reading?.tools ?? [], rank: index + 1, readiness, ...unread, ...source.trust };
}

function findSharedName(places: readonly Place[]): string | undefined {
  const names = places.map(({ kept }) => kept.source.name);
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** A source that is not read yet serves the tools of the source of its name that is gone. */
function takePredecessor(place: Place, gone: readonly Place[]): void {
  const same = gone.find(({ kept }) => kept.source.name === place.kept.source.name);
  const serving = same?.predecessor ?? same?.kept;
  // A source that was never read has no tools to serve.
  if (serving?.reading !== undefined) place.predecessor = serving;
  if (place.kept.reading !== undefined) endPredecessor(place);
}

/** Closes the sources that are gone, except those that still serve tools for their successors. */
function closeUnused(gone: readonly Place[], after: readonly Place[]): void {
  const serving = new Set(after.map(({ predecessor }) => predecessor));
  for (const { kept, predecessor } of gone) {
    for (const each of [kept, predecessor]) if (each !== undefined && !serving.has(each)) void each.close();
  }
}

function endPredecessor(place: Place): void {
  void place.predecessor?.close();
  place.predecessor = undefined;
}

async function closeAll(places: readonly Place[]): Promise<void> {
  const all = places.flatMap(({ kept, predecessor }) => (predecessor === undefined ? [kept] : [kept, predecessor]));
  await Promise.all(all.map((kept) => kept.close()));
}

/** The sources that are not ready in time are not waited for. */
function doNotWait(): void {}
