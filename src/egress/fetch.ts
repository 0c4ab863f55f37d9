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
  /** Of one answer, before and after decoding. @default 10485760 */
  readonly maxResponseBytes?: number;
  /** For the lookup, the connection and TLS together. @default 5000 */
  readonly connectTimeoutMs?: number;
  /**
   * How long the other side may be silent, before and within its answer; 0 is no limit. A tool's fetch ends with its call
   * in any case. @default 0
   */
  readonly idleTimeoutMs?: number;
  /** When an origin that fails is left alone. */
  readonly breaker?: BreakerOptions;
  /** What is known of origins that fail, where that is to outlive this fetch. @default its own, by `breaker` */
  readonly breakers?: Breakers;
  /** How names become addresses. @default the system's resolver */
  readonly lookup?: LookupFunction;
}

const maxRedirects = 3;

/** A time limit shorter than this says more of its caller than of the origin that did not answer in time. */
const patienceMs = 2000;

/**
 * `context.fetch`, and how the service itself goes out: takes what the global fetch takes and gives a global Response,
 * but connects to public addresses only, unless the rules allow more; keeps to three redirects, which see no
 * credentials of another origin; bounds what it reads; and leaves alone an origin that fails again and again.
 * Each fetch made here has connections of its own, and breakers unless it is given some.
 *
 * It rejects with a CallError `egress_blocked` or `unavailable`, an UpstreamError for whatever the other side did wrong
 * (`ran: "no"` where it got nothing), or the signal's own reason. Nothing is sent twice.
 * @throws TypeError or RangeError where an option is none
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
    // undici takes 80 ms and 20 MB: only where something goes out.
    const { createDispatcher } = await import("./dispatcher.ts");
    return createDispatcher(rules, { maxResponseBytes, connectTimeoutMs, idleTimeoutMs, ...(lookup && { lookup }) });
  }

  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    signal?.throwIfAborted();
    // The signal is heeded below; a Request that follows it would cost more than the rest.
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

/** Sends where the breaker of the origin lets it, and tells it how that went. */
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

/** The time limit passed before an answer came, as opposed to a caller that left. */
function isOverdue(signal: AbortSignal | undefined, startedAt: number): boolean {
  const reason: unknown = signal?.aborted === true ? signal.reason : undefined;
  return (
    reason instanceof DOMException && reason.name === "TimeoutError" && performance.now() - startedAt >= patienceMs
  );
}

function refuseBadNumbers(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number from 0`);
  }
}
