import { Agent, Pool, type Dispatcher } from "undici";
import { type ConnectorOptions, createConnector } from "./connector.ts";
import type { EgressRules } from "./rules.ts";

export interface AgentOptions extends ConnectorOptions {
  /** Of one answer, as it comes over the wire. */
  readonly maxResponseBytes: number;
  /** How long the other side may be silent, before and within its answer; 0 is no limit. */
  readonly idleTimeoutMs: number;
}

/** Servers that set many cookies and policies need more than Node's 16 KiB. */
const maxHeaderBytes = 32_768;

/**
 * Connections kept per origin, each opened by a guarded connector. No proxy stands between, whatever `HTTP_PROXY` says:
 * a proxy would look up the names, and the guard could not.
 *
 * Here, and in what this file imports, undici and ipaddr.js are loaded; `fetch.ts` imports it with the first request.
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
