import type { Observer } from "./core/observer.ts";
import type { CreateExecutor } from "./core/registry/registered-tool.ts";
import {
  createRegistry as createBareRegistry,
  type Registry,
  type RegistryOptions as BareRegistryOptions,
} from "./core/registry/registry.ts";
import { refuseUnknownOptions } from "./errors/known-options.ts";
import { createOutboundFetch } from "./egress/fetch.ts";
import { createThreads } from "./isolation/threads.ts";
import { createProcessWarnings } from "./process-warnings.ts";

export interface RegistryOptions extends Omit<BareRegistryOptions, "fetch" | "isolate" | "observer"> {
  /**
   * What `context.fetch` uses: `createOutboundFetch({ allow: [...] })` reaches more, `globalThis.fetch` everything.
   * @default createOutboundFetch(), which reaches public addresses only
   */
  readonly fetch?: typeof fetch;
  /**
   * Runs the tools with `isolation: "thread"`; `createThreads({ egress })` sets what they may reach.
   * @default createThreads()
   */
  readonly isolate?: CreateExecutor;
  /** Receives calls and the logs of tools. @default errors and problems of tools become process warnings */
  readonly observer?: Observer;
}

const knownOptions: Record<keyof RegistryOptions, true> = {
  tools: true,
  overrides: true,
  callsInFlight: true,
  queueMs: true,
  timeoutMs: true,
  env: true,
  fetch: true,
  isolate: true,
  observer: true,
};

/**
 * A registry of tools, to be given to `invoke`, `createApp` or `createAgent`.
 * @throws TypeError if the options are not an object; Error for a tool that cannot be registered, or a limit that is
 * not a number
 * @example
 * ```ts
 * import { createRegistry, defineTool } from "toolhost";
 *
 * const now = defineTool({
 *   name: "now",
 *   description: "Returns the time, in UTC.",
 *   parameters: { type: "object" },
 *   execute: () => new Date().toISOString(),
 * });
 * const registry = createRegistry({ tools: [now], timeoutMs: 5000, callsInFlight: 100 });
 * ```
 */
export function createRegistry(options: RegistryOptions = {}): Registry {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError("createRegistry takes an object of options: createRegistry({ tools: [ … ] })");
  }
  refuseUnknownOptions("createRegistry", knownOptions, options, { tool: "tools", timeout: "timeoutMs" });
  if (options.tools !== undefined && !Array.isArray(options.tools)) {
    throw new TypeError("tools must be an array: createRegistry({ tools: [ … ] })");
  }
  const { fetch = createOutboundFetch(), isolate = createThreads(), observer = createProcessWarnings() } = options;
  return createBareRegistry({ ...options, fetch, isolate, observer });
}
