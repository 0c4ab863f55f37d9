import { Agent, Pool, type Dispatcher } from "undici";
import { type ConnectorOptions, createConnector } from "./connector.ts";
import type { EgressRules } from "./rules.ts";

export interface AgentOptions extends ConnectorOptions {
  /** Limit of one response, in encoded bytes. */
  readonly maxResponseBytes: number;
  /** How long the other side may be silent, before and during its response; 0 means no limit. */
  readonly idleTimeoutMs: number;
}

/** Servers that set many cookies and policies need more than Node's 16 KiB. */
const maxHeaderBytes = 32_768;

/**
 * Keeps connections per origin, each opened by a guarded connector. It ignores `HTTP_PROXY`: a proxy would resolve the
 * names, and the guard could not.
 *
 * Only this file and its imports load undici and ipaddr.js; `fetch.ts` imports it at the first request.
 */
export function createDispatcher(rules: EgressRules, options: AgentOptions): Dispatcher {
  return new Agent({
    factory: (origin, poolOptions) =>
      new Pool(origin, { ...poolOptions, connect: createConnector(new URL(origin), rules, options) }),
    headersTimeout: options.idleTimeoutMs,
    bodyTimeout: options.idleTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    maxResponseSize: options.maxResponseBytes,
  });
}
