import {
  type Context,
  context,
  isSpanContextValid,
  propagation,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { ErrorCode } from "../../errors/errors.ts";
import type { TraceHeaders } from "../source-context.ts";
import { version } from "../../package.ts";

/**
 * Spans as OpenTelemetry's GenAI conventions name them (`execute_tool {name}`, status: development). Without an SDK in
 * the process there are none. Arguments and results are never recorded.
 */
const tracerName = "toolhost";

/** Undefined without an SDK: checking first is cheaper than starting spans that record nothing. */
function findTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(tracerName, version)
    : provider.getTracer(tracerName, version);
}

/** Attributes that must be known when the span starts, for a sampler's decision. Created once per tool. */
export interface SpanPlan {
  readonly name: string;
  readonly options: { readonly kind: SpanKind; readonly attributes: Record<string, string> };
}

export function planSpan(toolName: string): SpanPlan {
  return {
    name: `execute_tool ${toolName}`,
    options: {
      kind: SpanKind.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": toolName,
        "gen_ai.tool.type": "function",
      },
    },
  };
}

/** The caller's trace, from its `traceparent`. */
export function parentFrom(headers: Record<string, unknown>): Context {
  const extracted = propagation.extract(context.active(), headers);
  // Without an SDK nothing else reads the header; the log still needs its trace.
  if (trace.getSpanContext(extracted) !== undefined || findTracer() !== undefined) return extracted;
  const [, traceId = "", spanId = "", flags = ""] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(String(headers["traceparent"])) ?? [];
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(remote) ? trace.setSpanContext(extracted, remote) : extracted;
}

/** The trace that a call is part of: its span's, otherwise the caller's. */
export function traceIdOf(span: Span | undefined, parent: Context | undefined): string | undefined {
  if (span !== undefined) return span.spanContext().traceId;
  return parent === undefined ? undefined : trace.getSpanContext(parent)?.traceId;
}

/**
 * The trace that a call passes on, without baggage, which may contain data that its caller did not mean for others.
 * Format: W3C Trace Context, section 3.2.
 */
export function traceHeadersOf(span: Span | undefined, parent: Context | undefined): TraceHeaders | undefined {
  const found = span?.spanContext() ?? trace.getSpanContext(parent ?? context.active());
  if (found === undefined || !isSpanContextValid(found)) return undefined;
  const flags = (found.traceFlags & 0xff).toString(16).padStart(2, "0");
  const traceparent = `00-${found.traceId}-${found.spanId}-${flags}`;
  const tracestate = found.traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}

export function startSpan({ span: plan, tool }: SpanTool, callId: string, call: SpanCall): Span | undefined {
  const span = findTracer()?.startSpan(plan.name, plan.options, call.parent ?? context.active());
  if (span?.isRecording() === true) {
    span.setAttribute("toolhost.call.id", callId);
    if (call.modelCallId !== undefined) span.setAttribute("gen_ai.tool.call.id", call.modelCallId);
    span.setAttribute("gen_ai.tool.description", tool.description);
  }
  return span;
}

/**
 * The fields that a span needs of a registered tool, and of a call. Listed here, because both of their types refer to
 * spans.
 */
interface SpanTool {
  readonly span: SpanPlan;
  readonly tool: { readonly description: string };
}

interface SpanCall {
  readonly parent?: Context | undefined;
  readonly modelCallId?: string | undefined;
}

/** Runs with the active span, so that the tool's own spans become its children. */
export function runInSpan<T>(span: Span, parent: Context | undefined, run: () => T): T {
  return context.with(trace.setSpan(parent ?? context.active(), span), run);
}

export function endSpan(span: Span, code: "ok" | ErrorCode): void {
  if (code !== "ok" && span.isRecording()) {
    span.setAttribute("error.type", code);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
