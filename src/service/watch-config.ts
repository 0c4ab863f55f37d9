import type { ConfigReading, ConfigReload } from "../config/read-config.ts";
import { markOfFile } from "../files/file-mark.ts";
import { watchFiles } from "../config/watch.ts";
import type { WatchedFiles } from "../core/source.ts";
import type { Log } from "../telemetry/logger.ts";
import { createReload } from "./reload.ts";
import type { Service } from "./service.ts";

export interface WatchConfigOptions {
  readonly service: Pick<Service, "files" | "reload" | "onReload">;
  readonly log: Log;
  /** The configuration in force. */
  readonly reading: ConfigReading;
  /** Of the configuration file, from when it was read. @default as it is now */
  readonly mark?: string | undefined;
  /** Reads the configuration again. @throws ConfigError */
  readonly reread: (inForce: ConfigReading) => Promise<ConfigReload>;
}

/** Reloads a service whose files change. */
export interface ConfigWatch {
  /** Reloads it on request. */
  reload(): void;
  /** The sources are made of other files now. */
  filesChanged(): void;
  end(): void;
}

/** Watches the configuration file and the files of the tools, each as it was when it was read. */
export function watchConfig({ service, log, reading, mark, reread }: WatchConfigOptions): ConfigWatch {
  const { configFile } = reading.config;
  let inForce = reading;
  let markInForce: string | undefined = mark;
  const watched = (): WatchedFiles => {
    const { files, folders } = service.files();
    return { files: configFile === undefined ? files : new Map([...files, [configFile, markInForce]]), folders };
  };
  const load = async (): Promise<void> => {
    const nextMark = markOfFile(configFile);
    const next = await reread(inForce);
    for (const key of next.widenedKeys) log.warn({ key }, "the file removes limits of this key");
    for (const binding of next.loosenedBindings) log.warn({ ...binding }, "the file binds this argument less strictly");
    await service.reload(next.config);
    [inForce, markInForce] = [next, nextMark];
    fileWatch.set(watched());
  };
  const reload = createReload(log, load, service.onReload);
  const fileWatch = watchFiles(watched(), reload.afterChange);
  return {
    reload: reload.now,
    filesChanged: () => fileWatch.set(watched()),
    end: fileWatch.end,
  };
}
