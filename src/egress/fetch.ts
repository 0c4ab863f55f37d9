import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import { UpstreamError } from "../errors/errors.ts";
import { type BreakerOptions, type Breakers, createBreakers, type Verdict } from "./breaker.ts";
import { toOutgoing } from "./outgoing.ts";
import { badRedirect, followRedirect, redirectTarget } from "./redirect.ts";
import { toResponse } from "./response.ts";
import { type EgressOptions, readEgressRules } from "./rules.ts";
import { type UpstreamAnswer, send } from "./send.ts";

export interface OutboundFetchOptions extends EgressOptions {
  /** Limit of one response in bytes, both before and after decoding. @default 10485760 */
  readonly maxResponseBytes?: number;
  /** For the lookup, the connection and TLS together, in milliseconds. @default 5000 */
  readonly connectTimeoutMs?: number;
  /**
   * How long the other side may be silent, before and during its response, in milliseconds; 0 means no limit. A tool's
   * fetch ends with its call in any case.
   * @default 0
   */
  readonly idleTimeoutMs?: number;
  /** When a failing origin is no longer called. */
  readonly breaker?: BreakerOptions;
  /** The state of failing origins, if it must outlive this fetch. @default its own, by `breaker` */
  readonly breakers?: Breakers;
  /** Resolves names to addresses. @default the system's resolver */
  readonly lookup?: LookupFunction;
}

const maxRedirects = 3;

/** A shorter time limit is more likely too short than a sign that the origin is slow. */
const patienceMs = 2000;

/**
 * `context.fetch`, and the service's own outgoing requests. It takes the arguments of the global fetch and returns a
 * global Response. It connects only to public addresses unless the rules allow more. It follows at most three redirects
 * and sends no credentials to another origin. It limits what it reads, and stops calls to an origin that fails
 * repeatedly. Each fetch has its own connections, and its own breakers unless it is given some.
 *
 * It rejects with a CallError `egress_blocked` or `unavailable`, an UpstreamError for every failure of the other side
 * (`ran: "no"` if the other side received nothing), or the signal's own reason. Nothing is sent twice.
 * @throws TypeError or RangeError if an option is invalid
 * @example
 * ```ts
 * import { createOutboundFetch, createRegistry } from "toolhost";
 *
 * const fetch = createOutboundFetch({ allow: ["10.1.0.0/16", "internal.example:443"] });
 * const registry = createRegistry({ fetch }); // what tools get as `context.fetch`
 * ```
 */
export function createOutboundFetch(options: OutboundFetchOptions = {}): typeof fetch {
  const { maxResponseBytes = 10_485_760, connectTimeoutMs = 5000, idleTimeoutMs = 0, lookup } = options;
  refuseBadNumbers({ maxResponseBytes, connectTimeoutMs, idleTimeoutMs });
  const rules = readEgressRules(options);
  const breakers = options.breakers ?? createBreakers(options.breaker);
  let dispatcher: Promise<Dispatcher> | undefined;

  async function startDispatcher(): Promise<Dispatcher> {
    // undici takes 80 ms and 20 MB: loaded only if a request is sent.
    const { createDispatcher } = await import("./dispatcher.ts");
    return createDispatcher(rules, { maxResponseBytes, connectTimeoutMs, idleTimeoutMs, ...(lookup && { lookup }) });
  }

  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    signal?.throwIfAborted();
    // The signal is handled below; a Request that follows it would cost more than everything else.
    const asked = new Request(input, { ...init, signal: null });
    if (asked.integrity !== "") throw new TypeError("`integrity` is not supported here.");
    let request = await toOutgoing(asked, init, signal);

    for (let hops = 0; ; hops++) {
      const agent = await (dispatcher ??= startDispatcher());
      const answer = await guarded(breakers, request.url.origin, signal, () => send(agent, request, signal));
      const { status, headers, body } = answer;
      const location = redirectTarget(status, headers.get("location"));
      if (location === undefined || asked.redirect === "manual") {
        const url = request.url.href.replace(/#.*$/, "");
        return toResponse(answer, {
          url,
          redirected: hops > 0,
          method: request.method,
          maxBytes: maxResponseBytes,
          signal,
        });
      }
      body.destroy();
      if (asked.redirect === "error") throw badRedirect(status, "although redirects are not allowed");
      if (hops === maxRedirects) throw badRedirect(status, `more than ${maxRedirects} times`);
      request = followRedirect(request, status, location);
    }
  };
}

/** Sends if the breaker of the origin allows it, and reports the result to the breaker. */
async function guarded(
  breakers: Breakers,
  origin: string,
  signal: AbortSignal | undefined,
  attempt: () => Promise<UpstreamAnswer>,
): Promise<UpstreamAnswer> {
  const isTrial = breakers.enter(origin);
  const startedAt = performance.now();
  let verdict: Verdict = "unknown";
  try {
    const answer = await attempt();
    verdict = answer.status >= 500 ? "failed" : "well";
    return answer;
  } catch (error) {
    if (error instanceof UpstreamError || isOverdue(signal, startedAt)) verdict = "failed";
    throw error;
  } finally {
    breakers.leave(origin, verdict, isTrial);
  }
}

/** Whether the time limit passed before a response arrived, as opposed to a caller that left. */
function isOverdue(signal: AbortSignal | undefined, startedAt: number): boolean {
  const reason: unknown = signal?.aborted === true ? signal.reason : undefined;
  return (
    reason instanceof DOMException && reason.name === "TimeoutError" && performance.now() - startedAt >= patienceMs
  );
}

function refuseBadNumbers(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number of at least 0`);
  }
}
