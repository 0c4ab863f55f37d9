export type { Limits } from "./core/limits.ts";
export type { CallRecord, Observer, ToolLogEntry } from "./core/observer.ts";
export type { Issue } from "./schema/issues.ts";
export type { JsonObject } from "./json/object.ts";
/** What the package exports, by name. Adding a line makes public API. */
export { ToolError, UpstreamError } from "./core/errors.ts";
export { createRegistry } from "./create-registry.ts";
export { invoke } from "./core/call/invoke.ts";
export { defineTool } from "./core/tool.ts";
export { toolChoice } from "./dialects/dialects.ts";
export { createOutboundFetch } from "./egress/fetch.ts";
export { createApp } from "./http/app.ts";
export { createMetrics } from "./telemetry/metrics.ts";
export { createThreads } from "./isolation/threads.ts";

export type { Action, ErrorBody, ErrorCode } from "./core/errors.ts";
export type { Call } from "./core/call/call.ts";
export type { Caller, Meter, Rights } from "./core/caller.ts";
export type { Declaration } from "./core/registry/declaration.ts";
export type { JsonSchema, StandardJsonSchema } from "./schema/json-schema.ts";
export type { ErrorOutcome, OkOutcome, Outcome } from "./core/outcome.ts";
export type { Registry, RegistrySettings } from "./core/registry/registry.ts";
export type { Skipped, ToolGroup } from "./core/registry/tool-groups.ts";
export type { RegistryOptions } from "./create-registry.ts";
export type { CreateExecutor, RegisteredTool, ToolOverride, ToolTrust } from "./core/registry/registered-tool.ts";
export type { DialectName } from "./dialects/dialect.ts";
export type { ToolChoice, ToolChoiceFields, ToolChoiceMode } from "./dialects/tool-choice.ts";
export type { BreakerOptions } from "./egress/breaker.ts";
export type { OutboundFetchOptions } from "./egress/fetch.ts";
export type { ThreadOptions } from "./isolation/threads.ts";
export type { App, AppOptions } from "./http/app.ts";
export type { Refusal } from "./http/guard/refusal.ts";
export type { Metrics } from "./telemetry/metrics.ts";
export type { Repair } from "./schema/repair.ts";
export type {
  LogLevel,
  Progress,
  Tool,
  ToolAnnotations,
  ToolContext,
  ToolDefinition,
  ToolSettings,
} from "./core/tool.ts";
