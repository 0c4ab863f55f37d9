import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { CallError } from "../errors/errors.ts";
import type { Registry } from "../core/registry/registry.ts";
import { runningCalls, stopCalls } from "../core/call/running-call.ts";
import type { Log } from "../telemetry/logger.ts";
import { shuttingDown } from "../http/answer.ts";
import { hasUnsentAnswers, refuseUnfinishedBodies } from "../http/node/connections.ts";
import type { Lifecycle } from "../http/lifecycle.ts";

export interface DrainOptions {
  /** How long calls are still served after the service says that it is not ready, for load balancers to notice. */
  readonly shutdownDelayMs: number;
  /** How long running calls may take to finish. */
  readonly shutdownTimeoutMs: number;
}

const pollMs = 10;
/** For answers to aborted calls, and for the last bytes to leave. */
const graceMs = 250;

/**
 * Ends the service without losing an answer: it refuses new calls, lets running calls finish, aborts the rest, and
 * closes every socket.
 */
export async function drain(
  server: Server,
  registry: Registry,
  lifecycle: Lifecycle,
  { shutdownDelayMs, shutdownTimeoutMs }: DrainOptions,
  log: Log,
): Promise<void> {
  log.info({ calls: runningCalls(registry).length }, "draining");
  lifecycle.state = "leaving";
  if (shutdownDelayMs > 0) await sleep(shutdownDelayMs);

  // The port stays open while calls run, so that new clients get an answer that the service is shutting down.
  lifecycle.state = "ending";
  refuseUnfinishedBodies(server, shuttingDown());
  const isAnswered = (): boolean => lifecycle.open === 0 && runningCalls(registry).length === 0;
  const isIdle = (): boolean => isAnswered() && !hasUnsentAnswers(server);
  if (!(await becomes(isIdle, shutdownTimeoutMs))) {
    log.warn({ calls: runningCalls(registry).length }, "calls aborted at the shutdown limit");
    stopCalls(registry, shutDown());
    await becomes(isIdle, graceMs);
  }
  const closed = new Promise<void>((resolve) => server.close(() => resolve())); // Idle connections are closed with it.
  // The remaining sockets never sent a request, or their clients read too slowly for the shutdown limit.
  await Promise.race([closed, sleep(graceMs)]);
  server.closeAllConnections();
  log.info("drained");
}

async function becomes(condition: () => boolean, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() >= until) return false;
    await sleep(pollMs);
  }
  return true;
}

function shutDown(): CallError {
  return new CallError(
    "cancelled",
    "The service shut down before the tool had finished. The tool may have taken effect.",
  );
}
