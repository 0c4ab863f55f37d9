import { untilAborted } from "../async/until-aborted.ts";
import type { Readiness } from "../core/registry/readiness.ts";
import { type Source, SourceError, type SourceReading, type SourceStatus } from "../core/source.ts";

/** A source that is read again when it changed or failed, alone. */
export interface KeptSource {
  readonly source: Source;
  readonly state: SourceStatus["state"];
  /** Why it is not ready. */
  readonly reason: string | undefined;
  /** The last read that succeeded. */
  readonly reading: SourceReading | undefined;
  readonly readiness: Readonly<Readiness>;
  /** Reads it. @returns a promise that resolves when a read that began after this call has ended, even if it failed */
  refresh(): Promise<void>;
  /** Aborts a read, and ends the source. */
  close(): Promise<void>;
}

/** When sources are read, in milliseconds. */
export interface ReadTimes {
  /** Time limit of a read. @default 30000, and 300000 for a source of this machine, which may hold many modules */
  readonly readLimitMs?: number;
  /** The longest delay of the first retry after a failure. Each further failure doubles it. @default 250 */
  readonly firstRetryMs?: number;
  /** The longest delay of any retry. @default 30000 */
  readonly longestRetryMs?: number;
  /** If a source was ready for this time before it failed, its earlier failures no longer count. @default 30000 */
  readonly stableMs?: number;
  /** The delay between a change notice and its read. Further notices in this time cause no further read. @default 100 */
  readonly noticeMs?: number;
  /** The shortest time between two reads that follow change notices. @default 1000 */
  readonly noticeIntervalMs?: number;
}

export interface KeepOptions extends ReadTimes {
  /** Called after each read, and if the source reports that it cannot serve calls. */
  readonly onUpdate: () => void;
  /** Called with an error of the source that operators must not see in `/status`. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

export function keepSource(source: Source, options: KeepOptions): KeptSource {
  const {
    readLimitMs = source.isLocal === true ? 300_000 : 30_000,
    firstRetryMs = 250,
    longestRetryMs = 30_000,
    stableMs = 30_000,
    noticeMs = 100,
    noticeIntervalMs = 1000,
    onUpdate,
    onFault,
  } = options;
  let state: SourceStatus["state"] = "connecting";
  let reason: string | undefined;
  let reading: SourceReading | undefined;
  const readiness: Readiness = { isDropped: false };
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let failures = 0;
  let readyAt = Infinity;
  let noticeReadAt = -Infinity;
  let retryTimer: NodeJS.Timeout | undefined;
  let noticeTimer: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;
  const end = new AbortController();

  const refresh = (): Promise<void> => {
    if (end.signal.aborted) return Promise.resolve();
    if (running === undefined) return (running = read().finally(() => (running = undefined)));
    following ??= running.then(() => {
      following = undefined;
      return refresh();
    });
    return following;
  };
  const read = async (): Promise<void> => {
    clearTimeout(retryTimer);
    clearTimeout(noticeTimer);
    noticeTimer = undefined;
    try {
      const found = await readInTime(source, readLimitMs, end.signal);
      if (end.signal.aborted) return;
      [state, reason, reading] = ["ready", undefined, found];
      readiness.isDropped = false;
      if (found.isIncomplete === true) retry();
      else readyAt = Math.min(readyAt, performance.now());
    } catch (error) {
      if (end.signal.aborted) return;
      if (!(error instanceof SourceError)) onFault?.(error);
      [state, reason] = ["failed", error instanceof SourceError ? error.message : "it could not be read"];
      retry();
    }
    report();
  };
  /** A listener that throws must not stop later reads. */
  const report = (): void => {
    try {
      onUpdate();
    } catch (error) {
      onFault?.(error);
    }
  };
  /** A source that fails as soon as it is ready again must not be read without end: its failures go on counting. */
  const retry = (): void => {
    if (performance.now() - readyAt >= stableMs) failures = 0;
    readyAt = Infinity;
    const delayMs = Math.min(firstRetryMs * 2 ** failures++, longestRetryMs);
    clearTimeout(retryTimer);
    // Replicas that lost the same server must not come back in step.
    retryTimer = setTimeout(refresh, delayMs * (0.5 + Math.random() / 2)).unref();
  };

  source.watch?.({
    changed() {
      if (end.signal.aborted || noticeTimer !== undefined) return;
      const now = performance.now();
      noticeReadAt = Math.max(now + noticeMs, noticeReadAt + noticeIntervalMs);
      noticeTimer = setTimeout(refresh, noticeReadAt - now).unref();
    },
    dropped(why) {
      if (end.signal.aborted) return;
      [state, reason] = ["connecting", why];
      readiness.isDropped = true;
      retry();
      report();
    },
  });
  return {
    source,
    get state() {
      return state;
    },
    get reason() {
      return reason;
    },
    get reading() {
      return reading;
    },
    readiness,
    refresh,
    close() {
      closing ??= closeSource();
      return closing;
    },
  };

  async function closeSource(): Promise<void> {
    end.abort();
    clearTimeout(retryTimer);
    clearTimeout(noticeTimer);
    try {
      await source.close?.();
    } catch (error) {
      onFault?.(error);
    }
  }
}

/** A source that ignores the signal is not waited for: what it still finds is not used. */
async function readInTime(source: Source, limitMs: number, end: AbortSignal): Promise<SourceReading> {
  const stop = new AbortController();
  const onEnd = (): void => stop.abort(new SourceError("it was closed"));
  const onLate = (): void => stop.abort(new SourceError(`it was not read within ${limitMs / 1000} s`));
  const timer = setTimeout(onLate, limitMs);
  end.addEventListener("abort", onEnd, { once: true });
  try {
    return await untilAborted(source.read(stop.signal), stop.signal);
  } finally {
    clearTimeout(timer);
    end.removeEventListener("abort", onEnd);
  }
}
