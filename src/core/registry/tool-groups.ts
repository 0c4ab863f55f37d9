import type { Tool } from "../../tool/tool.ts";
import { nameOf, readTool } from "../../tool/read-tool.ts";
import { reasonOf } from "../../errors/reason.ts";
import { alwaysReady, type Readiness } from "./readiness.ts";
import type { RegisteredTool, ToolTrust } from "./registered-tool.ts";

/** All tools of one source. */
export interface ToolGroup extends ToolTrust {
  readonly source: string;
  readonly tools: readonly Tool[];
  /**
   * If two sources have a tool with the same name, the source with the lower rank gets the name. @default after all
   * sources before it
   */
  readonly rank?: number;
  /** @default always ready */
  readonly readiness?: Readonly<Readiness>;
  /** The source was never read, and this is the beginning of the names of all its tools. */
  readonly unreadPrefix?: string | undefined;
}

/** A tool that is not registered, and why. */
export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

/** A tool of a group, read once. */
interface Member {
  readonly given: Tool;
  /** The version of the registry's settings when it was read. */
  readonly settings: number;
  readonly tool?: Tool;
  /** Registered, while the name belongs to it. */
  entry?: RegisteredTool | undefined;
  /** The reason why it cannot be registered, whichever source has the name. */
  fault?: string;
}

/** The properties that a source gives to each of its tools. */
interface Origin {
  readonly source: string;
  readonly trust: ToolTrust;
  readonly readiness: Readonly<Readiness>;
}

interface Group extends Origin {
  readonly rank: number;
  readonly unreadPrefix?: string | undefined;
  readonly members: readonly Member[];
}

export type Register = (given: Tool, tool: Tool, origin: Origin) => RegisteredTool;

/** The groups of all sources, and which tool each name belongs to. */
export interface ToolGroups {
  /**
   * Replaces the group of a source. An empty group is forgotten, unless its source was never read. A tool that is the same object is
   * not read and registered again.
   * @param settings changes with the registry's settings, which are part of what is registered
   */
  set(group: ToolGroup, settings: number): void;
  /** Adds one registered tool to a source of rank 0. */
  add(source: string, given: Tool, tool: Tool, entry: RegisteredTool, settings: number): void;
  /** Removes the tool that has the name. */
  remove(entry: RegisteredTool): void;
  /** Assigns every name, by rank. Only tools that get a name are registered; those that keep one do not change. */
  settle(register: Register): ReadonlyMap<string, RegisteredTool>;
  /** The tools of a source that the last `settle` left out. */
  skipped(source: string): readonly Skipped[];
  /** The source that may have a tool of this name and was never read. */
  unreadSourceOf(name: string): string | undefined;
}

export function createToolGroups(): ToolGroups {
  const groups = new Map<string, Group>();
  let skipped = new Map<string, Skipped[]>();
  const put = (group: Group): void => {
    if (group.members.length === 0 && group.unreadPrefix === undefined) groups.delete(group.source);
    else groups.set(group.source, group);
  };
  return {
    set({ source, tools, rank, readiness = alwaysReady, unreadPrefix, ...trust }, settings) {
      const before = groups.get(source);
      const isSame = before?.readiness === readiness && JSON.stringify(before.trust) === JSON.stringify(trust);
      const known = new Map(isSame ? before.members.map((member) => [member.given, member]) : []);
      const ranks = [...groups.values()].map((group) => group.rank);
      const ownRank = rank ?? groups.get(source)?.rank ?? Math.max(0, ...ranks) + 1;
      const members = tools.map((given) => {
        const member = known.get(given);
        return member !== undefined && isStill(member, settings) ? member : readMember(given, settings);
      });
      put({ source, rank: ownRank, trust, readiness, unreadPrefix, members });
    },
    add(source, given, tool, entry, settings) {
      const { rank = 0, trust = {}, readiness = alwaysReady, members = [] } = groups.get(source) ?? {};
      put({ source, rank, trust, readiness, members: [...members, { given, tool, entry, settings }] });
    },
    remove(entry) {
      const group = groups.get(entry.source);
      if (group !== undefined) put({ ...group, members: group.members.filter((member) => member.entry !== entry) });
    },
    settle(register) {
      const owners = new Map<string, RegisteredTool>();
      skipped = new Map();
      for (const group of [...groups.values()].sort((a, b) => a.rank - b.rank)) {
        for (const member of group.members) {
          const reason = settleMember(member, group, owners, register);
          if (reason === undefined) continue;
          member.entry = undefined;
          const left = skipped.get(group.source) ?? [];
          left.push({ name: nameOf(member.tool ?? member.given), reason });
          skipped.set(group.source, left);
        }
      }
      return owners;
    },
    skipped: (source) => skipped.get(source) ?? [],
    unreadSourceOf(name) {
      const isOf = ({ unreadPrefix }: Group): boolean => unreadPrefix !== undefined && name.startsWith(unreadPrefix);
      return [...groups.values()].find(isOf)?.source;
    },
  };
}

function readMember(given: Tool, settings: number): Member {
  try {
    return { given, settings, tool: readTool(given) };
  } catch (error) {
    return { given, settings, fault: reasonOf(error) ?? "it cannot be read" };
  }
}

/** Whether it could be registered. The environment may have other variables after a reload. */
function isStill({ entry, tool, settings }: Member, current: number): boolean {
  if (entry === undefined || tool === undefined || settings !== current) return false;
  return (tool.requires ?? []).length === 0;
}

/** @returns the reason why it does not get the name; undefined if it does */
function settleMember(
  member: Member,
  group: Group,
  owners: Map<string, RegisteredTool>,
  register: Register,
): string | undefined {
  const { given, tool, fault } = member;
  if (tool === undefined || fault !== undefined) return fault;
  const owner = owners.get(tool.name);
  if (owner !== undefined) return `the name is taken by the source "${owner.source}"`;
  try {
    member.entry ??= register(given, tool, group);
    owners.set(tool.name, member.entry);
    return undefined;
  } catch (error) {
    member.fault = reasonOf(error) ?? "it cannot be read";
    return member.fault;
  }
}
