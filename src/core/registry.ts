import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical.ts";
import { createGate, type Gate } from "./gate.ts";
import type { ErrorCode } from "./errors.ts";
import type { JsonObject, JsonSchema } from "./json-schema.ts";
import { type Check, createCheck } from "./schema.ts";
import { planSpan, type SpanPlan } from "./span.ts";
import { type LogLevel, type Tool, type ToolAnnotations, toJsonSchema } from "./tool.ts";

/** What is told of a tool to those who list it. */
export interface Declaration {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly response: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly tags?: readonly string[];
  readonly timeoutMs: number;
  readonly source: string;
  /** `sha256:` of the RFC 8785 form of name, description, parameters and response. */
  readonly hash: string;
}

/** A tool with everything that a call needs, made ready once. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly source: string;
  readonly declaration: Declaration;
  readonly parameters: Check;
  /** Absent where any JSON value will do. */
  readonly response: Check | undefined;
  readonly timeoutMs: number;
  readonly resultBytes: number;
  /** Running it twice does no harm: it is idempotent or readOnly. */
  readonly safe: boolean;
  readonly gate: Gate | undefined;
  /** Why it cannot run now. Such a tool is known, but not listed. */
  readonly unavailable: string | undefined;
  readonly span: SpanPlan;
}

export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

/** One call that has ended. Never holds arguments or results. */
export interface CallRecord {
  readonly callId: string;
  readonly tool: string;
  readonly source: string;
  readonly caller: string;
  readonly code: "ok" | ErrorCode;
  readonly ms: number;
  /** What went wrong inside, for the log alone. */
  readonly cause?: unknown;
}

export interface ToolLogEntry {
  readonly callId: string;
  readonly tool: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: JsonObject;
}

/** Who wants to know what happens. */
export interface Observer {
  onCall?(record: CallRecord): void;
  onToolLog?(entry: ToolLogEntry): void;
}

export interface RegistryOptions {
  /** Tools of one's own, under the source `local`. @throws on a tool that cannot be registered */
  readonly tools?: readonly Tool[];
  /** Time limit of tools that name none, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
  /** How long a call waits for a slot of its tool's `concurrency`, in milliseconds; 0 is not at all. @default 1000 */
  readonly queueMs?: number;
  /** Where `requires` looks. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What `context.fetch` uses. @default the global fetch */
  readonly fetch?: typeof fetch;
  readonly observer?: Observer;
}

export interface Registry {
  /** Changes whenever the tools do. */
  readonly version: number;
  readonly queueMs: number;
  readonly fetch: typeof fetch;
  readonly observer: Observer;
  /** @throws Error where the tool cannot be registered: a bad schema, a name that is taken */
  add(tool: Tool): void;
  remove(name: string): void;
  /** Puts these tools in place of all that the source had, at once. Those that cannot be registered are left out alone. */
  replace(source: string, tools: readonly Tool[]): Skipped[];
  find(name: string): RegisteredTool | undefined;
  /** The tools that can run, by name. */
  list(): readonly RegisteredTool[];
  /** The tools that are known and cannot run, by name. */
  unavailable(): readonly Skipped[];
}

const localSource = "local";

export function createRegistry(options: RegistryOptions = {}): Registry {
  const { queueMs = 1000, env = process.env, fetch = globalThis.fetch, observer = {} } = options;
  const timeoutMs = checkTimeoutMs(options.timeoutMs ?? 10_000);
  if (!(queueMs >= 0)) throw new Error(`queueMs must be a number of at least 0, got ${queueMs}`);
  let entries = new Map<string, RegisteredTool>();
  let listed: readonly RegisteredTool[] | undefined;
  let version = 0;

  const registry: Registry = {
    get version() {
      return version;
    },
    queueMs,
    fetch,
    observer,
    add(tool) {
      if (entries.has(tool.name)) throw new Error(`the name ${tool.name} is taken`);
      change(new Map(entries).set(tool.name, register(tool, localSource)));
    },
    remove(name) {
      const rest = new Map(entries);
      if (rest.delete(name)) change(rest);
    },
    replace(source, tools) {
      const next = new Map([...entries].filter(([, entry]) => entry.source !== source));
      const skipped: Skipped[] = [];
      for (const tool of tools) {
        try {
          if (typeof tool !== "object" || tool === null) throw new Error("it is no tool");
          const taken = next.get(tool.name);
          if (taken !== undefined) throw new Error(`the name is taken by the source ${taken.source}`);
          next.set(tool.name, register(tool, source));
        } catch (error) {
          skipped.push({ name: String(tool?.name), reason: error instanceof Error ? error.message : String(error) });
        }
      }
      change(next);
      return skipped;
    },
    find: (name) => entries.get(name),
    list() {
      listed ??= sortByName([...entries.values()].filter((entry) => entry.unavailable === undefined));
      return listed;
    },
    unavailable() {
      const known = sortByName([...entries.values()].filter((entry) => entry.unavailable !== undefined));
      return known.map(({ tool, unavailable }) => ({ name: tool.name, reason: unavailable ?? "" }));
    },
  };
  for (const tool of options.tools ?? []) registry.add(tool);
  return registry;

  function change(next: Map<string, RegisteredTool>): void {
    entries = next;
    listed = undefined;
    version++;
  }

  function register(given: Tool, source: string): RegisteredTool {
    const tool = withJsonSchemas(given);
    checkSettings(tool);
    const limit = tool.timeoutMs ?? timeoutMs;
    const unset = (tool.requires ?? []).filter((name) => !env[name]);
    let declaration: Declaration | undefined;
    return {
      tool,
      source,
      get declaration() {
        declaration ??= declare(tool, source, limit);
        return declaration;
      },
      parameters: checkSchema("parameters", tool.parameters),
      response: tool.response === undefined ? undefined : checkSchema("response", tool.response),
      timeoutMs: limit,
      resultBytes: tool.resultBytes ?? 1_048_576,
      safe: tool.annotations?.idempotent === true || tool.annotations?.readOnly === true,
      gate: tool.concurrency === undefined ? undefined : createGate(tool.concurrency),
      unavailable: unset.length === 0 ? undefined : `the environment variable ${unset.join(", ")} is not set`,
      span: planSpan(tool.name),
    };
  }
}

/** The tool with JSON Schemas in place of schema objects of a library, which a folder's module may hold too. */
function withJsonSchemas(tool: Tool): Tool {
  const parameters = tool.parameters === undefined ? undefined : toJsonSchema(tool.parameters);
  const response = tool.response === undefined ? undefined : toJsonSchema(tool.response);
  if (parameters === tool.parameters && response === tool.response) return tool;
  return Object.assign(Object.create(tool) as Tool, { parameters, response });
}

function sortByName(entries: RegisteredTool[]): RegisteredTool[] {
  return entries.sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}

function declare(tool: Tool, source: string, timeoutMs: number): Declaration {
  const { name, title, description, parameters, response = {}, annotations, tags } = tool;
  const identity = canonicalJson({ name, description, parameters, response });
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    parameters,
    response,
    ...(annotations !== undefined && { annotations }),
    ...(tags !== undefined && { tags }),
    timeoutMs,
    source,
    hash: `sha256:${createHash("sha256").update(identity).digest("hex")}`,
  };
}

function checkSettings(tool: Tool): void {
  if (typeof tool.name !== "string" || !/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(tool.name)) {
    throw new Error("the name must be 1 to 64 of a-z, A-Z, 0-9, _ and -, and start with a letter or _");
  }
  if (typeof tool.description !== "string" || tool.description.trim() === "") throw new Error("it has no description");
  if (typeof tool.execute !== "function") throw new Error("execute is no function");
  checkTypes(tool);
  if (tool.timeoutMs !== undefined) checkTimeoutMs(tool.timeoutMs);
  if ("isolation" in tool && tool.isolation !== undefined && tool.isolation !== "inline") {
    throw new Error("isolation must be inline: this version runs no tool in a thread of its own");
  }
  checkCount("concurrency", tool.concurrency);
  checkCount("resultBytes", tool.resultBytes);
  if (tool.parameters === undefined)
    throw new Error("it has no parameters: neither in the module nor in parameters.json");
  if (typeof tool.parameters !== "object" || tool.parameters === null || tool.parameters["type"] !== "object") {
    throw new Error('parameters: the root must have type "object"');
  }
}

function checkTypes({ title, tags, requires, annotations, strict, contentBlocks }: Tool): void {
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");
  if (title !== undefined && typeof title !== "string") throw new Error("title is no string");
  if (tags !== undefined && !isList(tags)) throw new Error("tags is no list of strings");
  if (requires !== undefined && !isList(requires)) throw new Error("requires is no list of strings");
  const isSet = typeof annotations === "object" && annotations !== null && !Array.isArray(annotations);
  if (annotations !== undefined && !(isSet && Object.values(annotations).every(isSwitch))) {
    throw new Error("annotations is no object of booleans");
  }
  if (!isSwitch(strict) || !isSwitch(contentBlocks)) throw new Error("strict and contentBlocks are booleans");
}

function isSwitch(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}

function checkTimeoutMs(timeoutMs: number): number {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= 900_000) return timeoutMs;
  throw new Error(`timeoutMs must be a whole number from 1 to 900000, got ${timeoutMs}`);
}

function checkCount(name: string, count: number | undefined): void {
  if (count === undefined || (Number.isSafeInteger(count) && count >= 1)) return;
  throw new Error(`${name} must be a whole number of at least 1, got ${count}`);
}

function checkSchema(name: string, schema: JsonSchema): Check {
  try {
    return createCheck(schema);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
