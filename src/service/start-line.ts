import type { Registry } from "../core/registry/registry.ts";
import type { SourceStatus } from "../core/source.ts";

/** A line for a person who starts the service in a terminal. */
export function startLine(version: string, url: string, registry: Registry, sources: readonly SourceStatus[]): string {
  const tools = registry.list().length;
  const skipped = sources.reduce((sum, source) => sum + source.skipped.length, 0);
  const remarks = [
    ...sources.flatMap(({ name, state, reason }) =>
      state === "ready" ? [] : [`${name} ${stateWords[state]}${reason === undefined ? "" : `: ${reason}`}`],
    ),
    ...registry.unavailable().map(({ tool, unavailable = "" }) => `${tool.name} ${whyNot(unavailable)}`),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const rest = remarks.length === 0 ? "" : ` (${remarks.join(", ")})`;
  return `Toolhost ${version} on ${url}: ${tools} ${tools === 1 ? "tool" : "tools"}${rest}\n`;
}

const stateWords = { connecting: "is not connected yet", failed: "cannot be read" } as const;

function whyNot(reason: string): string {
  const variable = /\b(\w+) is not set$/.exec(reason)?.[1];
  return variable === undefined ? `cannot run: ${reason}` : `needs ${variable}`;
}
