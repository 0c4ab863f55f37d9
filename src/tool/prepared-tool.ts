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
  /**
   * Called once. Whoever prepares a tool checks the schemas, for example in another thread: if it throws, or a schema
   * is not valid, the tool is listed and its calls fail.
   */
  schemas(): ToolSchemas;
  execute: Tool["execute"];
}

const preparedTools = new WeakSet<Tool>();
/** The errors that were thrown instead of schemas, by the replacing schema. */
const faults = new WeakMap<object, { readonly thrown: unknown }>();

/** A tool for a registry, which does not read the schemas before they are listed or a call needs them. */
export function prepareTool({ schemas, hasResponse, ...settings }: PreparedTool): Tool {
  let made: ToolSchemas | undefined;
  const read = (): ToolSchemas => (made ??= makeSchemas(schemas));
  return prepared(settings, hasResponse, read);
}

/** Those who list many tools read the schemas, and must not fail because of one. */
function makeSchemas(schemas: () => ToolSchemas): ToolSchemas {
  try {
    return schemas();
  } catch (thrown) {
    const parameters = { type: "object", not: {} };
    faults.set(parameters, { thrown });
    return { parameters };
  }
}

/**
 * The schema of a tool's arguments, for who makes a check of it. @throws whatever `schemas` of a prepared tool threw
 */
export function readParameters({ parameters }: Tool): JsonSchema {
  const fault = typeof parameters === "object" ? faults.get(parameters) : undefined;
  if (fault !== undefined) throw fault.thrown;
  return parameters;
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

/** Whether the schemas of a tool were checked, and must not be read before they are needed. */
export function isPrepared(tool: Tool): boolean {
  return preparedTools.has(tool);
}

/** A tool with other words or annotations, and the same schemas. */
export function changeTool(tool: Tool, changes: Partial<Omit<Tool, "parameters" | "response">>): Tool {
  if (!isPrepared(tool)) return { ...tool, ...changes };
  return prepared({ ...tool, ...changes }, "response" in tool, () => tool);
}

/** A tool without a schema of its results. */
export function withoutResponse(tool: Tool): Tool {
  if (isPrepared(tool)) return prepared({ ...tool }, false, () => tool);
  const { response: _, ...rest } = tool;
  return rest;
}
