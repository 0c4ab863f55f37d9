import { ConfigError } from "../config/config-error.ts";
import type { Log } from "../telemetry/logger.ts";

/**
 * Makes what loads the configuration anew safe to call at any time: never two at once, and one more where it was called
 * in the meantime. What fails is logged, and all stays as it was.
 */
export function createReload(log: Log, load: () => Promise<void>): () => void {
  let isLoading = false;
  let isAskedAgain = false;
  const run = async (): Promise<void> => {
    isLoading = true;
    do {
      isAskedAgain = false;
      try {
        await load();
        log.info("configuration and tools were read again");
      } catch (error) {
        tellFault(log, error);
      }
    } while (isAskedAgain);
    isLoading = false;
  };
  return () => {
    if (isLoading) isAskedAgain = true;
    else void run();
  };
}

function tellFault(log: Log, error: unknown): void {
  if (!(error instanceof ConfigError)) return log.error({ err: error }, "the configuration was not taken over");
  for (const problem of error.message.split("\n")) log.error({ problem }, "the configuration was not taken over");
}
