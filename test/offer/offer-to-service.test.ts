import { expect, it, onTestFinished, vi } from "vitest";
import { createStartCall } from "../../src/core/call/start-call.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { ToolError } from "../../src/errors/errors.ts";
import { createOffer } from "../../src/offer/offer.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import type { Tool, ToolContext } from "../../src/tool/tool.ts";
import { startWorkerService, token, type WorkerService, type WorkerServiceOptions } from "../workers/worker-service.ts";

interface Offered {
  readonly service: WorkerService;
  change(...tools: readonly Partial<Tool>[]): void;
  end(): Promise<void>;
}

/** A service, and an offer of tools to it that is registered. */
async function offered(tools: readonly Partial<Tool>[], options: WorkerServiceOptions = {}): Promise<Offered> {
  const service = await startWorkerService(options);
  const registry = createRegistry({ overrides: { "*": { timeoutMs: 900_000, response: "off" } } });
  const offer = createOffer({
    url: `${service.url}/workers`,
    token,
    name: "billing",
    concurrency: 10,
    startCall: createStartCall(registry),
    log: createLogger("silent", () => undefined),
  });
  const end = (): Promise<void> => offer.end(0, () => undefined);
  onTestFinished(end);
  const change = (...next: readonly Partial<Tool>[]): void => {
    registry.replace("folder", next.map(toolOf));
    offer.set(registry.list());
  };
  change(...tools);
  const names = tools.map(({ name = "" }) => name);
  await vi.waitFor(() => expect(service.registry.list().map(({ tool }) => tool.name)).toEqual(names));
  return { service, change, end };
}

function toolOf(tool: Partial<Tool>): Tool {
  return { name: "tool", description: "A tool.", parameters: { type: "object" }, execute: () => null, ...tool };
}

it("runs calls of the service's callers, who get results and errors as from a tool of its own", async () => {
  const { service } = await offered([
    { name: "add", execute: ({ a, b }) => Number(a) + Number(b) },
    { name: "broken", response: { type: "number" }, execute: () => "text" },
    {
      name: "failing",
      execute: () => Promise.reject(new ToolError("No card.", { retryable: true, details: { card: 1 } })),
    },
    { name: "large", resultBytes: 100, execute: () => "x".repeat(200) },
  ]);
  const callIds = expect.any(String) as string;
  expect(await service.call("add", { a: 1, b: 2 })).toEqual({ status: "ok", callId: callIds, result: 3 });
  expect(await service.call("failing")).toMatchObject({
    error: { code: "tool_failed", message: "No card.", retryable: true, details: { card: 1 } },
  });
  expect(await service.call("broken")).toMatchObject({ error: { code: "invalid_result", issues: [{ path: "" }] } });
  expect(await service.call("large")).toMatchObject({
    error: { code: "tool_failed", details: { code: "result_too_large" } },
  });
});

it("aborts the signal if the caller left or the time limit passed", async () => {
  const contexts: ToolContext[] = [];
  const held = {
    name: "held",
    execute: (_args: object, context: ToolContext) => {
      contexts.push(context);
      return new Promise(() => undefined);
    },
  };
  const { service } = await offered([held]);
  const leaving = new AbortController();
  const left = fetch(`${service.url}/tools/held/invoke`, { method: "POST", signal: leaving.signal }).catch(
    () => "left",
  );
  await vi.waitFor(() => expect(contexts).toHaveLength(1));
  const [{ signal }] = contexts as [ToolContext];
  expect(signal.aborted).toBe(false);
  leaving.abort();
  expect(await left).toBe("left");
  await vi.waitFor(() => expect(signal.aborted).toBe(true));

  const late = service.call("held", {}, {}, "?timeoutMs=50");
  expect(await late).toMatchObject({ error: { code: "timeout", ran: "unknown" } });
  await vi.waitFor(() => expect(contexts).toHaveLength(2));
  await vi.waitFor(() => expect(contexts[1]?.signal.aborted).toBe(true));
});

it("changes a declaration while a call of the older one runs", async () => {
  const ends: ((result: string) => void)[] = [];
  const { service, change } = await offered([
    { name: "quote", execute: () => new Promise((resolve) => ends.push(resolve)) },
  ]);
  const old = service.call("quote");
  await vi.waitFor(() => expect(ends).toHaveLength(1));
  change({ name: "quote", description: "Another one.", execute: () => "new" });
  await vi.waitFor(() => expect(service.registry.find("quote")?.tool.description).toBe("Another one."));
  expect(await service.call("quote")).toMatchObject({ result: "new" });
  ends[0]!("old");
  expect(await old).toMatchObject({ status: "ok", result: "old" });
});

it("keeps content blocks", async () => {
  const content = [{ type: "image", data: "AAAA", mimeType: "image/png" }];
  const { service } = await offered([{ name: "draw", contentBlocks: true, execute: () => ({ content }) }]);
  expect(await service.call("draw")).toMatchObject({ status: "ok", result: { content } });
});

it("leaves when it ends: the next call is unavailable at once", async () => {
  const { service, end } = await offered([{ name: "add" }]);
  await end();
  expect(await service.call("add")).toMatchObject({ error: { code: "unavailable", ran: "no" } });
});

it("gets a call's bound arguments and session", async () => {
  const seen: unknown[] = [];
  const { service } = await offered(
    [
      {
        name: "orders",
        parameters: { type: "object", properties: { tenant: { type: "string" } }, required: ["tenant"] },
        execute: (args, { session }) => void seen.push([args, session]),
      },
    ],
    { settings: { overrides: { orders: { bind: { tenant: { value: "acme" } } } } } },
  );
  expect(await service.call("orders", {}, { "toolhost-session": "s1" })).toMatchObject({ status: "ok", result: null });
  expect(seen).toEqual([[{ tenant: "acme" }, "s1"]]);
});
