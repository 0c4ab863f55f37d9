import { createRequire } from "node:module";
import { context, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createAgent } from "../../../src/agent/agent.ts";
import { ToolError } from "../../../src/errors/errors.ts";
import { invoke } from "../../../src/core/call/invoke.ts";
import { createRegistry } from "../../../src/core/registry/registry.ts";
import { parentFrom } from "../../../src/core/call/span.ts";
import { createApp } from "../../../src/http/app.ts";
import { calls, says, scriptedModel } from "../../agent/scripted-model.ts";
import { post } from "../../http/app-in-memory.ts";
import { callTool, resultOf } from "../one-tool.ts";

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
beforeEach(() => exporter.reset());
afterAll(() => provider.shutdown());

/** A reply that calls `look` twice, and the ids that it gives these calls. */
const replies: Record<string, { readonly reply: object; readonly ids: readonly (string | undefined)[] }> = {
  openai: {
    reply: {
      role: "assistant",
      content: null,
      tool_calls: ["call_1", "call_2"].map((id) => ({
        id,
        type: "function",
        function: { name: "look", arguments: "{}" },
      })),
    },
    ids: ["call_1", "call_2"],
  },
  "openai-responses": {
    reply: {
      output: ["call_1", "call_2"].map((id) => ({ type: "function_call", call_id: id, name: "look", arguments: "{}" })),
    },
    ids: ["call_1", "call_2"],
  },
  anthropic: {
    reply: {
      role: "assistant",
      content: ["toolu_1", "toolu_2"].map((id) => ({ type: "tool_use", id, name: "look", input: {} })),
    },
    ids: ["toolu_1", "toolu_2"],
  },
  gemini: {
    reply: {
      role: "model",
      parts: [{ functionCall: { id: "g1", name: "look", args: {} } }, { functionCall: { name: "look" } }],
    },
    ids: ["g1", undefined],
  },
};

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

  it("is of the tracer toolhost, in the package's version", async () => {
    await invoke(registry, { name: "look", arguments: {} });
    const { version } = createRequire(import.meta.url)("../../../package.json") as { version: string };
    expect(exporter.getFinishedSpans()[0]?.instrumentationScope).toMatchObject({ name: "toolhost", version });
  });

  it("holds the number of attempts if there was more than one", async () => {
    let runs = 0;
    const execute = () => {
      if (++runs === 1) throw new ToolError("Not yet.", { retryable: true });
      return trace.getSpan(context.active())?.spanContext().spanId;
    };
    const outcome = await callTool({ execute, retries: 1, annotations: { readOnly: true } });
    const [span, ...others] = exporter.getFinishedSpans();
    expect(others).toEqual([]);
    expect(span?.attributes["toolhost.call.attempts"]).toBe(2);
    expect(resultOf(outcome)).toBe(span?.spanContext().spanId);
  });

  it.each(Object.keys(replies))("holds the model's id of a call in a reply of %s", async (format) => {
    const { reply, ids } = replies[format]!;
    const answer = await post(createApp({ registry }), `/calls?format=${format}`, JSON.stringify(reply));
    expect(answer.status).toBe(200);
    const found = exporter.getFinishedSpans().map(({ attributes }) => attributes["gen_ai.tool.call.id"]);
    expect(found).toEqual(ids);
  });

  it("holds the model's id of a call that an agent runs", async () => {
    const model = scriptedModel([calls(["call_7", "look", {}], ["call_8", "fail", {}]), says("Done.")]);
    await createAgent({ model, tools: registry }).chat("Look.");
    const found = exporter.getFinishedSpans().map(({ attributes }) => attributes["gen_ai.tool.call.id"]);
    expect(new Set(found)).toEqual(new Set(["call_7", "call_8"]));
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
