import { randomBytes } from "node:crypto";
import { now } from "../async/deadline.ts";
import type { SourceContext } from "../core/source-context.ts";
import type { SourceStatus } from "../core/source.ts";
import type { Registry } from "../core/registry/registry.ts";
import { createMeter } from "../access/rate.ts";
import { unauthorized } from "../access/refused-credential.ts";
import type { Meter } from "../core/caller.ts";
import { CallError } from "../errors/errors.ts";
import type { AnswerTaker } from "./answers.ts";
import { bounds } from "./bounds.ts";
import { createDispatch, type Dispatch } from "./dispatch.ts";
import { unknownWorker } from "./failures.ts";
import type { Offer } from "./offer.ts";
import { makeTool, type OfferedTool } from "./offered-tool.ts";
import { createOffers, type ToolState } from "./offers.ts";
import { readTools } from "./read-tools.ts";
import { readRegistration } from "./registration.ts";
import { describeWorkers } from "./status.ts";
import { createTokens, type TokenRights, type WorkerToken, type WorkerTokens } from "./tokens.ts";
import { createWorker, type Worker } from "./worker.ts";

export interface WorkersOptions {
  readonly registry: Registry;
  /** Whether a name belongs to a source of the configuration, or is reserved. */
  readonly isSourceName: (name: string) => boolean;
  /** Called when workers came or went, with the names of their sources. @default nothing */
  readonly onChange?: (sources: ReadonlySet<string>) => void;
  /** How long a worker counts as alive after its last request, in milliseconds. @default 30000 */
  readonly leaseMs?: number;
}

/** The answer to a registration. */
export interface Registered {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly tools: readonly ToolState[];
}

/** How many answers came after the end of their call, and for calls that the worker was not given. */
export type DroppedAnswers = AnswerTaker["dropped"];

/** The workers of a service. They outlive a configuration. */
export interface Workers {
  readonly authenticate: WorkerTokens["authenticate"];
  readonly dispatch: Dispatch;
  /** @throws CallError `bad_request`, `forbidden`, `rate_limited`, `body_too_large`, as a rejection */
  register(tokenId: string, body: unknown): Promise<Registered>;
  /** The worker with this id, whose lease is renewed. @throws CallError `not_found` if the token has none */
  find(tokenId: string, id: string): Worker;
  /** The worker gets no more calls; it may answer those that run. */
  leave(worker: Worker): void;
  /**
   * Takes over the tokens of another configuration. Workers whose token is gone are dropped; those whose rights changed
   * must register again.
   */
  configure(tokens: readonly WorkerToken[]): void;
  /** One source for each name of workers that has tools. */
  status(): SourceStatus[];
  /** Answers that had no effect, by the reason. */
  readonly dropped: DroppedAnswers;
}

const defaultLeaseMs = 30_000;
/** How many times in a lease it is looked for leases that ended. */
const sweepsPerLease = 60;

export function createWorkers(options: WorkersOptions): Workers {
  const { registry, isSourceName, onChange = () => undefined, leaseMs = defaultLeaseMs } = options;
  const workers = new Map<string, Worker>();
  const offers = createOffers(registry);
  const meters = new Map<string, Meter>();
  let tokens = createTokens([]);
  let sweeper: NodeJS.Timeout | undefined;

  const dispatch = createDispatch(({ tool: { name } }) => {
    const entry = registry.find(name);
    return entry?.repeatable === true && offers.owners().includes(entry.source);
  });
  const makeOffer = (offered: OfferedTool): Offer => {
    const execute = (args: Parameters<Dispatch["start"]>[1], context: SourceContext): unknown =>
      dispatch.start(offer, args, context);
    const { key, trustsAnnotations } = offered;
    const made = makeTool(offered, execute as Offer["tool"]["execute"]);
    const offer: Offer = { key, trustsAnnotations, ...made, shares: new Set(), waiting: new Set() };
    return offer;
  };
  /** Once for all workers that went together: it looks at the tools of all others too. */
  const gone = (names: ReadonlySet<string>): void => {
    if (names.size === 0) return;
    offers.publish();
    onChange(names);
  };
  const leave = (worker: Worker): void => {
    worker.isLeaving = true;
    worker.hasLease = false;
    dispatch.withdraw(worker);
    // It brings no more calls: a worker that must register again learns so now.
    worker.poll?.answer();
    forget(worker);
  };
  /** Once its last call is over. */
  const forget = (worker: Worker): void => {
    if (worker.calls.size > 0) return;
    workers.delete(worker.id);
    worker.poll?.answer();
  };
  const drop = (worker: Worker): void => {
    worker.isLeaving = true;
    workers.delete(worker.id);
    worker.poll?.answer();
    dispatch.abandon(worker);
  };
  const sweep = (): void => {
    const time = now();
    const names = new Set<string>();
    for (const worker of workers.values()) {
      if (worker.isLeaving && worker.calls.size === 0) forget(worker);
      else if (worker.hasLease && worker.leaseEndsAt <= time) {
        drop(worker);
        names.add(worker.name);
      }
    }
    gone(names);
    if (workers.size > 0) return;
    clearInterval(sweeper);
    sweeper = undefined;
  };
  const renew = (worker: Worker): void => {
    worker.leaseEndsAt = now() + leaseMs;
    worker.seenAt = Date.now();
  };
  const rightsOf = (tokenId: string): TokenRights => {
    const rights = tokens.rightsOf(tokenId);
    if (rights === undefined) throw unauthorized("worker token", "the token is no longer a worker's token");
    return rights;
  };
  const refuseName = (tokenId: string, name: string): void => {
    if (isSourceName(name)) throw new CallError("bad_request", `A source has the name "${name}": use another name.`);
    const own = [...workers.values()].filter((worker) => !worker.isLeaving);
    if (own.some((worker) => worker.name === name && worker.tokenId !== tokenId)) {
      const message = `Workers with another token have the name "${name}" now: use another name.`;
      throw new CallError("forbidden", message);
    }
    if (own.filter((worker) => worker.tokenId === tokenId).length < bounds.workersOfToken) return;
    const message = `The token has ${bounds.workersOfToken} workers already. If a worker is gone, its lease ends after ${leaseMs / 1000} s.`;
    throw new CallError("rate_limited", message, { retryAfterMs: leaseMs });
  };
  const takeFromRate = (tokenId: string): void => {
    let meter = meters.get(tokenId);
    if (meter === undefined) meters.set(tokenId, (meter = createMeter(bounds.registrationsPerMinute)));
    const waitMs = meter.take();
    if (waitMs > 0) throw new CallError("rate_limited", "The token registers too often.", { retryAfterMs: waitMs });
  };

  return {
    authenticate: (authorization) => tokens.authenticate(authorization),
    dispatch,
    async register(tokenId, body) {
      takeFromRate(tokenId);
      const registration = readRegistration(body);
      const { name, concurrency } = registration;
      refuseName(tokenId, name);
      const read = await readTools(registration.tools, rightsOf(tokenId), (offered) =>
        offers.find(offered) === undefined ? makeOffer(offered) : undefined,
      );
      // Others may have registered meanwhile, and the configuration may be another one.
      const rights = rightsOf(tokenId);
      refuseName(tokenId, name);
      const id = randomBytes(18).toString("base64url");
      const worker = createWorker({ id, name, tokenId, concurrency, refused: [] });
      offers.forgetGone(name, new Set(read.flatMap((tool) => ("offered" in tool ? tool.name : []))));
      const states = read.map((tool): ToolState => {
        if (!("offered" in tool)) return tool;
        const { offered, made } = tool;
        if (!rights.mayOffer(offered.name) || rights.trustsAnnotations !== offered.trustsAnnotations) {
          return { name: offered.name, state: "refused", reason: "the configuration has changed: register again" };
        }
        return offers.add(worker, offered, () => made ?? makeOffer(offered));
      });
      workers.set(id, worker);
      renew(worker);
      sweeper ??= setInterval(sweep, leaseMs / sweepsPerLease).unref();
      offers.publish();
      const tools = states.map((state) => withRefusal(registry, state));
      worker.refused = tools.flatMap(({ name: tool, state, reason = "" }) =>
        state === "refused" ? [{ name: tool, reason }] : [],
      );
      onChange(new Set([name]));
      return { workerId: id, leaseMs, tools };
    },
    find(tokenId, id) {
      const worker = workers.get(id);
      if (worker === undefined || worker.tokenId !== tokenId) throw unknownWorker();
      renew(worker);
      return worker;
    },
    leave(worker) {
      if (worker.isLeaving) return;
      leave(worker);
      gone(new Set([worker.name]));
    },
    configure(next) {
      const before = tokens;
      tokens = createTokens(next);
      const names = new Set<string>();
      for (const worker of workers.values()) {
        const rights = tokens.rightsOf(worker.tokenId);
        if (rights === undefined) drop(worker);
        else if (worker.isLeaving) continue;
        else if (isSourceName(worker.name) || rights.key !== before.rightsOf(worker.tokenId)?.key) leave(worker);
        else continue;
        names.add(worker.name);
      }
      for (const owner of offers.owners()) if (isSourceName(owner)) offers.forgetGone(owner, new Set());
      offers.publish(true);
      if (names.size > 0) onChange(names);
    },
    dropped: { over: 0, unknown: 0 },
    status: () => describeWorkers(registry, offers, [...workers.values()]),
  };
}

/** The registry may refuse what the worker may offer, because of an override. */
function withRefusal(registry: Registry, tool: ToolState): ToolState {
  const { name, state } = tool;
  const entry = registry.find(name);
  if (state === "refused" || entry !== undefined) return tool;
  return { name, state: "refused", reason: "an override does not fit it" };
}
