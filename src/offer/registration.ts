import { inTime } from "../async/in-time.ts";
import { isJsonObject, type JsonObject, ownMember } from "../json/object.ts";
import type { Log } from "../telemetry/logger.ts";
import { createAnswers, noAnswers } from "./answers.ts";
import type { Calls } from "./calls.ts";
import { type Connection, Refused } from "./connection.ts";
import { createPoller } from "./poller.ts";

/** One registration at the service: a worker id, with the calls that came for it. */
export interface Registration {
  /** The tools that it offers, as they were sent. */
  readonly tools: string;
  readonly leaseMs: number;
  /** The path of the worker, behind `/workers`. */
  readonly path: string;
  /** The service gives it no more calls: another registration must follow. */
  readonly isLost: boolean;
  /** Whether the service has answered it. */
  readonly isAlive: boolean;
  /** Whether its calls have ended and are answered. */
  readonly isDone: boolean;
  /** There is room for calls again. */
  wake(): void;
  /** Takes no more calls, and leaves the service. Its running calls go on, and are answered. */
  leave(): Promise<void>;
  /** Waits until what its calls had for the service is sent. */
  sent(): Promise<void>;
  /** Gives up its requests. */
  close(): void;
}

export interface RegistrationOptions {
  readonly connection: Connection;
  readonly name: string;
  readonly concurrency: number;
  /** As `offeredTools` writes them. */
  readonly tools: string;
  readonly calls: Calls;
  readonly log: Log;
  /** Whether the process has registered no tools before. */
  readonly isFirst: boolean;
  /** Called when the service gives it no more calls. */
  readonly onLost: () => void;
}

/** Of the reasons in one line of the log. */
const maxShown = 20;
const longestWaitMs = 20_000;
/** How long it waits for calls that are on their way, and for the service's answer. */
const leaveMs = 2000;

/** The service refused all tools of the process. A refusal lasts as long as the registration. */
export class NothingOffered extends Error {
  override readonly name = "NothingOffered";
}

/** Registers. @throws Unreachable, Refused, and NothingOffered for the first registration */
export async function register(options: RegistrationOptions, signal: AbortSignal): Promise<Registration> {
  const { connection, name, concurrency, calls, log } = options;
  const body = `{"name":${JSON.stringify(name)},"concurrency":${concurrency},"tools":${options.tools}}`;
  const answer = await connection.post("", body, 0, signal);
  const path = `/${encodeURIComponent(String(ownMember(answer, "workerId")))}`;
  const leaseMs = Number(ownMember(answer, "leaseMs")) || 30_000;
  const tools = readStates(answer);
  logTools(log, name, tools);
  if (options.isFirst && areAllRefused(tools)) {
    await connection.delete(path).catch(() => undefined);
    throw new NothingOffered("the service refused all tools of the worker");
  }

  let isLost = false;
  let isLeaving = false;
  let isAlive = false;
  const lose = (): void => {
    if (isLost || isLeaving) return;
    isLost = true;
    void endUnlessKnown();
    options.onLost();
  };
  /** A service that gives it no more calls may still wait for the answers of those that run. */
  const endUnlessKnown = async (): Promise<void> => {
    if (own.running === 0) return;
    await connection.post(`${path}/calls`, noAnswers).catch((error: unknown) => {
      if (error instanceof Refused) abandon();
    });
  };
  /** The service has ended the calls: nobody waits for their answers. */
  const abandon = (): void => {
    poller.stop();
    answers.drop();
    if (own.running > 0)
      log.warn({ calls: own.running }, "the service does not know the worker any more: its calls end");
    own.cancelAll();
    lose();
  };
  const answers = createAnswers({
    connection,
    path,
    onUnknown: abandon,
    onRefused: (callId, reason) => log.warn({ callId, reason }, "the service refused an answer"),
  });
  const own = calls.open(answers, () => {
    // Nothing can be cancelled any more.
    if (isLeaving) poller.stop();
  });
  const poller = createPoller({
    async ask(max, waitMs, given) {
      const polled = await connection.post(`${path}/poll?waitMs=${waitMs}&max=${max}`, undefined, waitMs, given);
      isAlive = true;
      for (const callId of itemsOf(polled, "cancelled")) if (typeof callId === "string") own.cancel(callId);
      for (const handed of itemsOf(polled, "calls")) own.start(handed);
    },
    room: () => Math.max(0, concurrency - calls.running),
    // A request well before the end of the lease renews it.
    waitMs: Math.min(longestWaitMs, Math.floor(leaseMs / 3)),
    onRefused: lose,
    onUnreachable: (reason) => log.warn({ reason }, "the service does not answer; the worker tries again"),
  });
  return {
    tools: options.tools,
    leaseMs,
    path,
    get isLost() {
      return isLost;
    },
    get isAlive() {
      return isAlive;
    },
    get isDone() {
      return own.running === 0 && answers.areSent;
    },
    wake: poller.wake,
    async leave() {
      if (isLost) return;
      await inTime(poller.close(), leaveMs, () => undefined);
      isLeaving = true;
      // A service that cannot be reached drops it by its lease.
      await inTime(connection.delete(path), leaveMs, () => undefined).catch(() => undefined);
      if (own.running === 0) poller.stop();
    },
    sent: answers.sent,
    close() {
      poller.stop();
      answers.drop();
    },
  };
}

function itemsOf(answer: unknown, key: string): readonly unknown[] {
  const items = ownMember(answer, key);
  return Array.isArray(items) ? items : [];
}

function readStates(answer: unknown): JsonObject[] {
  return itemsOf(answer, "tools").filter(isJsonObject);
}

function areAllRefused(tools: readonly JsonObject[]): boolean {
  return tools.length > 0 && tools.every(({ state }) => state === "refused");
}

function logTools(log: Log, name: string, all: readonly JsonObject[]): void {
  const refused = all.filter(({ state }) => state === "refused");
  if (areAllRefused(all)) {
    const shown = refused.slice(0, maxShown).map(({ name: tool, reason }) => ({ tool, reason }));
    return log.error(
      { worker: name, tools: all.length, refused: shown },
      "the service refused all tools of the worker",
    );
  }
  for (const { name: tool, reason } of refused) log.warn({ tool, reason }, "the service refused the tool");
  for (const { name: tool, reason, state } of all) {
    if (state !== "refused" && reason !== undefined)
      log.warn({ tool, reason }, "the service has a warning about the tool");
  }
  log.info({ worker: name, tools: all.length - refused.length }, "registered");
}
