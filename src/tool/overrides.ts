import { changeTool } from "./prepared-tool.ts";
import type { Tool, ToolAnnotations } from "./tool.ts";

/** What a bound argument is set to: a value, a claim of the caller's token, or the caller's session. */
export type BoundTo =
  | { readonly value: unknown }
  /** The name of a top-level claim, or a JSON Pointer into the claims, such as `/org/id`. */
  | { readonly claim: string }
  /**
   * The `Toolhost-Session` of the call. It is what the caller says it is: only for callers that are trusted with it.
   */
  | { readonly session: true };

/** An operator's settings for one tool, which override the tool's own. */
export interface ToolOverride {
  readonly description?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** Joined with the tool's own, member by member. They count for keys, retries and second runs. */
  readonly annotations?: ToolAnnotations;
  /**
   * Arguments that the caller does not choose, by name. They are in no declaration, and a call that sends one is
   * refused. `null` takes back what a shorter pattern binds.
   */
  readonly bind?: Readonly<Record<string, BoundTo | null>>;
  /** Whole milliseconds, 1 to 900000. */
  readonly timeoutMs?: number;
  readonly concurrency?: number;
  /** More attempts after a failure that may pass, 0 to 5; only for a tool that is idempotent or readOnly. */
  readonly retries?: number;
  /** `false`: the tool is known, but unavailable. @default true */
  readonly enabled?: boolean;
  /** Repair arguments if the call does not set it. @default false, but true for a model's reply */
  readonly repair?: boolean;
  /** A result that breaks `response` is refused, logged and passed on, or not checked at all. @default "enforce" */
  readonly response?: "enforce" | "warn" | "off";
}

/** By a tool's name, or by a pattern: the beginning of names with `*` at its end. */
export type ToolOverrides = Readonly<Record<string, ToolOverride>>;

/** The source of a bound argument, and the override that binds it. */
export interface Bound {
  /** `null`: a shorter pattern binds the argument and a longer one, or the tool's name, takes that back. */
  readonly to: BoundTo | null;
  /** The override names the tool in full, so the tool must have the argument. */
  readonly isByName: boolean;
}

/** All that is set for one tool. */
export interface ResolvedOverride extends Omit<ToolOverride, "bind"> {
  readonly bind: ReadonlyMap<string, Bound>;
}

/**
 * Joins the overrides that match a name, field by field: a longer pattern overrides a shorter one, and the full name
 * overrides every pattern. `annotations` and `bind` are joined member by member.
 * @param name of a tool, or a pattern, which stands for the tools that no longer pattern fits
 */
export function resolveOverride(overrides: ToolOverrides, name: string): ResolvedOverride {
  const bind = new Map<string, Bound>();
  let joined: Omit<ToolOverride, "bind"> = {};
  for (const key of keysFor(overrides, name)) {
    const { bind: ownBind = {}, ...own } = overrides[key]!;
    const set = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
    const annotations = own.annotations && { ...joined.annotations, ...own.annotations };
    joined = { ...joined, ...set, ...(annotations && { annotations }) };
    for (const [argument, to] of Object.entries(ownBind)) bind.set(argument, { to, isByName: key === name });
  }
  return { ...joined, bind };
}

/** The tool as it is listed: with the words and annotations that the operator sets. */
export function withOverride(tool: Tool, { description, title, tags, annotations }: ResolvedOverride): Tool {
  if (description === undefined && title === undefined && tags === undefined && annotations === undefined) return tool;
  return changeTool(tool, {
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    ...(tags !== undefined && { tags }),
    ...(annotations !== undefined && { annotations: { ...tool.annotations, ...annotations } }),
  });
}

/** The names and patterns of overrides that match no tool. `*` is not misspelt if there is no tool. */
export function unusedOverrides(overrides: ToolOverrides, names: readonly string[]): string[] {
  const known = new Set(names);
  return Object.keys(overrides).filter((key) =>
    isPattern(key) ? key !== "*" && !names.some((name) => name.startsWith(key.slice(0, -1))) : !known.has(key),
  );
}

/** An argument that an override binds and that none of its tools has. */
export interface UnusedBinding {
  readonly override: string;
  readonly argument: string;
}

/** The bindings of overrides that fit tools and bind an argument of none of them. */
export function unusedBindings(
  overrides: ToolOverrides,
  tools: readonly { readonly name: string; isBound(argument: string): boolean }[],
): UnusedBinding[] {
  return Object.entries(overrides).flatMap(([override, { bind = {} }]) => {
    const own = tools.filter(({ name }) => keysFor({ [override]: {} }, name).length > 0);
    const isUnused = (argument: string): boolean =>
      own.length > 0 &&
      own.every(
        ({ name, isBound }) => !isBound(argument) && resolveOverride(overrides, name).bind.get(argument)?.to !== null,
      );
    return Object.keys(bind)
      .filter((argument) => bind[argument] !== null && isUnused(argument))
      .map((argument) => ({ override, argument }));
  });
}

/** The general ones first. */
function keysFor(overrides: ToolOverrides, name: string): string[] {
  const patterns = Object.keys(overrides).filter((key) => isPattern(key) && name.startsWith(key.slice(0, -1)));
  const sorted = patterns.filter((key) => key !== name).sort((left, right) => left.length - right.length);
  return Object.hasOwn(overrides, name) ? [...sorted, name] : sorted;
}

function isPattern(key: string): boolean {
  return key.endsWith("*");
}
