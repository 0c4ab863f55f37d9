import type { Call } from "../core/call/call.ts";
import { createStartCall, type StartCall } from "../core/call/start-call.ts";
import { findTool, listTools } from "../core/caller.ts";
import type { Observer } from "../core/observer.ts";
import type { Outcome } from "../core/outcome.ts";
import type { RegisteredTool } from "../core/registry/registered-tool.ts";
import { isRegistry, type Registry } from "../core/registry/registry.ts";
import type { Skipped } from "../core/registry/tool-groups.ts";
import type { Tool } from "../tool/tool.ts";
import { createRegistry } from "../create-registry.ts";
import { createRemote, type RemoteToolhost } from "./remote.ts";
import type { AgentTool } from "./types.ts";

/** The tools of an agent, local and remote. */
export interface AgentTools {
  /** Lists the tools of a running Toolhost again. @throws Error if it cannot be reached */
  refresh(signal: AbortSignal | undefined): Promise<void>;
  /** By name; one of the agent's own tools hides another with the same name. */
  list(): readonly RegisteredTool[];
  /** Tools that are known but cannot be used, with the reason. */
  skipped(): readonly Skipped[];
  find(name: string): RegisteredTool | undefined;
  startCall(call: Call, done: (outcome: Outcome) => void): void;
  /** @throws Error if it cannot be registered, or the name is taken */
  add(tool: AgentTool): void;
}

/**
 * @param tools a registry, the URL of a running Toolhost, or a list of tools
 * @param observer receives the calls of tools in this process, except those of a registry that is given. @default as of
 * createRegistry
 * @param startCallOf makes the function that runs the calls of a registry
 * @throws Error for a tool that cannot be registered, or a value that is none of these
 */
export function createAgentTools(
  tools: RemoteToolhost | Registry | readonly AgentTool[],
  observer?: Observer,
  startCallOf: (registry: Registry) => StartCall = createStartCall,
): AgentTools {
  const remote = isRemote(tools) ? createRemote(tools) : undefined;
  const shared = remote?.registry ?? (isRegistry(tools) ? tools : undefined);
  if (shared === undefined && !Array.isArray(tools)) {
    throw new Error('"tools" must be the URL of a running Toolhost, a registry, or a list of tools.');
  }
  const own = createRegistry({ ...(observer && { observer }), tools: Array.isArray(tools) ? tools.map(toTool) : [] });
  const find = (name: string): RegisteredTool | undefined => own.find(name) ?? (shared && findTool(shared, { name }));
  const startOwn = startCallOf(own);
  const startShared = shared === undefined ? startOwn : startCallOf(shared);
  return {
    refresh: async (signal) => remote?.refresh(signal),
    list: () => [
      ...own.list(),
      ...(shared ? listTools(shared, {}) : []).filter(({ tool }) => own.find(tool.name) === undefined),
    ],
    skipped: () => [...unavailableIn(own), ...(remote?.skipped ?? (shared && unavailableIn(shared)) ?? [])],
    find,
    startCall: (call, done) => (own.find(call.name) === undefined ? startShared : startOwn)(call, done),
    add(tool) {
      const ready = toTool(tool);
      if (find(ready.name) !== undefined) throw new Error(`The agent already has a tool named "${ready.name}".`);
      own.add(ready);
    },
  };
}

function unavailableIn(registry: Registry): Skipped[] {
  return registry.unavailable().map(({ tool, unavailable }) => ({ name: tool.name, reason: unavailable ?? "" }));
}

function isRemote(tools: unknown): tools is RemoteToolhost {
  return (
    typeof tools === "string" || tools instanceof URL || (typeof tools === "object" && tools !== null && "url" in tools)
  );
}

/** @throws Error if it is neither a result of `defineTool` nor a definition with its function */
function toTool(tool: AgentTool): Tool {
  if (typeof tool !== "object" || tool === null) throw new Error("A tool must be an object, as defineTool returns it.");
  if (!("definition" in tool)) return tool;
  if (typeof tool.definition?.function?.name !== "string" || typeof tool.execute !== "function") {
    throw new Error("A tool with a definition must be { definition: { type, function: { name, … } }, execute }.");
  }
  const {
    name,
    description = name,
    parameters = { type: "object", properties: {} },
    strict,
  } = tool.definition.function;
  return {
    name,
    description,
    parameters,
    ...(typeof strict === "boolean" && { strict }),
    ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
    execute: (args, context) => tool.execute(args, context),
  };
}
