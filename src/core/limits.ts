/** What bounds the calls of a process. */
export interface Limits {
  /** Calls at once, those that wait for a slot included; more are `overloaded`. @default 10000 */
  readonly callsInFlight: number;
  /** How long a call waits for a slot of its tool's `concurrency`, in milliseconds; 0 is not at all. @default 1000 */
  readonly queueMs: number;
  /** Time limit of tools that name none, in milliseconds. @default 10000 */
  readonly timeoutMs: number;
}
