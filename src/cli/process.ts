import type { Log } from "../telemetry/log.ts";

/** What really ends the process: a tool that calls `process.exit` fails, and the others live. */
const exit = process.exit.bind(process);

/** Takes the process's end out of the tools' hands. */
export function keepRunning(): void {
  process.exit = () => {
    throw new Error("a tool called process.exit");
  };
}

/** A tool that fails where nobody waits for it must not take the others down. */
export function outliveFaults(log: Log): void {
  process.on("unhandledRejection", (error) =>
    log.error({ err: error }, "a promise was rejected and nobody handled it"),
  );
  process.on("uncaughtException", (error) => log.error({ err: error }, "an error was thrown and nobody caught it"));
}

/**
 * Hears SIGHUP from now on, which would end a process that does not. One that comes before there is anything to reload
 * is answered then.
 */
export function hearHangUps(): { answerWith(reload: () => void): void } {
  let isAsked = false;
  let answer = (): void => void (isAsked = true);
  process.on("SIGHUP", () => answer());
  return {
    answerWith(reload) {
      answer = reload;
      if (isAsked) reload();
    },
  };
}

/** Ends the process on SIGTERM or SIGINT when `end` is done; a second one ends it at once. */
export function endOnSignal(log: Log, end: () => Promise<void>): void {
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
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
