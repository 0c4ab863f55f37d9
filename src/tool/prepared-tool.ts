import type { JsonSchema } from "../schema/json-schema.ts";
import type { Tool, ToolSettings } from "./tool.ts";

/** The schemas of a tool. */
export interface ToolSchemas {
  readonly parameters: JsonSchema;
  /** @default any JSON value */
  readonly response?: JsonSchema | undefined;
}

/** A tool of a source that has many: its schemas are made when they are first read. */
export interface PreparedTool extends ToolSettings {
  /** Has a schema of its result. */
  readonly hasResponse: boolean;
  /** Called once. The schemas must be valid: whoever prepares a tool checks them, for example in another thread. */
  schemas(): ToolSchemas;
  execute: Tool["execute"];
}

const preparedTools = new WeakSet<Tool>();

/** A tool for a registry, which does not read the schemas before they are listed or a call needs them. */
export function prepareTool({ schemas, hasResponse, ...settings }: PreparedTool): Tool {
  let made: ToolSchemas | undefined;
  const read = (): ToolSchemas => (made ??= schemas());
  return prepared(settings, hasResponse, read);
}

function prepared(
  settings: Omit<Tool, "parameters" | "response">,
  hasResponse: boolean,
  read: () => ToolSchemas,
): Tool {
  const tool: Tool = Object.defineProperties({ ...settings } as Tool, {
    // Not enumerable: a copy of the tool must not read them by accident.
    parameters: { get: () => read().parameters },
    ...(hasResponse && { response: { get: () => read().response } }),
  });
  preparedTools.add(tool);
  return tool;
}

/** Whether the schemas of a tool are valid, and must not be read before they are needed. */
export function isPrepared(tool: Tool): boolean {
  return preparedTools.has(tool);
}

/** A tool with other words or annotations, and the same schemas. */
export function changeTool(tool: Tool, changes: Partial<Omit<Tool, "parameters" | "response">>): Tool {
  if (!isPrepared(tool)) return { ...tool, ...changes };
  return prepared({ ...tool, ...changes }, "response" in tool, () => tool);
}
