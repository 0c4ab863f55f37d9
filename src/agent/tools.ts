import type { Call } from "../core/call.ts";
import { invoke } from "../core/invoke.ts";
import type { Outcome } from "../core/outcome.ts";
import type { RegisteredTool } from "../core/registered-tool.ts";
import type { Registry } from "../core/registry.ts";
import type { Tool } from "../core/tool.ts";
import { createRegistry } from "../create-registry.ts";
import { createRemote, type RemoteToolhost } from "./remote.ts";
import type { AgentTool } from "./types.ts";

/** The tools of an agent, wherever they run. */
export interface AgentTools {
  /** Asks a running Toolhost for its tools anew. @throws Error where it cannot be asked */
  refresh(signal: AbortSignal | undefined): Promise<void>;
  /** By name; one of the agent's own hides another of its name. */
  list(): readonly RegisteredTool[];
  find(name: string): RegisteredTool | undefined;
  invoke(call: Call): Promise<Outcome>;
  /** @throws Error where it cannot be registered, or the name is taken */
  add(tool: AgentTool): void;
}

/** @param tools a registry, the URL of a running Toolhost, or a list of tools. @throws Error for a tool that cannot be registered */
export function openTools(tools: RemoteToolhost | Registry | readonly AgentTool[]): AgentTools {
  const own = createRegistry(Array.isArray(tools) ? { tools: tools.map(toTool) } : {});
  const remote = isRemote(tools) ? createRemote(tools) : undefined;
  const shared = remote?.registry ?? (isRegistry(tools) ? tools : undefined);
  const find = (name: string): RegisteredTool | undefined => own.find(name) ?? shared?.find(name);
  return {
    refresh: async (signal) => remote?.refresh(signal),
    list: () => [...own.list(), ...(shared?.list() ?? []).filter(({ tool }) => own.find(tool.name) === undefined)],
    find,
    invoke: (call) => invoke(shared !== undefined && own.find(call.name) === undefined ? shared : own, call),
    add(tool) {
      const ready = toTool(tool);
      if (find(ready.name) !== undefined) throw new Error(`There is a tool named ${ready.name} already.`);
      own.add(ready);
    },
  };
}

function isRemote(tools: unknown): tools is RemoteToolhost {
  return (
    typeof tools === "string" || tools instanceof URL || (typeof tools === "object" && tools !== null && "url" in tools)
  );
}

function isRegistry(tools: object | string): tools is Registry {
  return typeof tools === "object" && "replaceAll" in tools;
}

function toTool(tool: AgentTool): Tool {
  if (!("definition" in tool)) return tool;
  const { definition, execute } = tool;
  // Some write the inner object alone, as the Responses API and older clients do.
  const {
    name,
    description = name,
    parameters = { type: "object", properties: {} },
    strict,
  } = definition.function ?? definition;
  return {
    name,
    description,
    parameters,
    ...(typeof strict === "boolean" && { strict }),
    execute: (args, context) => execute.call(tool, args as never, context),
  };
}
