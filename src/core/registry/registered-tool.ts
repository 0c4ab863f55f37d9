import type { JsonObject } from "../../json/object.ts";
import { type Binding, bindTool } from "../../tool/bind-tool.ts";
import { withoutBoundIssues } from "../call/bound-issues.ts";
import { checkCount, checkRetries, checkTimeoutMs, checkTool } from "../../tool/check-tool.ts";
import { type Declaration, declare } from "../../tool/declaration.ts";
import { createGate, type Gate } from "../../async/gate.ts";
import { libraryMark } from "../../schema/library/mark.ts";
import { mentions } from "../../schema/fixed/fixed-properties.ts";
import type { LintFinding } from "../../schema/lint/lint.ts";
import { lintTool } from "../../tool/lint-tool.ts";
import { isPrepared } from "../../tool/prepared-tool.ts";
import { type ResolvedOverride, type ToolOverride, withOverride } from "../../tool/overrides.ts";
import { switchedOff } from "./known-tool.ts";
import type { Readiness } from "./readiness.ts";
import { numberTool } from "../call/current-tool.ts";
import type { Check } from "../../schema/check.ts";
import { planSpan, type SpanPlan } from "../call/span.ts";
import { checkParameters, checkResponse, deferParameters } from "../../tool/tool-checks.ts";
import type { Tool, ToolAnnotations, ToolContext } from "../../tool/tool.ts";

/** A tool with everything that a call needs, created once. */
export interface RegisteredTool {
  /** The tool as it is listed, with the operator's overrides. */
  readonly tool: Tool;
  readonly source: string;
  readonly declaration: Declaration;
  /**
   * The annotations that count for keys, retries and repeated runs; none of a source whose annotations are not trusted.
   */
  readonly annotations: ToolAnnotations;
  /** Of what a call may send. */
  readonly parameters: Check;
  /** The arguments that the caller does not choose. Absent if there are none. */
  readonly binding: Binding | undefined;
  /** Absent if any JSON value is allowed. */
  readonly response: Check | undefined;
  /** Probable misspellings, and types that its schema library cannot express. */
  readonly lint: readonly LintFinding[];
  /** A result that breaks `response` is logged and passed on. */
  readonly toleratesResults: boolean;
  readonly timeoutMs: number;
  readonly resultBytes: number;
  /** Whether running it twice is harmless: it is idempotent or readOnly. */
  readonly repeatable: boolean;
  /** Further attempts after a temporary failure; 0 if the tool is not repeatable. */
  readonly retries: number;
  /** Whether arguments are repaired if the call does not set it; undefined if the operator does not set it either. */
  readonly repair: boolean | undefined;
  readonly gate: Gate | undefined;
  readonly abandoned: AbandonedCalls;
  /** The reason why it cannot run now. Such a tool is known, but not listed. */
  readonly unavailable: string | undefined;
  readonly readiness: Readonly<Readiness>;
  readonly span: SpanPlan;
  /** Its number in {@link currentTool}. */
  readonly number: number;
  /** The place where it runs, if it is not inline. */
  readonly isolated: Executor | undefined;
  execute(args: JsonObject, context: ToolContext): unknown;
}

/** A tool that runs apart from the main thread. */
export interface Executor {
  /** How many calls it runs at once. */
  readonly concurrency: number;
  execute(args: JsonObject, context: ToolContext): Promise<unknown>;
  /** The tool was removed: running calls finish, and then its threads end. */
  close(): void;
}

/** The fields of a tool that its executor needs, with the defaults filled in. */
export interface ExecutorSettings {
  readonly repeatable: boolean;
  readonly resultBytes: number;
  /** Absent if it is unlimited. */
  readonly concurrency: number | undefined;
}

/** Creates the threads of one tool. @throws Error if the tool cannot run in a thread */
export type CreateExecutor = (tool: Tool, settings: ExecutorSettings) => Executor;

/** The state of a tool's calls that continue after their end. */
export interface AbandonedCalls {
  /** Calls that were stopped while the tool's promise was pending, which it still is. */
  count: number;
}

/** The trust in a source, and the settings for its tools. */
export interface ToolTrust {
  /** The settings that overrides can change. @default none */
  readonly defaults?: Pick<ToolOverride, "response" | "repair"> | undefined;
  /**
   * Its schemas are the operator's own: their size is not limited, and misspelt keywords are reported. @default true
   */
  readonly trusted?: boolean | undefined;
  /** Whether its annotations count for keys, retries and repeated runs. @default true */
  readonly trustsAnnotations?: boolean | undefined;
}

export interface RegisterOptions extends ToolTrust {
  /** The tool as its author wrote it. */
  readonly given: object;
  readonly source: string;
  readonly override: ResolvedOverride;
  readonly readiness: Readonly<Readiness>;
  /** The arguments that were bound the last time that the tool was registered. */
  readonly boundBefore: ReadonlySet<string>;
  /** Time limit of a tool that does not set one, in milliseconds. */
  readonly timeoutMs: number;
  /** Where `requires` looks. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs the tools with `isolation: "thread"`. */
  readonly isolate: CreateExecutor | undefined;
  /** The previous version of the tool: its running calls still count. */
  readonly before?: RegisteredTool | undefined;
}

/** The limit of any tool: a result is part of one string, and V8 allows no string over 512 Mi characters. */
const largestResultBytes = 268_435_456;

/**
 * @param tool as readTool gives it
 * @throws Error if the tool cannot be registered: an invalid schema or setting
 */
export function registerTool(tool: Tool, options: RegisterOptions): RegisteredTool {
  const { given, source, trusted = true, trustsAnnotations = true, defaults = {}, override, env } = options;
  const worded = withOverride(tool, override);
  // The operator's texts must follow the same rules as the author's.
  if (worded !== tool) checkTool(worded, given);
  const limit = checkTimeoutMs(override.timeoutMs ?? tool.timeoutMs ?? options.timeoutMs);
  const resultBytes = Math.min(tool.resultBytes ?? 1_048_576, largestResultBytes);
  const annotations = { ...(trustsAnnotations && tool.annotations), ...override.annotations };
  const repeatable = annotations.idempotent === true || annotations.readOnly === true;
  const slots = checkCount("concurrency", override.concurrency ?? tool.concurrency);
  const retries = checkRetries(override.retries ?? tool.retries) ?? 0;
  const unset = (tool.requires ?? []).filter((name) => !env[name]);
  const library = libraryMark(tool);
  const checkOptions = { trusted, formats: !library.validates };
  // A binding needs the schema, so a prepared tool must make it at once.
  const isDeferred = isPrepared(tool) && ![...override.bind.values()].some(({ to }) => to !== null);
  const own = isDeferred ? deferParameters(tool, checkOptions) : checkParameters(tool, checkOptions);
  const {
    tool: listed,
    binding,
    lint: bindLint,
  } = bindTool(worded, override.bind, own, options.boundBefore, checkOptions);
  const parameters = binding === undefined ? own : checkParameters(listed, checkOptions);
  const responseCheck = override.response ?? defaults.response;
  const response = responseCheck === "off" ? undefined : checkResponse(tool, { trusted });
  // The operator cannot correct foreign schemas, and there may be many.
  const lint = trusted ? [...lintTool(given, tool), ...library.open, ...lintRetries(retries, repeatable)] : [];
  // Last: a tool that is refused above must not leave threads behind.
  const isolated =
    tool.isolation === "thread"
      ? isolateTool(tool, options.isolate, { repeatable, resultBytes, concurrency: slots })
      : undefined;
  const { gate, abandoned } = keepCounting(options.before, tool.module, slots ?? isolated?.concurrency);
  const execute = isolated?.execute ?? tool.execute;
  let declaration: Declaration | undefined;
  return {
    tool: listed,
    source,
    annotations,
    get declaration() {
      declaration ??= declare(listed, source, limit);
      return declaration;
    },
    parameters,
    binding,
    response,
    lint: [...withoutBound(lint, binding), ...bindLint],
    toleratesResults: responseCheck === "warn",
    timeoutMs: limit,
    resultBytes,
    repeatable,
    retries: repeatable ? retries : 0,
    repair: override.repair ?? defaults.repair,
    gate,
    abandoned,
    unavailable:
      override.enabled === false
        ? switchedOff
        : unset.length === 0
          ? undefined
          : `the environment variable ${unset.join(", ")} is not set`,
    readiness: options.readiness,
    span: planSpan(tool.name),
    number: numberTool(tool.name),
    isolated,
    execute: binding === undefined || !library.validates ? execute : withoutBoundIssues(binding, execute),
  };
}

/** Such a tool runs once per call, because a second run may do harm. */
function lintRetries(retries: number, repeatable: boolean): LintFinding[] {
  if (repeatable || retries === 0) return [];
  const message = '"retries" has no effect unless annotations.idempotent or annotations.readOnly is true';
  return [{ path: "/retries", message }];
}

/** Callers that list tools must not learn the names of bound arguments, and warnings may be copied. */
function withoutBound(lint: readonly LintFinding[], binding: Binding | undefined): readonly LintFinding[] {
  if (binding === undefined) return lint;
  return lint.filter(({ path, message }) => !mentions(binding.bound, `${path} ${message}`));
}

function isolateTool(tool: Tool, isolate: CreateExecutor | undefined, settings: ExecutorSettings): Executor {
  if (isolate === undefined)
    throw new Error('isolation "thread" needs the option "isolate" of the registry, which is not set');
  return isolate(tool, settings);
}

/**
 * Running calls of a reloaded tool keep their slots, whatever the new limit is. Calls that began without a limit have
 * no slot.
 */
function keepCounting(
  before: RegisteredTool | undefined,
  module: string | undefined,
  concurrency: number | undefined,
): Pick<RegisteredTool, "gate" | "abandoned"> {
  // Its abandoned calls may end in another version of its module.
  const abandoned = before !== undefined && before.tool.module === module ? before.abandoned : { count: 0 };
  const gate = before?.gate ?? (concurrency === undefined ? undefined : createGate(concurrency));
  gate?.resize(concurrency ?? Infinity);
  return { gate, abandoned };
}
