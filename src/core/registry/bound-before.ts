import type { RegisteredTool } from "./registered-tool.ts";
import type { ToolOverrides } from "../../tool/overrides.ts";

/**
 * Which arguments were bound when tools were registered. A tool that loses one by a change of its own is not to run
 * without it; that stays so until the operator changes the overrides.
 */
export interface BoundBefore {
  of(name: string): ReadonlySet<string>;
  note(entry: RegisteredTool): void;
  /** Forgets all of it if the overrides are others. */
  forgetUnless(before: ToolOverrides, next: ToolOverrides | undefined): void;
}

const none: ReadonlySet<string> = new Set();

export function createBoundBefore(): BoundBefore {
  const known = new Map<string, ReadonlySet<string>>();
  return {
    of: (name) => known.get(name) ?? none,
    note({ tool, binding }) {
      if (binding === undefined) return;
      known.set(tool.name, new Set([...(known.get(tool.name) ?? none), ...binding.bound.keys()]));
    },
    forgetUnless(before, next = {}) {
      if (JSON.stringify(before) !== JSON.stringify(next)) known.clear();
    },
  };
}
