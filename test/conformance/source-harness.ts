import { onTestFinished } from "vitest";
import { createRegistry, type Registry } from "../../src/core/registry/registry.ts";
import type { Source } from "../../src/core/source.ts";
import type { SourceNetwork } from "../../src/sources/source-kind.ts";
import { createSources, type Sources } from "../../src/sources/sources.ts";

/** What a test does to the other side of a source: to its folder, its document or its server. */
export interface SourceHarness {
  /**
   * The tools that there are from now on. Each returns its own name after `ms` of its arguments.
   * @param bad the names of those that cannot be offered
   */
  offer(names: readonly string[], bad?: readonly string[]): void;
  /** A source over it. @param name its name @default "tested" */
  open(name?: string): Source;
  /** Reads fail from now on. */
  fail(): void;
  /** Reads do not end from now on. Absent if they cannot hang. */
  hang?(): void;
  /** Reads succeed again, and those that hang end. */
  mend(): void;
  /** Reports that the tools changed. Absent if the other side reports nothing. */
  notify?(): void;
  /** Loses the connection. Absent if there is none. */
  drop?(): void;
}

/** How the sources of the tests reach others. */
export const network: SourceNetwork = { fetch, bases: new Map(), onOutput: () => undefined };

const times = { firstRetryMs: 5, longestRetryMs: 20, noticeMs: 5, noticeIntervalMs: 5 };

/** A source that is closed at the end of the test. */
export function opened(source: Source): Source {
  onTestFinished(async () => source.close?.());
  return source;
}

/** A new registry with the tested source, which comes before the other one if there is one. */
export function keep(harness: SourceHarness, openOther?: () => Source) {
  const registry = createRegistry();
  const sources: Sources = createSources({ registry, ...times });
  onTestFinished(() => sources.close(1000));
  const other = openOther === undefined ? [] : [{ key: "other", open: openOther }];
  const configure = (patienceMs?: number) =>
    sources.configure([{ key: "tested", open: () => harness.open() }, ...other], {
      ...(patienceMs !== undefined && { patienceMs }),
      waitsFor: other.length === 0 ? "all" : "local",
    });
  return { registry, sources, configure: () => configure(), refresh: configure };
}

/** The names of the tools that a registry has. */
export function names(registry: Registry): string[] {
  return registry.list().map(({ tool }) => tool.name);
}
