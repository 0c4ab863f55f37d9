import type { JsonObject } from "../json/object.ts";
import { closest } from "../schema/suggest.ts";
import { CallError } from "../errors/errors.ts";
import { notAvailable } from "../errors/not-available.ts";
import type { KnownTool } from "./registry/known-tool.ts";
import type { RegisteredTool } from "./registry/registered-tool.ts";
import type { Registry } from "./registry/registry.ts";

/** Who calls, and what it may do. One object for all the calls of a key or a token. */
export interface Caller {
  /** Who it is: the hash of a key, a token's issuer and subject, or `anonymous`. Never a secret. */
  readonly id: string;
  /** Its name in logs and events, such as a key's name. @default the id */
  readonly name?: string | undefined;
  /** Whether it may read metrics and the full status. @default false */
  readonly isOperator?: boolean | undefined;
  /** The tools that it may use; no others exist for it. @default every tool */
  readonly rights?: Rights | undefined;
  /** Its limit of calls. @default unlimited */
  readonly meter?: Meter | undefined;
  /**
   * The claims of its token, once they are verified. Never in logs. A caller without a token has none, and does not see
   * tools with an argument that is bound to a claim.
   */
  readonly claims?: Readonly<JsonObject> | undefined;
}

/** The tools that a caller may use. Callers with equal rights share lists, by `key`. */
export interface Rights {
  /** Equal for equal rights, and for no others. */
  readonly key: string;
  allows(entry: KnownTool): boolean;
}

/** Counts a caller's calls. */
export interface Meter {
  /** Counts one call. @returns 0, or the number of milliseconds until the next call is allowed */
  take(): number;
}

export const anonymous: Caller = { id: "anonymous", isOperator: true };

/** The name of a caller in logs and events. */
export function callerName(caller: Caller = anonymous): string {
  return caller.name ?? caller.id;
}

/** A caller, and the tools that it may use. */
interface Asking {
  readonly caller?: Caller | undefined;
  readonly only?: Names | undefined;
}

/** A set of names of tools. */
export type Names = Pick<ReadonlySet<string>, "has">;

/** The tool, if it exists for this caller: a tool that a caller may not use does not exist for it. */
export function findTool(registry: Registry, asked: Asking & { name: string }): RegisteredTool | undefined {
  const entry = registry.find(asked.name);
  return entry !== undefined && mayUse(entry, asked) ? entry : undefined;
}

/** The tool, if its source was never read and this caller may use a tool of its name. */
export function findUnread(registry: Registry, asked: Asking & { name: string }): KnownTool | undefined {
  const unread = registry.findUnread(asked.name);
  return unread !== undefined && mayUse(unread, asked) ? unread : undefined;
}

function mayUse(entry: KnownTool, { caller, only }: Asking): boolean {
  if (only !== undefined && !only.has(entry.tool.name)) return false;
  if (entry.binding !== undefined && !mayBeBound(entry, caller)) return false;
  return caller?.rights === undefined || caller.rights.allows(entry);
}

/** The tools that this caller may see, by name. */
export function listTools(registry: Registry, { caller, only }: Asking): readonly RegisteredTool[] {
  const all = caller?.claims === undefined ? withoutClaims(registry.list()) : registry.list();
  const rights = caller?.rights;
  if (rights === undefined && only === undefined) return all;
  return all.filter(
    (entry) => (only === undefined || only.has(entry.tool.name)) && (rights === undefined || rights.allows(entry)),
  );
}

/** Equal for callers that see the same tools, in one version of a registry. */
export function viewKey({ rights, claims }: Caller): string {
  return `${claims === undefined ? "" : "claims "}${rights?.key ?? ""}`;
}

function mayBeBound({ binding }: KnownTool, caller: Caller | undefined): boolean {
  return binding?.needsClaims !== true || caller?.claims !== undefined;
}

const lists = new WeakMap<readonly RegisteredTool[], readonly RegisteredTool[]>();

/** The tools of a list that callers without claims see. The list itself if they see all of it. */
function withoutClaims(all: readonly RegisteredTool[]): readonly RegisteredTool[] {
  const known = lists.get(all);
  if (known !== undefined) return known;
  const seen = all.filter((entry) => mayBeBound(entry, undefined));
  const list = seen.length === all.length ? all : seen;
  lists.set(all, list);
  return list;
}

/** @returns the error for a tool that does not exist for this caller, or of which that is not known yet */
export function missingTool(registry: Registry, asked: Asking & { name: string }): CallError {
  const unread = findUnread(registry, asked);
  if (unread?.unavailable !== undefined) return notAvailable(unread.unavailable);
  if (unread !== undefined) {
    const message = `The tools of the source "${unread.source}" are not known yet. Try again in a moment.`;
    return new CallError("unavailable", message, { retryAfterMs: 1000 });
  }
  const names = listTools(registry, asked).map((entry) => entry.tool.name);
  const suggestion = closest(asked.name, names);
  const hint = suggestion === undefined ? "Use one of the listed tools." : `Did you mean "${suggestion}"?`;
  const extras = suggestion === undefined ? {} : { suggestion };
  return new CallError("unknown_tool", `There is no tool with this name. ${hint}`, extras);
}
