import { isatty } from "node:tty";
import { throwProblems } from "../config/config-error.ts";
import { markOfFile } from "../files/file-mark.ts";
import { type ConfigReading, type ConfigReload, readConfigWithOrigins, rereadConfig } from "../config/read-config.ts";
import { version } from "../package.ts";
import { isOpenToAll } from "../service/settings.ts";
import { endOnSignal, hearHangUps, keepRunning, outliveFaults } from "../service/process.ts";
import { createService } from "../service/service.ts";
import { startLine } from "../service/start-line.ts";
import { type ConfigWatch, watchConfig } from "../service/watch-config.ts";
import { createServiceLog } from "../telemetry/log.ts";
import { entryLine } from "../telemetry/logger.ts";
import { startWatchdog } from "../telemetry/watchdog.ts";
import { noteImpliedFile } from "./implied-file.ts";
import type { Io } from "./io.ts";

/** How long the end of the service waits for the reader of its log. */
const lastWriteMs = 150;

/** `toolhost serve`: runs the service until a signal ends it. */
export async function serve(args: readonly string[], { env, cwd, out }: Io): Promise<number | undefined> {
  const hangUps = hearHangUps();
  const reading = await readConfigWithOrigins(args, env, cwd);
  if (reading.isToBePrinted) {
    const { printConfig } = await import("../config/print.ts");
    out(printConfig(reading));
    return 0;
  }
  throwProblems(reading.missingFolders);
  const { config } = reading;
  const mark = markOfFile(config.configFile);
  const serviceLog = createServiceLog(config.logLevel);
  const { log } = serviceLog;
  process.on("exit", serviceLog.end);
  outliveFaults(log);
  keepRunning();

  let watch: ConfigWatch | undefined;
  const onFilesChange = (): void => watch?.filesChanged();
  const service = createService({ config, log: serviceLog, startWatchdog, onFilesChange });
  await service.start();
  const url = await service.listen();
  const reread = (inForce: ConfigReading): Promise<ConfigReload> => rereadConfig(inForce, args, env, cwd);
  watch = watchConfig({ service, log, reading, mark, reread });
  // Before the line that announces readiness: a signal may follow it immediately.
  endOnSignal({
    log: serviceLog,
    withinMs: config.shutdownDelayMs + config.shutdownTimeoutMs,
    async end() {
      watch.end();
      await service.drain();
      await serviceLog.written(lastWriteMs);
    },
  });
  const note = noteImpliedFile({
    configFile: config.configFile,
    hasDocument: [...reading.origins.values()].includes("--openapi"),
    isNamed: reading.origins.has("configFile"),
  });
  if (note !== undefined) log.info(note);
  if (isOpenToAll(config)) log.warn("other machines can call without a key: TOOLHOST_INSECURE is set");
  // Written immediately at every level: whoever started the service waits for this line.
  const isRead = isatty(2);
  serviceLog.always(
    isRead ? startLine(version, url, service.registry, service.status()) : entryLine("info", { url }, "listening"),
  );
  hangUps.answerWith(watch.reload);
  return undefined;
}
