import type { LogLevel } from "./log-level.ts";
import type { Progress } from "./progress.ts";
import type { JsonObject } from "../json/object.ts";
import type { JsonSchema, StandardJsonSchema } from "../schema/json-schema.ts";
import { markTool } from "../schema/library/mark.ts";
import { readSchema, type SchemaInput } from "../schema/library/read.ts";
import { validateFirst } from "./validate-first.ts";

/** A tool's statements about its effects, for a model's client. Absent means unknown. */
export interface ToolAnnotations {
  /** Changes nothing. */
  readonly readOnly?: boolean;
  /** May destroy or overwrite something. */
  readonly destructive?: boolean;
  /** Running it twice with the same arguments does no more than running it once. */
  readonly idempotent?: boolean;
  /** Reaches a world beyond this service, such as the web. */
  readonly openWorld?: boolean;
}

/** The second argument of a running tool. */
export interface ToolContext {
  /** Aborted when the time limit passes, the caller leaves, or the service shuts down. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The caller's `Toolhost-Session`, as it came. */
  readonly session?: string;
  /** Reports how far the call is; streaming callers see it. */
  readonly progress: (progress: Progress) => void;
  /** Writes to the service's log; streaming callers see it too. */
  readonly log: (level: LogLevel, message: string, fields?: JsonObject) => void;
  /** Outbound HTTP, ended with the call. A network fault rejects with an {@link UpstreamError}. */
  readonly fetch: typeof fetch;
}

/** How a tool runs. The declaration's fields are for models and their clients; the rest is for this service. */
export interface ToolSettings {
  /** `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`: legal with every provider. Unique in a registry. */
  readonly name: string;
  /** For the model: what the tool does and when to use it. */
  readonly description: string;
  /** For people. */
  readonly title?: string;
  /** For choosing subsets: `GET /tools?tags=…`. */
  readonly tags?: readonly string[];
  /** Ask providers to enforce the schema, whatever the list asked for. */
  readonly strict?: boolean;
  /** Time limit of one call in whole milliseconds, 1 to 900000. @default 10000 */
  readonly timeoutMs?: number;
  /** Calls in flight at once in this process; others wait for a slot. @default unlimited */
  readonly concurrency?: number;
  /** The largest result, in bytes of UTF-8 JSON. @default 1048576 */
  readonly resultBytes?: number;
  /**
   * More attempts after a `tool_failed` or `upstream_failed` that is retryable, 0 to 5, with a pause that grows and
   * within `timeoutMs`. Only for a tool that is annotated `idempotent` or `readOnly`. @default 0
   */
  readonly retries?: number;
  /** `"inline"`: on the main thread. `"thread"`: in a worker thread, killed at the limit. @default "inline" */
  readonly isolation?: "inline" | "thread";
  /**
   * For `isolation: "thread"`: URL of the module that exports this tool as `tool`, such as `import.meta.url`. The
   * module is loaded in each thread too. A tool folder's is known without it.
   */
  readonly module?: string;
  readonly annotations?: ToolAnnotations;
  /** Names of environment variables; if one is unset, the tool is unavailable and not listed. @default [] */
  readonly requires?: readonly string[];
  /** The result is `{"content": […MCP content blocks…]}`. @default false */
  readonly contentBlocks?: boolean;
}

/** A tool as the registry takes it: plain JSON Schemas and one function. */
export interface Tool extends ToolSettings {
  /** JSON Schema of the arguments; its root is `type: "object"`, or a `$ref` to one of its own definitions that is. */
  readonly parameters: JsonSchema;
  /** JSON Schema of the result. @default any JSON value */
  readonly response?: JsonSchema;
  /** Returns the result or a promise of it; throws to fail. */
  execute(args: JsonObject, context: ToolContext): unknown;
}

type InputOf<S, Otherwise> = S extends StandardJsonSchema<infer Input> ? Input : Otherwise;

/** The input of `execute`: the output of the library's check, or the arguments as they were sent. */
type ArgumentsOf<P> =
  P extends StandardJsonSchema<infer Input, infer Output>
    ? P extends { readonly "~standard": { readonly validate: (value: unknown) => unknown } }
      ? Output
      : Input
    : JsonObject;

/** A tool as it is written: each schema is a JSON Schema, or any object that can turn itself into one. */
export interface ToolDefinition<P extends SchemaInput, R extends SchemaInput> extends ToolSettings {
  readonly parameters: P;
  readonly response?: R;
  execute(args: ArgumentsOf<P>, context: ToolContext): InputOf<R, unknown> | Promise<InputOf<R, unknown>>;
}

/**
 * Makes a tool. `parameters` and `response` are JSON Schemas or schemas of Zod 4.2 or later, Valibot, ArkType and any
 * other library that implements Standard JSON Schema; `execute` is then typed by them.
 *
 * Arguments are checked by the JSON Schema of the schema's input side first: a value of another type is refused, never
 * coerced. Then the library itself checks them, refinements included, and `execute` gets its output: defaults filled
 * in, transforms done, unknown keys as the library treats them. With a JSON Schema, arguments reach `execute` as they
 * were sent. A result is checked by the JSON Schema of `response` alone, as it is.
 * @throws TypeError if it is not a definition with a function; Error if a schema object cannot be turned into JSON
 * Schema
 * @example
 * ```ts
 * import { defineTool } from "toolhost";
 * import { z } from "zod";
 *
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   timeoutMs: 1000,
 *   execute: ({ a, b }) => ({ sum: a + b }),
 * });
 * ```
 */
export function defineTool<P extends SchemaInput, R extends SchemaInput = JsonSchema>(
  definition: ToolDefinition<P, R>,
): Tool {
  if (typeof definition !== "object" || definition === null || typeof definition.execute !== "function") {
    throw new TypeError(
      'defineTool takes an object with a function "execute": { name, description, parameters, execute }',
    );
  }
  const { parameters, response, ...settings } = definition;
  const args = readSchema(parameters);
  const result = response === undefined ? undefined : readSchema(response);
  // The registry checks the arguments against the schema that this type was inferred from.
  const execute = definition.execute.bind(definition) as Tool["execute"];
  return markTool(
    {
      ...settings,
      parameters: args.schema,
      ...(result !== undefined && { response: result.schema }),
      execute: args.validate === undefined ? execute : validateFirst(args.validate, execute),
    },
    args,
    result,
  );
}
