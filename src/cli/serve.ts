import { chmodSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { type Config, isLoopback, readConfig } from "../config.ts";
import type { Observer } from "../core/registry.ts";
import { runningCalls } from "../core/running-call.ts";
import { createApp } from "../http/app.ts";
import { drain } from "../http/drain.ts";
import { createLifecycle } from "../http/lifecycle.ts";
import { createServer } from "../http/server.ts";
import { createLog, type Log, logCall, logToolEntry } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { loadTools } from "./tool-sources.ts";

/** `toolhost serve`: answers until a signal ends it. */
export async function serve(args: readonly string[]): Promise<undefined> {
  const config = readConfig(args, process.env);
  const log = createLog(config.logLevel);
  outliveFaults(log);

  const metrics = createMetrics(() => runningCalls(registry).length);
  const logsCalls = log.isLevelEnabled("info");
  const observer: Observer = {
    onCall(record) {
      metrics.onCall(record);
      if (logsCalls || record.cause !== undefined) logCall(log, record);
    },
    onToolLog: (entry) => logToolEntry(log, entry),
  };
  const { registry, sources } = await loadTools(config, observer);
  for (const source of sources) {
    const { name, state, tools, skipped } = source.status();
    log.info({ source: name, state, tools }, "tools loaded");
    for (const { name: tool, reason } of skipped) log.warn({ source: name, tool, reason }, "tool skipped");
  }

  const lifecycle = createLifecycle();
  const app = createApp({
    registry,
    lifecycle,
    apiKeys: config.apiKeys,
    hosts: config.unixSocket === undefined && isLoopback(config.host) ? "loopback" : "any",
    sources: () => sources.map((source) => source.status()),
    metrics: metrics.text,
    onFault: (error) => log.error({ err: error }, "fault"),
  });
  const server = createServer(app);
  const url = await listen(server, config);
  // Written at once, whatever the level: who started the service waits for this line.
  process.stderr.write(`${JSON.stringify({ level: 30, time: new Date().toISOString(), url, msg: "listening" })}\n`);
  endOnSignal(() => drain(server, registry, lifecycle, config, log));
}

/** A tool that fails where nobody waits for it must not take the others down. */
function outliveFaults(log: Log): void {
  process.on("unhandledRejection", (error) => log.error({ err: error }, "a promise was rejected and nobody handled it"));
  process.on("uncaughtException", (error) => log.error({ err: error }, "an error was thrown and nobody caught it"));
}

/** @returns the URL it answers at */
async function listen(server: Server, config: Config): Promise<string> {
  const { unixSocket, host, port } = config;
  if (unixSocket !== undefined) await removeStaleSocket(unixSocket);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const backlog = 4096;
    server.listen(unixSocket === undefined ? { host, port, backlog } : { path: unixSocket, backlog }, resolve);
  });
  if (unixSocket !== undefined) {
    chmodSync(unixSocket, 0o600);
    return `unix:${unixSocket}`;
  }
  const address = server.address() as AddressInfo;
  return `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}

/** A socket file that a killed process left behind stands in the way; one that somebody answers on does not go. */
async function removeStaleSocket(path: string): Promise<void> {
  const answers = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true));
    probe.once("error", () => resolve(false));
    probe.once("connect", () => probe.destroy());
  });
  if (!answers) rmSync(path, { force: true });
}

function endOnSignal(end: () => Promise<void>): void {
  let ending = false;
  const onSignal = (): void => {
    if (ending) process.exit(1);
    ending = true;
    void end().then(() => process.exit(0));
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
