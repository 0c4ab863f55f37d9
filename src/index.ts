/** What the package exports, by name. Adding a line makes public API. */
export { ToolError, UpstreamError } from "./core/errors.ts";
export { defineTool } from "./core/tool.ts";
export { createRegistry } from "./core/registry.ts";
export { invoke } from "./core/invoke.ts";

export type { Action, ErrorBody, ErrorCode, Issue } from "./core/errors.ts";
export type { Call } from "./core/invoke.ts";
export type { JsonObject, JsonSchema, StandardJsonSchema } from "./core/json-schema.ts";
export type { ErrorOutcome, OkOutcome, Outcome } from "./core/outcome.ts";
export type {
  CallRecord,
  Declaration,
  Observer,
  Registry,
  RegistryOptions,
  Skipped,
  ToolLogEntry,
} from "./core/registry.ts";
export type { Repair } from "./core/repair.ts";
export type { LogLevel, Progress, Tool, ToolAnnotations, ToolContext, ToolDefinition, ToolSettings } from "./core/tool.ts";
