import type { Bound } from "../../tool/overrides.ts";
import type { RegisteredTool } from "./registered-tool.ts";

/**
 * Which arguments were bound when tools were registered before. A tool that loses one by a change of its own must not run
 * without it, until the operator changes what is bound for that tool.
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
/** Sources may come and go with tools of ever new names. */
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
      // Written anew, it is the last to be forgotten.
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
