import type { ToolContext } from "../tool/tool.ts";

/** What a source's executor gets beside its arguments. Each field is made when it is read. */
export interface SourceContext extends ToolContext {
  /** What is left of the time limit, in milliseconds; 0 once it has passed. */
  readonly remainingMs: number;
  /** How long it may wait for a slot of its source, in milliseconds. */
  readonly queueMs: number;
  /** From 1; more than 1 if the tool runs again because of `retries`. */
  readonly attempt: number;
  /** The trace to hand on (W3C Trace Context): that of the call's span, otherwise the caller's. */
  readonly trace: TraceHeaders | undefined;
  /** The request headers that some source forwards, by name in lower case. A source sends only those that it forwards. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}
