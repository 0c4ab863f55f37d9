import { context, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { invoke } from "../../src/core/invoke.ts";
import { createRegistry } from "../../src/core/registry.ts";
import { parentFrom } from "../../src/core/span.ts";

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
beforeEach(() => exporter.reset());
afterAll(() => provider.shutdown());

const secret = "canary-5d1f";
const seen: (string | undefined)[] = [];
const registry = createRegistry({
  tools: [
    {
      name: "look",
      description: "Looks at the active span.",
      parameters: { type: "object", properties: { text: { type: "string" } }, additionalProperties: false },
      async execute() {
        await Promise.resolve();
        seen.push(trace.getSpan(context.active())?.spanContext().spanId);
        return { secret };
      },
    },
    {
      name: "fail",
      description: "Fails.",
      parameters: { type: "object" },
      execute: () => Promise.reject(new Error(secret)),
    },
  ],
});

describe("a call's span", () => {
  it("is named and described as OpenTelemetry's GenAI conventions say, and is the active one in the tool", async () => {
    const outcome = await invoke(registry, { name: "look", arguments: { text: secret } });
    const [span] = exporter.getFinishedSpans();
    expect(span?.name).toBe("execute_tool look");
    expect(span?.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.tool.type": "function",
      "toolhost.call.id": outcome.callId,
      "gen_ai.tool.description": "Looks at the active span.",
    });
    expect(span?.status.code).toBe(0);
    expect(seen.pop()).toBe(span?.spanContext().spanId);
  });

  it("holds the id that the model gave the call", async () => {
    await invoke(registry, { name: "look", arguments: {}, modelCallId: "call_1" });
    expect(exporter.getFinishedSpans()[0]?.attributes["gen_ai.tool.call.id"]).toBe("call_1");
  });

  it("belongs to the trace of the caller's traceparent", async () => {
    const parent = parentFrom({ traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" });
    await invoke(registry, { name: "look", arguments: {}, parent });
    const [span] = exporter.getFinishedSpans();
    expect(span?.spanContext().traceId).toBe("0af7651916cd43dd8448eb211c80319c");
    expect(span?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
  });

  it("says in which way the call failed", async () => {
    await invoke(registry, { name: "fail", arguments: {} });
    await invoke(registry, { name: "look", arguments: { text: 1 } });
    const spans = exporter.getFinishedSpans();
    expect(spans.map((span) => span.attributes["error.type"])).toEqual(["tool_failed", "invalid_arguments"]);
    expect(spans.map((span) => span.status.code)).toEqual([2, 2]);
  });

  it("holds neither arguments, results nor what was thrown", async () => {
    await invoke(registry, { name: "look", arguments: { text: secret } });
    await invoke(registry, { name: "fail", arguments: { text: secret } });
    const told = exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(JSON.stringify(told)).not.toContain(secret);
  });
});
