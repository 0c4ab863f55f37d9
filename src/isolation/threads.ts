import { availableParallelism } from "node:os";
import type { ToolLogEntry } from "../core/observer.ts";
import type { CreateExecutor } from "../core/registry/registered-tool.ts";
import type { EgressOptions } from "../egress/rules.ts";
import { createHeapWatch } from "./heap-watch.ts";
import { createThreadPool } from "./thread-pool.ts";
import { parseUrl } from "../net/parse-url.ts";

export interface ThreadOptions {
  /** What `context.fetch` may reach. @default public addresses */
  readonly egress?: EgressOptions;
  /** Limit of a thread's heap, in MiB. Buffers are not included. @default 128 */
  readonly heapMb?: number;
  /** How long a thread beyond a tool's first is kept without work, in milliseconds. @default 30000 */
  readonly idleMs?: number;
  /** Receives what tools write to stdout and stderr, and reports of threads that end between calls. @default ignored */
  readonly onOutput?: (entry: ToolLogEntry) => void;
}

/**
 * Runs tools in worker threads, each tool in its own threads. They isolate faults and are not a sandbox: see
 * SECURITY.md.
 * @example
 * ```ts
 * import { createRegistry, createThreads } from "toolhost";
 *
 * const registry = createRegistry({ isolate: createThreads({ heapMb: 256, idleMs: 60_000 }) });
 * ```
 */
export function createThreads(options: ThreadOptions = {}): CreateExecutor {
  const { egress = {}, heapMb = 128, idleMs = 30_000, onOutput = () => undefined } = options;
  const heap = createHeapWatch(heapMb * 1_048_576);
  // A second call gets a thread even on one processor: most calls wait for something.
  const parallel = Math.max(2, availableParallelism());
  return ({ name, module }, { repeatable, resultBytes, concurrency = parallel }) => {
    if (typeof module !== "string" || parseUrl(module) === undefined) {
      throw new Error(
        'isolation "thread" needs "module", the URL of the module that exports the tool, such as import.meta.url',
      );
    }
    return createThreadPool({ name, module, repeatable, resultBytes, egress }, { concurrency, idleMs, heap, onOutput });
  };
}
