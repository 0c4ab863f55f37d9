import type { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import type { CallRecord, ToolLogEntry } from "../../src/core/observer.ts";
import { type Call, createRegistry, createThreads, invoke, type Outcome, type Registry } from "../../src/index.ts";
import type { RegistryOptions, ThreadOptions, Tool } from "../../src/index.ts";

export interface ToolInThread {
  readonly registry: Registry;
  /** What was logged, by the tool and of its threads. */
  readonly log: ToolLogEntry[];
  /** The calls that are over. */
  readonly calls: CallRecord[];
  call(args?: object, call?: Partial<Call>): Promise<Outcome>;
}

/** A registry whose only tool is that of a fixture's module. Its threads end with the test. */
export async function toolInThread(
  fixture: string,
  fields: Partial<Tool> = {},
  threads: ThreadOptions = {},
  options: RegistryOptions = {},
): Promise<ToolInThread> {
  const module = new URL(`fixtures/${fixture}/tool.mjs`, import.meta.url).href;
  const { tool } = (await import(module)) as { tool: Tool };
  const log: ToolLogEntry[] = [];
  const calls: CallRecord[] = [];
  const onToolLog = (entry: ToolLogEntry): void => void log.push(entry);
  const registry = createRegistry({
    tools: [Object.assign(Object.create(tool) as Tool, { module, ...fields })],
    isolate: createThreads({ onOutput: onToolLog, ...threads }),
    observer: { onToolLog, onCall: (record) => void calls.push(record) },
    ...options,
  });
  const { name } = tool;
  onTestFinished(() => registry.remove(name));
  return {
    registry,
    log,
    calls,
    call: (args = {}, call = {}) => invoke(registry, { name, arguments: args, ...call }),
  };
}

/** Asks again and again until it is so. @throws Error if it is not so within 30 s: a thread of a busy machine gets little of it */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end;) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It was not so within 30 s.");
}

const threads = new Set<Worker>();
process.on("worker", (worker: Worker) => {
  threads.add(worker);
  worker.once("exit", () => threads.delete(worker));
});

/** How many worker threads this process has. */
export function countThreads(): number {
  return threads.size;
}
