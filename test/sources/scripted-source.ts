import type { Skipped } from "../../src/core/registry/tool-groups.ts";
import { type Source, SourceError, type SourceListener } from "../../src/core/source.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { toolOf } from "../core/one-tool.ts";

/** A remote server of tools as a test scripts it, and the sources that read it. */
export interface ScriptedServer {
  /** What the next reads find. */
  tools: readonly Tool[];
  skipped: readonly Skipped[];
  /** How reads go. `hangs`: until `mend`. `deaf`: without end, whatever their signal says. */
  mode: "answers" | "fails" | "hangs" | "deaf";
  delayMs: number;
  isIncomplete: boolean;
  reads: number;
  readsAtOnce: number;
  mostReadsAtOnce: number;
  closes: number;
  /** Reads answer again, and those that hang do. */
  mend(): void;
  /** The server says that its tools changed. */
  notify(): void;
  /** The connection is lost. */
  drop(): void;
  open(options?: Partial<Pick<Source, "name" | "isLocal" | "trust" | "toolPrefix">>): Source;
}

export function scriptedServer(...names: string[]): ScriptedServer {
  const listeners = new Set<SourceListener>();
  const hanging = new Set<() => void>();
  const server: ScriptedServer = {
    tools: [],
    skipped: [],
    mode: "answers",
    delayMs: 0,
    isIncomplete: false,
    reads: 0,
    readsAtOnce: 0,
    mostReadsAtOnce: 0,
    closes: 0,
    mend() {
      server.mode = "answers";
      for (const wake of hanging) wake();
      hanging.clear();
    },
    notify() {
      for (const listener of listeners) listener.changed();
    },
    drop() {
      for (const listener of listeners) listener.dropped("the connection was lost");
    },
    open({ name = "remote", ...fixed } = {}) {
      let listener: SourceListener | undefined;
      let isClosed = false;
      return {
        name,
        kind: "scripted",
        trust: { trusted: true, trustsAnnotations: true },
        ...fixed,
        async read(signal) {
          server.reads++;
          server.mostReadsAtOnce = Math.max(server.mostReadsAtOnce, ++server.readsAtOnce);
          try {
            if (server.mode === "deaf") await new Promise(() => undefined);
            if (server.delayMs > 0) await pause(server.delayMs, signal);
            if (server.mode === "hangs") await pause(3_600_000, signal, (wake) => hanging.add(wake));
            signal.throwIfAborted();
            if (server.mode === "fails") throw new SourceError("the server does not answer");
            const { tools, skipped, isIncomplete } = server;
            return { tools, skipped, warnings: [], isIncomplete };
          } finally {
            server.readsAtOnce--;
          }
        },
        watch(given) {
          listener = given;
          listeners.add(given);
        },
        async close() {
          if (isClosed) return;
          isClosed = true;
          server.closes++;
          if (listener !== undefined) listeners.delete(listener);
        },
      };
    },
  };
  server.tools = names.map((name) => remoteTool(name));
  return server;
}

/** A tool that returns a text after `ms` of its arguments. */
export function remoteTool(name: string, text = name): Tool {
  return toolOf({ name, execute: ({ ms }) => (typeof ms === "number" ? pause(ms).then(() => text) : text) });
}

/** By the global clock, which tests may replace. @param onWait gets what ends it early */
function pause(ms: number, signal?: AbortSignal, onWait?: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
    onWait?.(end);
  });
}
