import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/core/call/call.ts";
import { parentFrom } from "../../../src/core/call/span.ts";
import type { SourceContext } from "../../../src/core/source-context.ts";
import { UpstreamError } from "../../../src/errors/errors.ts";
import { createRegistry, invoke } from "../../../src/index.ts";
import { appOf } from "../../http/app-in-memory.ts";
import { resultOf, toolOf } from "../one-tool.ts";

async function read(pick: (context: SourceContext) => unknown, call: Partial<Call> = {}): Promise<unknown> {
  const execute = (_args: unknown, context: SourceContext) => pick(context) ?? null;
  const registry = createRegistry({ env: {}, tools: [toolOf({ execute: execute as never, timeoutMs: 60_000 })] });
  return resultOf(await invoke(registry, { name: "tool", arguments: {}, ...call }));
}

describe("the context of a source's executor", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  it("has the time that is left of the call's own limit", async () => {
    const left = (await read((context) => context.remainingMs, { timeoutMs: 30_000 })) as number;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(30_000);
    expect(Number.isInteger(left)).toBe(true);
  });

  it("has the caller's trace to hand on, and none without one", async () => {
    expect(await read(({ trace: given }) => given, { parent: parentFrom({ traceparent }) })).toEqual({ traceparent });
    expect(await read(({ trace: given }) => given)).toBeNull();
    const invalid = { traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 1 };
    expect(await read(({ trace: given }) => given, { parent: trace.setSpanContext(ROOT_CONTEXT, invalid) })).toBeNull();
  });

  it("has the headers that the door carried", async () => {
    expect(await read(({ headers }) => headers, { headers: { "x-tenant": "a" } })).toEqual({ "x-tenant": "a" });
    expect(await read(({ headers }) => headers)).toEqual({});
  });

  it.each([
    ["/tools/tool/invoke", {}],
    ["/calls", { calls: [{ name: "tool" }] }],
  ])("has those of the request's headers that are forwarded, and no others, at %s", async (path, body) => {
    const seen: unknown[] = [];
    const execute = (_args: unknown, { headers }: SourceContext) => void seen.push(headers);
    const registry = createRegistry({ env: {}, tools: [toolOf({ execute: execute as never })] });
    const headers = { "content-type": "application/json", "x-tenant": "a", "x-other": "b", cookie: "c=d" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    await appOf([], { registry, forwardedHeaders: new Set(["x-tenant", "x-absent"]) }).app.request(path, init);
    await appOf([], { registry }).app.request(path, init);
    expect(seen).toEqual([{ "x-tenant": "a" }, {}]);
  });

  it("counts attempts", async () => {
    const attempts: number[] = [];
    const execute = (_args: unknown, { attempt }: SourceContext) => {
      attempts.push(attempt);
      if (attempt === 1) throw new UpstreamError("It is down.", { status: 503 });
      return attempt;
    };
    const tool = toolOf({ execute: execute as never, retries: 2, annotations: { readOnly: true } });
    const registry = createRegistry({ env: {}, tools: [tool] });
    expect(resultOf(await invoke(registry, { name: "tool", arguments: {} }))).toBe(2);
    expect(attempts).toEqual([1, 2]);
  });
});
