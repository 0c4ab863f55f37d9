import { ConfigError } from "../config/config-error.ts";
import type { Log } from "../telemetry/logger.ts";

/**
 * Loads the configuration and the tools again. Reloads never run at the same time; a call during a reload causes one
 * more.
 */
export interface Reload {
  /** A reload on request. */
  now(): void;
  /** A file changed. Changes that come without end are taken up more slowly. */
  afterChange(): void;
}

/** So many changes are taken up at once, and one more each time that this has passed. */
const burst = 10;
const regainMs = 3000;

/**
 * @param load if it fails, the failure is logged, and nothing changes
 * @param onReload called with whether a reload took effect
 */
export function createReload(log: Log, load: () => Promise<void>, onReload?: (isDone: boolean) => void): Reload {
  let isLoading = false;
  let isAskedAgain = false;
  let left = burst;
  let leftAt = performance.now();
  let isSlow = false;
  let changeTimer: NodeJS.Timeout | undefined;

  const run = async (): Promise<void> => {
    isLoading = true;
    do {
      isAskedAgain = false;
      try {
        await load();
        onReload?.(true);
        log.info("configuration and tools were reloaded");
      } catch (error) {
        logFault(log, error);
        onReload?.(false);
      }
    } while (isAskedAgain);
    isLoading = false;
  };

  const reload: Reload = {
    now() {
      if (isLoading) isAskedAgain = true;
      else void run();
    },
    afterChange() {
      if (changeTimer !== undefined) return;
      const now = performance.now();
      left = Math.min(burst, left + (now - leftAt) / regainMs) - 1;
      leftAt = now;
      if (left > burst / 2) isSlow = false;
      if (left >= 0) return reload.now();
      if (!isSlow) log.warn("files keep changing: they are reloaded less often");
      isSlow = true;
      changeTimer = setTimeout(() => {
        changeTimer = undefined;
        reload.now();
      }, -left * regainMs).unref();
    },
  };
  return reload;
}

function logFault(log: Log, error: unknown): void {
  if (!(error instanceof ConfigError))
    return log.error({ err: error }, "the configuration was not reloaded; the previous one stays in effect");
  for (const problem of error.message.split("\n"))
    log.error({ problem }, "the configuration was not reloaded; the previous one stays in effect");
}
