import type { ToolContext } from "../tool/tool.ts";

/** The second argument of a source's executor. Each field is computed when it is read. */
export interface SourceContext extends ToolContext {
  /** The remaining time, in milliseconds; 0 after the time limit. */
  readonly remainingMs: number;
  /** How long it may wait for a slot of its source, in milliseconds. */
  readonly queueMs: number;
  /** From 1; more than 1 if the tool runs again because of `retries`. */
  readonly attempt: number;
  /** The trace to pass on (W3C Trace Context): that of the call's span, otherwise the caller's. */
  readonly trace: TraceHeaders | undefined;
  /**
   * The request headers that some source forwards, by name in lower case. A source sends only those that it forwards.
   */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Calls `cancel` of an object if the call is stopped from now on: {@link ToolContext.signal} without the cost of a
   * signal. The last object that was given is called.
   */
  whenStopped(target: { cancel(): void }): void;
}

export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}
