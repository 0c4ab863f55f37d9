import { ConfigError } from "../config/config-error.ts";
import type { Log } from "../telemetry/logger.ts";

/** Loads the configuration and the tools again. Never two at once, and one more if it was called in the meantime. */
export interface Reload {
  /** Somebody asked for it. */
  now(): void;
  /** A file changed. Changes that come without end are taken up more slowly. */
  afterChange(): void;
  /** Something could not be read, as while too many files are open: it is tried again, each time later. */
  repeat(): void;
}

/** So many changes are taken up at once, and one more each time that this has passed. */
const burst = 10;
const regainMs = 3000;
const firstRepeatMs = 250;
const longestRepeatMs = 30_000;

/**
 * @param onReload is told whether a reload took effect
 * @param load gets whether it only tries again what could not be read; resolves to whether something still cannot.
 * If it fails, that is logged, and all stays as it was
 */
export function createReload(
  log: Log,
  load: (isRepeat: boolean) => Promise<boolean>,
  onReload?: (isDone: boolean) => void,
): Reload {
  let isLoading = false;
  let isAskedAgain = false;
  let repeatMs = firstRepeatMs;
  let repeatTimer: NodeJS.Timeout | undefined;
  let left = burst;
  let leftAt = performance.now();
  let isSlow = false;
  let changeTimer: NodeJS.Timeout | undefined;

  const run = async (isRepeat: boolean): Promise<void> => {
    isLoading = true;
    clearTimeout(repeatTimer);
    let isIncomplete = false;
    for (let onlyRepeats = isRepeat, isFirst = true; isFirst || isAskedAgain; onlyRepeats = false, isFirst = false) {
      isAskedAgain = false;
      try {
        isIncomplete = await load(onlyRepeats);
        onReload?.(true);
        if (!onlyRepeats || !isIncomplete) log.info("configuration and tools were read again");
      } catch (error) {
        tellFault(log, error);
        onReload?.(false);
      }
    }
    isLoading = false;
    if (isIncomplete) reload.repeat();
    else repeatMs = firstRepeatMs;
  };

  const reload: Reload = {
    now() {
      if (isLoading) isAskedAgain = true;
      else void run(false);
    },
    afterChange() {
      if (changeTimer !== undefined) return;
      const now = performance.now();
      left = Math.min(burst, left + (now - leftAt) / regainMs) - 1;
      leftAt = now;
      if (left > burst / 2) isSlow = false;
      if (left >= 0) return reload.now();
      if (!isSlow) log.warn("files change without end: they are read again more slowly");
      isSlow = true;
      changeTimer = setTimeout(() => {
        changeTimer = undefined;
        reload.now();
      }, -left * regainMs).unref();
    },
    repeat() {
      clearTimeout(repeatTimer);
      repeatTimer = setTimeout(() => void (isLoading || run(true)), repeatMs).unref();
      repeatMs = Math.min(2 * repeatMs, longestRepeatMs);
    },
  };
  return reload;
}

function tellFault(log: Log, error: unknown): void {
  if (!(error instanceof ConfigError)) return log.error({ err: error }, "the configuration was not taken over");
  for (const problem of error.message.split("\n")) log.error({ problem }, "the configuration was not taken over");
}
