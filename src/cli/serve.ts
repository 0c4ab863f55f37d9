import { lstatSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { isLoopback } from "../config/loopback.ts";
import { readConfigWithOrigins } from "../config/read-config.ts";
import type { Observer } from "../core/registry.ts";
import { runningCalls } from "../core/running-call.ts";
import { createApp } from "../http/app.ts";
import { drain } from "../http/drain.ts";
import { createLifecycle } from "../http/lifecycle.ts";
import { createServer } from "../http/server.ts";
import { createServiceLog, type Log } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { loadTools } from "./tool-sources.ts";

/** `toolhost serve`: answers until a signal ends it. */
export async function serve(args: readonly string[]): Promise<number | undefined> {
  const reading = await readConfigWithOrigins(args, process.env);
  const { config } = reading;
  if (reading.isToBePrinted) {
    const { printConfig } = await import("../config/print.ts");
    process.stdout.write(printConfig(reading));
    return 0;
  }
  const serviceLog = createServiceLog(config.logLevel);
  const { log } = serviceLog;
  outliveFaults(log);
  keepRunning();
  // Until all of it is obeyed: to serve without the keys that it names would be worse than not to.
  if (config.configFile !== undefined) {
    throw new ConfigError("there is a configuration file, but this version does not obey it yet");
  }

  const metrics = createMetrics(() => runningCalls(registry).length);
  const observer: Observer = {
    onCall(record) {
      metrics.onCall(record);
      serviceLog.call(record);
    },
    onToolLog: serviceLog.tool,
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
  const server = createServer({ app });
  const url = await listen(server, config);
  // Before the line that tells others to begin: a signal may follow it at once.
  endOnSignal(log, () => drain(server, registry, lifecycle, config, log));
  // Written at once, whatever the level: who started the service waits for this line.
  process.stderr.write(`${JSON.stringify({ level: 30, time: new Date().toISOString(), url, msg: "listening" })}\n`);
  return undefined;
}

/** What really ends the process: a tool that calls `process.exit` fails, and the others live. */
const exit = process.exit.bind(process);

function keepRunning(): void {
  process.exit = () => {
    throw new Error("a tool called process.exit");
  };
}

/** A tool that fails where nobody waits for it must not take the others down. */
function outliveFaults(log: Log): void {
  process.on("unhandledRejection", (error) =>
    log.error({ err: error }, "a promise was rejected and nobody handled it"),
  );
  process.on("uncaughtException", (error) => log.error({ err: error }, "an error was thrown and nobody caught it"));
}

/**
 * @returns the URL it answers at
 * @throws ConfigError where it may not or cannot listen there
 */
async function listen(server: Server, { unixSocket, host, port }: Config): Promise<string> {
  if (unixSocket !== undefined) await removeStaleSocket(unixSocket);
  await new Promise<void>((resolve, reject) => {
    const onError = (error: Error): void => reject(explainListen(error, unixSocket ?? `${host}:${port}`));
    server.once("error", onError);
    server.once("listening", () => server.off("error", onError));
    const backlog = 4096;
    // The socket file is made inside listen(): with a mask there is no moment at which others may connect.
    const mask = process.umask(0o177);
    server.listen(unixSocket === undefined ? { host, port, backlog } : { path: unixSocket, backlog }, resolve);
    process.umask(mask);
  });
  if (unixSocket !== undefined) return `unix:${unixSocket}`;
  const address = server.address() as AddressInfo;
  return `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}

function explainListen(error: NodeJS.ErrnoException, where: string): ConfigError {
  const reasons: Record<string, string> = {
    EADDRINUSE: "something listens there already",
    EACCES: "it is not permitted",
    EADDRNOTAVAIL: "this machine does not have the address",
    ENOTFOUND: "the name has no address",
  };
  const reason = reasons[error.code ?? ""] ?? error.code ?? error.message;
  return new ConfigError(`cannot listen at ${where}: ${reason}`, { cause: error });
}

/** A socket file that a killed process left behind stands in the way; one that is served, or any other file, stays. */
async function removeStaleSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const isRefused = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
    probe.once("connect", () => {
      probe.destroy();
      resolve(false);
    });
  });
  if (isRefused) rmSync(path, { force: true });
}

function endOnSignal(log: Log, end: () => Promise<void>): void {
  let ending = false;
  const onSignal = (): void => {
    if (ending) exit(1);
    ending = true;
    void end().then(
      () => exit(0),
      (fault: unknown) => {
        log.error({ err: fault }, "the service did not end as it should");
        exit(1);
      },
    );
  };
  process.on("SIGHUP", () => log.warn("SIGHUP: this version re-reads nothing"));
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
