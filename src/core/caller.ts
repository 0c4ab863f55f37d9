import { closest } from "../schema/suggest.ts";
import { CallError } from "./errors.ts";
import type { RegisteredTool } from "./registry/registered-tool.ts";
import type { Registry } from "./registry/registry.ts";

/** Who calls, and what it may do. One object for all the calls of a key or a token. */
export interface Caller {
  /** Who it is: the hash of a key, a token's issuer and subject, or `anonymous`. Never a secret. */
  readonly id: string;
  /** What logs and events call it: a key's name, for example. @default the id */
  readonly name?: string | undefined;
  /** It sees metrics and all of the status. @default false */
  readonly isOperator?: boolean | undefined;
  /** What it may use; to it there are no other tools. @default every tool */
  readonly rights?: Rights | undefined;
  /** How many calls it may make. @default any number */
  readonly meter?: Meter | undefined;
}

/** The tools that a caller may use. Callers with equal rights share lists, by `key`. */
export interface Rights {
  /** Equal for equal rights, and for no others. */
  readonly key: string;
  allows(entry: RegisteredTool): boolean;
}

/** Counts a caller's calls. */
export interface Meter {
  /** Takes one call off the allowance. @returns 0, or after how many milliseconds the next call will be allowed */
  take(): number;
}

export const anonymous: Caller = { id: "anonymous", isOperator: true };

/** What logs and events call a caller. */
export function callerName(caller: Caller = anonymous): string {
  return caller.name ?? caller.id;
}

/** Who asks, and for which of the tools. */
interface Asking {
  readonly caller?: Caller | undefined;
  readonly only?: ReadonlySet<string> | undefined;
}

/** The tool, where it exists for this caller: what a caller may not use does not exist for it. */
export function findTool(
  registry: Registry,
  { name, caller, only }: Asking & { name: string },
): RegisteredTool | undefined {
  const entry = registry.find(name);
  if (entry === undefined || (only !== undefined && !only.has(name))) return undefined;
  return caller?.rights === undefined || caller.rights.allows(entry) ? entry : undefined;
}

/** The tools that this caller may see, by name. */
export function listTools(registry: Registry, { caller, only }: Asking): readonly RegisteredTool[] {
  const rights = caller?.rights;
  if (rights === undefined && only === undefined) return registry.list();
  return registry
    .list()
    .filter(
      (entry) => (only === undefined || only.has(entry.tool.name)) && (rights === undefined || rights.allows(entry)),
    );
}

/** @returns the error for a tool that does not exist, or does not exist for this caller */
export function unknownTool(registry: Registry, asked: Asking & { name: string }): CallError {
  const names = listTools(registry, asked).map((entry) => entry.tool.name);
  const suggestion = closest(asked.name, names);
  const hint = suggestion === undefined ? "Use one of the listed tools." : `Did you mean ${suggestion}?`;
  const extras = suggestion === undefined ? {} : { suggestion };
  return new CallError("unknown_tool", `There is no tool of this name. ${hint}`, extras);
}
