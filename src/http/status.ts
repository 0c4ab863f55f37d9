import { createRequire } from "node:module";
import type { Registry } from "../core/registry.ts";
import type { SourceStatus } from "../sources/source.ts";

// The package's own name leads to its package.json from src and from dist alike.
const { version } = createRequire(import.meta.url)("toolhost/package.json") as { version: string };

export { version };

/** The body of `GET /status`. */
export function describeStatus(
  registry: Registry,
  sources: () => readonly SourceStatus[] = () => sourcesOf(registry),
): object {
  return {
    version,
    engine: { kind: "memory", state: "connected" },
    sources: sources(),
    unavailable: registry.unavailable(),
  };
}

function sourcesOf(registry: Registry): SourceStatus[] {
  const counts = new Map<string, number>();
  for (const { source } of registry.list()) counts.set(source, (counts.get(source) ?? 0) + 1);
  return [...counts].map(([name, tools]) => ({ name, kind: "code", state: "ready", tools, skipped: [] }));
}
