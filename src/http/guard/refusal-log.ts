import type { Log } from "../../telemetry/logger.ts";
import type { Refusal } from "./refusal.ts";

const maxPerSecond = 10;
const windowMs = 1000;

export interface RefusalLog {
  add(refusal: Refusal): void;
  /** Logs the requests that are only counted so far, at the end of the process. */
  end(): void;
}

/**
 * Logs refused requests, at most ten a second: a client can make any number of them. Further ones are counted in one
 * line at the end of the second.
 */
export function createRefusalLog(log: Log): RefusalLog {
  let logged = 0;
  let more = 0;
  let timer: NodeJS.Timeout | undefined;
  const endWindow = (): void => {
    timer = undefined;
    logged = 0;
    if (more > 0) log.warn({ requests: more }, "more requests were refused");
    more = 0;
  };
  return {
    add({ code, status, requestId, method, route, remote, reason }) {
      timer ??= setTimeout(endWindow, windowMs).unref();
      if (logged === maxPerSecond) {
        more++;
        return;
      }
      logged++;
      log.warn({ code, status, method, route, requestId, remote, reason }, "request refused");
    },
    end() {
      clearTimeout(timer);
      endWindow();
    },
  };
}
