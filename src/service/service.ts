import { createAccess } from "../access/access.ts";
import type { Config } from "../config/config.ts";
import type { Registry } from "../core/registry/registry.ts";
import type { SourceStatus, WatchedFiles } from "../core/source.ts";
import { type App, type AppOptions, createApp } from "../http/app.ts";
import type { Door } from "../http/door.ts";
import type { Refusal } from "../http/guard/refusal.ts";
import { createRefusalLog } from "../http/guard/refusal-log.ts";
import { createLifecycle } from "../http/lifecycle.ts";
import { createServer } from "../http/node/server.ts";
import { mcpDoor } from "../mcp/http/door.ts";
import { version } from "../package.ts";
import { joinObservers } from "../telemetry/join-observers.ts";
import type { ServiceLog } from "../telemetry/log.ts";
import { createMetrics, type Metrics } from "../telemetry/metrics.ts";
import { createServiceMetrics } from "../telemetry/service-metrics.ts";
import { type startWatchdog, type Watchdog, watchedTools } from "../telemetry/watchdog.ts";
import { drain } from "./drain.ts";
import { listen } from "./listen.ts";
import { accessInBoth, accessOf, appSettingsOf, warningsOfClaims } from "./settings.ts";
import { boundOutput } from "./output-log.ts";
import { createSourceLog } from "./source-log.ts";
import { createTools, type ToolsOptions } from "./tools.ts";
import { workerLines } from "../workers/metrics.ts";
import { createWorkersDoor } from "../workers/door.ts";
import { createWorkers } from "../workers/workers.ts";
import { reservedNames } from "../config/source-name.ts";

export interface ServiceOptions extends Pick<ToolsOptions, "env" | "moreSources" | "onFilesChange"> {
  readonly config: Config;
  readonly log: ServiceLog;
  /** Doors in addition to those of MCP and of workers. @default none */
  readonly doors?: readonly Door[];
  /** Detects a blocked event loop, in a separate thread. @default no detection */
  readonly startWatchdog?: typeof startWatchdog;
}

/**
 * The process without its signals and flags: everything that answers, composed of one configuration after the other.
 */
export interface Service {
  readonly registry: Registry;
  /** Registers collectors of other metrics: `metrics.add`. */
  readonly metrics: Metrics;
  /** Answers in memory like the server. */
  request: App["request"];
  status(): SourceStatus[];
  /** The files of the tools in the operator's folders. */
  files(): WatchedFiles;
  /** Loads the tools. Sources that are not of this machine are not waited for. */
  start(): Promise<void>;
  /** @returns the URL @throws ConfigError if it cannot listen there */
  listen(): Promise<string>;
  /** Applies another configuration without dropping a call. If it throws, the previous one stays in effect. */
  reload(next: Config): Promise<void>;
  onReload(isDone: boolean): void;
  /**
   * Shuts down as load balancers expect: it refuses new calls, lets the running ones finish, then closes sources and
   * sockets.
   */
  drain(): Promise<void>;
}

/** How long the end waits for sources to close. Their calls have ended before. */
const closeSourcesMs = 500;
/** How long a reload waits for folders: its other changes, such as overrides, must not wait for a slow disk. */
const reloadPatienceMs = 5000;
/** How much longer than the shutdown limit the process may last, whatever it does. */
const killMs = 950;

/**
 * State that outlives a configuration is created here, once, and passed to `createApp`, which is called for each
 * configuration.
 */
export function createService(options: ServiceOptions): Service {
  const { log: serviceLog, env, moreSources, doors = [], onFilesChange } = options;
  const { log } = serviceLog;
  let { config } = options;
  const onFault = (error: unknown): void => log.error({ err: error }, "fault");
  const metrics = createMetrics(() => tools.registry.load.calls);
  const tools = createTools({
    observer: joinObservers(metrics, { onCall: serviceLog.call, onToolLog: serviceLog.tool }),
    ...(env !== undefined && { env }),
    ...(moreSources !== undefined && { moreSources }),
    onFilesChange,
    onFault,
    onOutput: boundOutput((source, line) => log.info({ source, line }, "output")),
    onUpdate(source) {
      sourceLog.updated(source, status());
      watchdog?.watch(watchedTools(registry));
    },
  });
  const { registry } = tools;
  let sourceNames: readonly string[] = [];
  const workers = createWorkers({
    registry,
    isSourceName: (name) => sourceNames.includes(name) || reservedNames.includes(name),
    onChange: (names) => {
      const sources = status();
      for (const source of sources) if (names.has(source.name)) sourceLog.updated(source, sources);
    },
  });
  const workersDoor = createWorkersDoor(workers);
  const status = (): SourceStatus[] => [...tools.status(), ...workers.status()];
  const sourceLog = createSourceLog(log, registry);
  const { openBreakers } = tools;
  const serviceMetrics = createServiceMetrics({ version, registry, sources: status, openBreakers });
  metrics.add(serviceMetrics.lines);
  metrics.add(() => workerLines(workers));
  const access = createAccess(accessOf(config, onFault));
  const lifecycle = createLifecycle();
  const refusalLog = createRefusalLog(log);
  const lasting = {
    access,
    registry,
    startCall: tools.startCall,
    bytesInFlight: { bytes: 0 },
    lifecycle,
    sources: status,
    metrics: metrics.text,
    onFault,
    onRefused(refusal: Refusal) {
      metrics.onRefused(refusal);
      refusalLog.add(refusal);
    },
  } satisfies Partial<AppOptions>;
  const appOf = (settings: Config): App => {
    const mounted = [mcpDoor, ...(settings.workerTokens.length === 0 ? [] : [workersDoor]), ...doors];
    return createApp({ ...appSettingsOf(settings), ...lasting, doors: mounted });
  };
  const serving = { app: appOf(config) };
  const server = createServer(serving);
  let watchdog: Watchdog | undefined;

  const load = async (next: Config, patienceMs: number, onApply?: () => void): Promise<void> => {
    await tools.load(next, {
      waitsFor: "local",
      patienceMs,
      onApply(names) {
        sourceNames = names;
        workers.configure(next.workerTokens);
        onApply?.();
      },
    });
    sourceLog.loaded(status());
    for (const { name: tool, message } of warningsOfClaims(next)) log.warn({ tool }, message);
    watchdog?.watch(watchedTools(registry));
  };
  return {
    registry,
    metrics,
    request: (...args) => serving.app.request(...args),
    status,
    files: tools.files,
    start: () => load(config, Infinity),
    async listen() {
      const url = await listen(server, config);
      watchdog = options.startWatchdog?.({ log, fd: serviceLog.fd, onBlocked: metrics.onBlocked });
      watchdog?.watch(watchedTools(registry));
      return url;
    },
    async reload(next) {
      const nextAccess = accessOf(next, onFault);
      // Malformed settings throw here, before anything has changed.
      createAccess(nextAccess);
      const nextApp = appOf(next);
      // Loading tools may take long, but a removed key must stop working at once.
      access.configure(accessInBoth(config, next, onFault));
      let isApplied = false;
      try {
        await load(next, reloadPatienceMs, () => {
          access.configure(nextAccess);
          serving.app = nextApp;
          isApplied = true;
        });
      } catch (error) {
        if (!isApplied) access.configure(accessOf(config, onFault));
        throw error;
      }
      for (const name of ["host", "port", "unixSocket"] as const) {
        if (config[name] !== next[name]) log.warn({ setting: name }, "this setting needs a restart");
      }
      config = next;
    },
    onReload: serviceMetrics.onReload,
    async drain() {
      watchdog?.killIn(config.shutdownDelayMs + config.shutdownTimeoutMs + killMs);
      await drain(server, registry, lifecycle, config, log);
      await tools.close(closeSourcesMs);
      refusalLog.end();
    },
  };
}
