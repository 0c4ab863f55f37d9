import type { Bound } from "../../tool/overrides.ts";
import type { RegisteredTool } from "./registered-tool.ts";

/**
 * The arguments that were bound when tools were registered before. A tool that changes and no longer has such an
 * argument must not run without it, until the operator changes the bindings of the tool.
 */
export interface BoundBefore {
  /** @param bind what the overrides bind for the tool now */
  of(name: string, bind: ReadonlyMap<string, Bound>): ReadonlySet<string>;
  note(entry: RegisteredTool, bind: ReadonlyMap<string, Bound>): void;
}

interface Known {
  /** What the overrides bound then, as JSON. */
  readonly bind: string;
  readonly names: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();
/** Sources may appear and disappear with tools of always new names. */
const maxTools = 10_000;

export function createBoundBefore(): BoundBefore {
  const known = new Map<string, Known>();
  const namesOf = (name: string, bind: string): ReadonlySet<string> => {
    const before = known.get(name);
    return before?.bind === bind ? before.names : none;
  };
  return {
    of: (name, bind) => namesOf(name, toText(bind)),
    note({ tool: { name }, binding }, bind) {
      if (binding === undefined) return;
      const text = toText(bind);
      const names = new Set([...namesOf(name, text), ...binding.bound.keys()]);
      // Inserted again, so that it is forgotten last.
      known.delete(name);
      known.set(name, { bind: text, names });
      const [oldest] = known.keys();
      if (known.size > maxTools && oldest !== undefined) known.delete(oldest);
    },
  };
}

function toText(bind: ReadonlyMap<string, Bound>): string {
  return JSON.stringify([...bind]);
}
