import { ConfigError } from "../config/config-error.ts";
import { parseFlags } from "../config/flags.ts";
import { readWorkerConfig } from "../config/read-worker.ts";
import { type FileWatch, watchFiles } from "../config/watch.ts";
import { stopCalls } from "../core/call/running-call.ts";
import { CallError } from "../errors/errors.ts";
import { Refused } from "../offer/connection.ts";
import { createOffer } from "../offer/offer.ts";
import { NothingOffered } from "../offer/registration.ts";
import { boundOutput } from "../service/output-log.ts";
import { endOnSignal, hearHangUps, keepRunning, outliveFaults } from "../service/process.ts";
import { createReload } from "../service/reload.ts";
import { createSourceLog } from "../service/source-log.ts";
import { createTools } from "../service/tools.ts";
import { createServiceLog } from "../telemetry/log.ts";
import type { Io } from "./io.ts";

/** How long the end waits for the sources to close, and for the reader of the log. */
const closeMs = 500;
const lastWriteMs = 150;

/** `toolhost worker`: offers the tools of folders to a running service until a signal ends it. */
export async function worker(args: readonly string[], { env, cwd }: Io): Promise<number> {
  const { values, positionals } = parseFlags({
    args: [...args],
    options: {
      url: { type: "string" },
      name: { type: "string" },
      concurrency: { type: "string" },
      "log-level": { type: "string" },
    },
    allowPositionals: true,
  });
  const config = await readWorkerConfig(positionals, values, env, cwd);
  const hangUps = hearHangUps();
  const serviceLog = createServiceLog(config.logLevel);
  const { log } = serviceLog;
  process.on("exit", serviceLog.end);
  outliveFaults(log);
  keepRunning();

  let fileWatch: FileWatch | undefined;
  const tools = createTools({
    env,
    observer: { onCall: serviceLog.call, onToolLog: serviceLog.tool },
    onFault: (error) => log.error({ err: error }, "fault"),
    onOutput: boundOutput((source, line) => log.info({ source, line }, "output")),
    onUpdate(source) {
      sourceLog.updated(source, tools.status());
      offer.set(tools.registry.list());
    },
    onFilesChange: () => fileWatch?.set(tools.files()),
  });
  const { registry, startCall } = tools;
  const sourceLog = createSourceLog(log, registry);
  const load = async (): Promise<void> => {
    await tools.load(config.tools, { waitsFor: "all" });
    sourceLog.loaded(tools.status());
    for (const { tool, unavailable: reason } of registry.unavailable()) {
      log.warn({ tool: tool.name, reason }, "tool not offered");
    }
    if (registry.list().length === 0) log.warn("the folders contain no tool to offer");
    offer.set(registry.list());
  };
  const { url, token, name, concurrency, shutdownTimeoutMs } = config;
  const offer = createOffer({ url, token, name, concurrency, startCall, log });
  endOnSignal({
    log: serviceLog,
    withinMs: shutdownTimeoutMs,
    async end() {
      fileWatch?.end();
      await offer.end(shutdownTimeoutMs, () => stopCalls(registry, shutDown()));
      await tools.close(closeMs);
      await serviceLog.written(lastWriteMs);
    },
  });
  await load();
  const reload = createReload(log, async () => {
    await load();
    fileWatch?.set(tools.files());
  });
  fileWatch = watchFiles(tools.files(), reload.afterChange);
  hangUps.answerWith(reload.now);
  return offer.refused.catch((error: unknown) => {
    if (error instanceof NothingOffered) throw new ConfigError(`${error.message}; the log has the reasons`);
    throw error instanceof Refused ? new ConfigError(explain(error, url)) : error;
  });
}

/** What an operator can change, in front of the service's own words. */
function explain({ status, message }: Refused, url: string): string {
  const advice = adviceOf(status);
  return `the service refused the worker (${status} at ${url}): ${message}${advice === "" ? "" : `\n${advice}`}`;
}

function adviceOf(status: number): string {
  if (status === 401)
    return 'TOOLHOST_WORKER_TOKEN must be a token of an entry "workers" in the service\'s toolhost.yaml.';
  if (status === 404)
    return 'The URL must be that of a Toolhost whose toolhost.yaml has an entry "workers" in "tools".';
  return "";
}

function shutDown(): CallError {
  return new CallError(
    "cancelled",
    "The worker shut down before the tool had finished. The tool may have taken effect.",
  );
}
