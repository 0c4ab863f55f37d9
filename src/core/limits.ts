/** The limits of the calls of a process. */
export interface Limits {
  /** The most calls at once, including those that wait for a slot; further calls are `overloaded`. @default 10000 */
  readonly callsInFlight: number;
  /**
   * How long a call waits for a slot of its tool's `concurrency`, in milliseconds; with 0 it does not wait. @default
   * 1000
   */
  readonly queueMs: number;
  /** Time limit of tools that do not set one, in milliseconds. @default 10000 */
  readonly timeoutMs: number;
}

/** The limits if nothing else is set. */
export const defaultLimits: Limits = { callsInFlight: 10_000, queueMs: 1000, timeoutMs: 10_000 };
