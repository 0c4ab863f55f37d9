/** What bounds the calls of a process. */
export interface Limits {
  /** Calls at once, those that wait for a slot included; more are `overloaded`. @default 10000 */
  readonly callsInFlight: number;
  /** How long a call waits for a slot of its tool's `concurrency`, in milliseconds; 0 is not at all. @default 1000 */
  readonly queueMs: number;
  /** Time limit of tools that name none, in milliseconds. @default 10000 */
  readonly timeoutMs: number;
}

/** What a process has if nothing else is set. */
export const defaultLimits: Limits = { callsInFlight: 10_000, queueMs: 1000, timeoutMs: 10_000 };
