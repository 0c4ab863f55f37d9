import { type Caller, listTools } from "../../core/caller.ts";
import type { Skipped } from "../../core/registry/tool-groups.ts";
import type { Registry } from "../../core/registry/registry.ts";
import { jsonReply } from "../http-reply.ts";
import type { Route } from "../route.ts";
import { version } from "../../package.ts";
import { skippedOf, type SourceStatus } from "../../core/source.ts";

/** `GET /status` */
export function createStatusRoute(registry: Registry, sources?: () => readonly SourceStatus[]): Route<"/status"> {
  return {
    method: "GET",
    path: "/status",
    isFor: "callers",
    handle: (_exchange, caller) => jsonReply(describeStatus(registry, caller, sources)),
  };
}

function describeStatus(
  registry: Registry,
  caller: Caller,
  sources: () => readonly SourceStatus[] = () => sourcesOf(registry),
): object {
  const isOperator = caller.isOperator === true;
  const known = isOperator ? registry.unavailable() : [];
  return {
    version,
    engine: { kind: "memory", state: "connected" },
    sources: isOperator
      ? sources().map((source) => describeSource(source, skippedOf(source)))
      : sources().flatMap((source) => asSeenBy(registry, caller, source)),
    unavailable: known.map(({ tool, unavailable }) => ({ name: tool.name, reason: unavailable })),
  };
}

function describeSource(
  { name, kind, state, tools, warnings, workers }: SourceStatus,
  skipped: readonly Skipped[],
): object {
  return { name, kind, state, tools, skipped, warnings, workers };
}

/**
 * Nothing, or the source with the number of its tools that the caller may use. Only operators see skipped tools,
 * warnings and workers.
 */
function asSeenBy(registry: Registry, caller: Caller, source: SourceStatus): object[] {
  const tools = listTools(registry, { caller }).filter((entry) => entry.source === source.name).length;
  const { workers: _, ...rest } = source;
  return tools === 0 ? [] : [describeSource({ ...rest, tools, warnings: [] }, [])];
}

function sourcesOf(registry: Registry): SourceStatus[] {
  const counts = new Map<string, number>();
  for (const { source } of registry.list()) counts.set(source, (counts.get(source) ?? 0) + 1);
  const rest = { kind: "code", state: "ready", isRead: true, skipped: [], warnings: [] } as const;
  return [...counts].map(([name, tools]) => ({ ...rest, name, tools }));
}
