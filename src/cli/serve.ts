import { isatty } from "node:tty";
import { createAccess } from "../access/access.ts";
import type { AccessOptions } from "../access/authenticate.ts";
import type { Config } from "../config/config.ts";
import { throwProblems } from "../config/config-error.ts";
import { isLoopback } from "../net/loopback.ts";
import { type ConfigReading, readConfigWithOrigins, rereadConfig } from "../config/read-config.ts";
import { markOfFile } from "../config/file-mark.ts";
import type { WatchedFiles } from "../config/file-snapshot.ts";
import { watchFiles } from "../config/watch.ts";
import type { Observer } from "../core/observer.ts";
import type { Registry } from "../core/registry/registry.ts";
import { createOutboundFetch } from "../egress/fetch.ts";
import { type App, type AppOptions, createApp } from "../http/app.ts";
import { drain } from "../service/drain.ts";
import { createLifecycle } from "../http/lifecycle.ts";
import type { Refusal } from "../http/guard/refusal.ts";
import { createServer } from "../http/node/server.ts";
import { version } from "../package.ts";
import { createServiceLog, type Log } from "../telemetry/log.ts";
import { entryLine } from "../telemetry/logger.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { createRefusalLog } from "../http/guard/refusal-log.ts";
import { createServiceMetrics } from "../telemetry/service-metrics.ts";
import { startWatchdog } from "../telemetry/watchdog.ts";
import type { WatchedTool } from "../telemetry/watchdog-thread.ts";
import type { Io } from "./io.ts";
import { listen } from "../service/listen.ts";
import { endOnSignal, hearHangUps, keepRunning, outliveFaults } from "../service/process.ts";
import { createReload } from "../service/reload.ts";
import { startLine } from "../service/start-line.ts";
import { createTools, type Tools } from "../service/tools.ts";

/** How long the end of the service waits for the reader of its log. */
const lastWriteMs = 150;
/** How much longer than the shutdown limit the process may last, whatever it does. */
const killMs = 950;

/** `toolhost serve`: answers until a signal ends it. */
export async function serve(args: readonly string[], { env, cwd, out }: Io): Promise<number | undefined> {
  const hangUps = hearHangUps();
  const reading = await readConfigWithOrigins(args, env, cwd);
  if (reading.isToBePrinted) {
    const { printConfig } = await import("../config/print.ts");
    out(printConfig(reading));
    return 0;
  }
  throwProblems(reading.missingFolders);
  let { config } = reading;
  let inForce: ConfigReading = reading;
  const serviceLog = createServiceLog(config.logLevel);
  const { log } = serviceLog;
  process.on("exit", serviceLog.end);
  outliveFaults(log);
  keepRunning();

  const metrics = createMetrics(() => tools.registry.load.calls);
  const observer: Observer = {
    onCall(record) {
      metrics.onCall(record);
      serviceLog.call(record);
    },
    onToolLog: serviceLog.tool,
  };
  const tools = createTools(observer);
  const serviceMetrics = createServiceMetrics({
    version,
    registry: tools.registry,
    sources: tools.status,
    openBreakers: tools.openBreakers,
  });
  metrics.add(serviceMetrics.lines);
  const configMark = markOfFile(config.configFile);
  await tools.load(config);
  tellSources(log, tools);

  const lifecycle = createLifecycle();
  const onFault = (error: unknown): void => log.error({ err: error }, "fault");
  const refusalLog = createRefusalLog(log);
  const onRefused = (refusal: Refusal): void => {
    metrics.onRefused(refusal);
    refusalLog.add(refusal);
  };
  const access = createAccess(accessOf(config, onFault));
  const bytesInFlight = { bytes: 0 };
  const appOf = (settings: Config): App =>
    createApp({
      access,
      ...doorOf(settings),
      registry: tools.registry,
      maxBodyBytes: settings.limits.bodyBytes,
      maxReplyBytes: settings.limits.replyBytes,
      maxBytesInFlight: settings.limits.bytesInFlight,
      bytesInFlight,
      lifecycle,
      sources: tools.status,
      metrics: metrics.text,
      onFault,
      onRefused,
    });
  const serving = { app: appOf(config) };
  const server = createServer(serving);
  const url = await listen(server, config);
  const watchdog = startWatchdog({ log, fd: serviceLog.fd, onBlocked: metrics.onBlocked });
  watchdog.watch(watchedTools(tools.registry));

  const reload = createReload(
    log,
    async (isRepeat) => {
      const fileMark = markOfFile(config.configFile);
      const reread = await rereadConfig(inForce, args, env, cwd);
      const next = reread.config;
      for (const key of reread.widenedKeys) log.warn({ key }, "the file takes limits of this key away");
      // Who may call is settled first: loading tools may take its time, and a key that was taken back must not.
      access.configure(accessOf(next, onFault));
      serving.app = appOf(next);
      try {
        await tools.load(next);
      } catch (error) {
        access.configure(accessOf(config, onFault));
        serving.app = appOf(config);
        throw error;
      }
      tellWhatStays(log, config, next);
      inForce = reread;
      config = next;
      if (!isRepeat || !tools.isToBeRepeated()) tellSources(log, tools);
      watchdog.watch(watchedTools(tools.registry));
      fileWatch.set(watchedFiles(tools, config.configFile, fileMark));
      return tools.isToBeRepeated();
    },
    serviceMetrics.onReload,
  );
  const fileWatch = watchFiles(watchedFiles(tools, config.configFile, configMark), reload.afterChange);
  if (tools.isToBeRepeated()) reload.repeat();
  // Before the line that tells others to begin: a signal may follow it at once.
  const withinMs = config.shutdownDelayMs + config.shutdownTimeoutMs;
  endOnSignal({
    log: serviceLog,
    withinMs,
    async end() {
      watchdog.killIn(withinMs + killMs);
      fileWatch.end();
      await drain(server, tools.registry, lifecycle, config, log);
      refusalLog.end();
      await serviceLog.written(lastWriteMs);
    },
  });
  if (isOpenToAll(config)) log.warn("other machines can call without a key: TOOLHOST_INSECURE is set");
  // Written at once, whatever the level: who started the service waits for this line.
  const isRead = isatty(2);
  serviceLog.always(
    isRead ? startLine(version, url, tools.registry, tools.status()) : entryLine("info", { url }, "listening"),
  );
  hangUps.answerWith(reload.now);
  return undefined;
}

function isOpenToAll({ host, unixSocket, apiKeys, auth }: Config): boolean {
  const isReachable = unixSocket === undefined && !isLoopback(host);
  return isReachable && apiKeys.length === 0 && auth.keys.length === 0 && auth.jwt === undefined;
}

/** Who may call. The issuer's keys are fetched by a way of their own, which opens that address to no tool. */
function accessOf({ apiKeys, auth: { keys, jwt } }: Config, onFault: (error: unknown) => void): AccessOptions {
  if (jwt === undefined) return { apiKeys, auth: { keys }, onFault };
  const fetch = createOutboundFetch({ origins: [new URL(jwt.jwksUrl).origin] });
  return { apiKeys, auth: { keys, jwt: { ...jwt, fetch } }, onFault };
}

/** By which names, and from which pages. */
function doorOf({
  host,
  origins,
  hosts,
  unixSocket,
  publicUrl,
}: Config): Pick<AppOptions, "hosts" | "origins" | "publicUrl"> {
  const isLocal = unixSocket === undefined && isLoopback(host);
  return {
    hosts: isLocal ? ["loopback", ...hosts] : hosts.length > 0 ? hosts : "any",
    origins,
    publicUrl,
  };
}

/** Who may block the event loop, and where their code lies. */
function watchedTools(registry: Registry): WatchedTool[] {
  return registry.list().map(({ tool: { name, module }, number }) => {
    return { name, number, folderUrl: module === undefined ? undefined : new URL(".", module).href };
  });
}

/** What makes the service read again, each file as it was when it was read. */
function watchedFiles(tools: Tools, configFile: string | undefined, configMark: string): WatchedFiles {
  const { files, folders } = tools.files();
  return { files: configFile === undefined ? files : new Map([...files, [configFile, configMark]]), folders };
}

function tellSources(log: Log, { status, registry }: Tools): void {
  for (const { name, state, tools, skipped, warnings } of status()) {
    log.info({ source: name, state, tools }, "tools loaded");
    for (const { name: tool, reason } of skipped) log.warn({ source: name, tool, reason }, "tool skipped");
    for (const { name: tool, path, message } of warnings)
      log.warn({ source: name, tool, path, message }, "tool warning");
  }
  for (const tool of registry.unknownOverrides()) log.warn({ tool }, "overrides name a tool that is not there");
}

/** A socket that listens stays where it is. */
function tellWhatStays(log: Log, before: Config, next: Config): void {
  for (const name of ["host", "port", "unixSocket"] as const) {
    if (before[name] !== next[name]) log.warn({ setting: name }, "this setting needs a restart");
  }
}
