import {
  createRegistry as createBareRegistry,
  type Observer,
  type Registry,
  type RegistryOptions,
} from "./core/registry.ts";
import { createOutboundFetch } from "./egress/fetch.ts";
import { createThreads } from "./isolation/threads.ts";

/**
 * A registry whose tools go out by the service's own `context.fetch`, to public addresses only, unless another is given:
 * `fetch: createOutboundFetch({ allow: [...] })` lets them reach more, `fetch: globalThis.fetch` everything. Those that ask
 * for a thread get one, whose way out is set by `isolate: createThreads({ egress })`.
 */
export function createRegistry(options: RegistryOptions = {}): Registry {
  const { fetch = createOutboundFetch(), isolate = createThreads(), observer = processWarnings } = options;
  return createBareRegistry({ ...options, fetch, isolate, observer });
}

/** Without an observer, what should be fixed in a tool is a warning of the process. */
const processWarnings: Observer = {
  onToolWarning: ({ name, message }) => process.emitWarning(`${name}: ${message}`, "ToolhostWarning"),
};
