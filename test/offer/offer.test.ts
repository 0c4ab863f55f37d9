import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createStartCall } from "../../src/core/call/start-call.ts";
import { runningCalls, stopCalls } from "../../src/core/call/running-call.ts";
import type { CallRecord } from "../../src/core/observer.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { CallError, ToolError } from "../../src/errors/errors.ts";
import { createOffer, type Offer } from "../../src/offer/offer.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import type { Tool, ToolContext } from "../../src/tool/tool.ts";
import { type StandInService, startStandIn } from "./stand-in-service.ts";
import { sizeOf } from "../runs.ts";

const token = "worker-token-of-the-test";

function toolOf(name: string, execute: Tool["execute"], more: Partial<Tool> = {}): Tool {
  return { name, description: "A tool.", parameters: { type: "object" }, execute, ...more };
}

interface Offering {
  readonly service: StandInService;
  readonly offer: Offer;
  /** The lines of its log. */
  readonly lines: string[];
  /** The calls that ended here. */
  readonly records: readonly CallRecord[];
  /** Replaces the tools. */
  change(...tools: readonly Tool[]): void;
  end(withinMs?: number): Promise<void>;
}

interface Options {
  readonly concurrency?: number;
  readonly service?: StandInService;
}

async function offering(tools: readonly Tool[], { concurrency = 10, service }: Options = {}): Promise<Offering> {
  const standIn = service ?? (await startStandIn());
  const lines: string[] = [];
  const records: CallRecord[] = [];
  const registry = createRegistry({
    observer: { onCall: (record) => records.push(record) },
    overrides: { "*": { timeoutMs: 900_000, response: "off" } },
  });
  const offer = createOffer({
    url: `${standIn.url}/workers`,
    token,
    name: "billing",
    concurrency,
    startCall: createStartCall(registry),
    log: createLogger("debug", (line) => lines.push(line)),
    // Its thread is started by the tests of an offer to a service.
    startHeartbeat: () => ({ sign() {}, set() {}, async end() {} }),
  });
  const change = (...next: readonly Tool[]): void => {
    registry.replace("folder", next);
    offer.set(registry.list());
  };
  const stop = (): void => stopCalls(registry, new CallError("cancelled", "The worker shut down."));
  const end = (withinMs = 60_000): Promise<void> => offer.end(withinMs, stop);
  onTestFinished(async () => {
    standIn.fault = () => undefined;
    for (const call of runningCalls(registry)) call.stop(new CallError("cancelled", "The test has ended."));
    await end(0);
  });
  change(...tools);
  return { service: standIn, offer, lines, records, change, end };
}

/** A tool that reports its context and ends when the test says so. */
function heldTool(name = "held", more: Partial<Tool> = {}): Tool & { readonly runs: Run[] } {
  const runs: Run[] = [];
  const execute: Tool["execute"] = (_args, context) =>
    new Promise((resolve, reject) => runs.push({ context, resolve, reject }));
  return { ...toolOf(name, execute, more), runs };
}

interface Run {
  readonly context: ToolContext;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const refusedTools = [
  { name: "charge", state: "refused", reason: "the token may not offer this name" },
  { name: "refund", state: "refused", reason: "the schema is not valid" },
];
const registrationOf = (tools: readonly object[]): string => JSON.stringify({ workerId: "w9", leaseMs: 30_000, tools });
const refusingAll = () => ({ status: 201, text: registrationOf(refusedTools) });

describe("an offer of tools", () => {
  it("registers what models and the service need of each tool, with the token", async () => {
    const echo = toolOf("echo", (args) => args, {
      title: "Echo",
      tags: ["a"],
      response: { type: "object" },
      annotations: { readOnly: true },
      strict: true,
      contentBlocks: false,
      timeoutMs: 2000,
      concurrency: 3,
      resultBytes: 5000,
      retries: 2,
      requires: [],
    });
    const { service } = await offering([echo, toolOf("plain", () => 1)], { concurrency: 7 });
    await vi.waitFor(() => expect(service.polls).toHaveLength(1));
    const { execute: _, retries: _retries, requires: _requires, ...declared } = echo;
    expect(service.registered).toEqual([
      {
        name: "billing",
        concurrency: 7,
        tools: [declared, { name: "plain", description: "A tool.", parameters: { type: "object" } }],
      },
    ]);
    expect(service.polls).toEqual([{ workerId: "w1", max: 7, waitMs: 10_000 }]);
    expect([...service.authorizations]).toEqual([`Bearer ${token}`]);
  });

  it("runs a call as the service describes it, and answers with its result", async () => {
    const held = heldTool();
    const { service, lines, records } = await offering([held]);
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    service.handOut({ callId: "c-1", tool: "held", arguments: { id: 17 }, session: "s 1", traceparent });
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    const { context, resolve } = held.runs[0]!;
    expect([context.callId, context.session]).toEqual(["c-1", "s 1"]);
    context.log("warn", "half way", { id: 17 });
    expect(lines.join("")).not.toContain("s 1");
    resolve({ total: 17.5 });
    await vi.waitFor(() => expect(service.sent()).toHaveLength(2));
    expect(service.sent()).toEqual([
      { callId: "c-1", log: { level: "warn", message: "half way", fields: { id: 17 } } },
      { callId: "c-1", result: { total: 17.5 } },
    ]);
    expect(records).toMatchObject([{ callId: "c-1", tool: "held", caller: "toolhost", traceId: "a".repeat(32) }]);
  });

  it("takes the time limit of the call, also if it is longer than that of the tool", async () => {
    const slow = heldTool("slow", { timeoutMs: 1 });
    const { service } = await offering([slow]);
    service.handOut(
      { callId: "long", tool: "slow", timeoutMs: 600_000 },
      { callId: "short", tool: "slow", timeoutMs: 20 },
    );
    await vi.waitFor(() => expect(service.sent()).toHaveLength(1));
    expect(service.sent()).toEqual([
      {
        callId: "short",
        error: {
          message: expect.stringContaining("did not finish within 20 ms"),
          retryable: false,
          details: { code: "timeout", ran: "unknown" },
        },
      },
    ]);
    slow.runs[0]!.resolve("late");
    await vi.waitFor(() => expect(service.sent()[1]).toEqual({ callId: "long", result: "late" }));
  });

  it.each([
    {
      what: "a ToolError",
      thrown: () => new ToolError("There is no order 17.", { retryable: true, details: { order: 17 } }),
      error: { message: "There is no order 17.", retryable: true, details: { order: 17 } },
    },
    {
      what: "a ToolError without more",
      thrown: () => new ToolError("There is no order 17."),
      error: { message: "There is no order 17.", retryable: false },
    },
    {
      what: "another error, whose message is for the log",
      thrown: () => new Error("secret"),
      error: { message: expect.stringContaining("internal error"), retryable: false },
    },
    {
      what: "a result that is not JSON",
      thrown: undefined,
      error: {
        message: expect.stringContaining("/total"),
        retryable: false,
        details: { code: "invalid_result", issues: [expect.objectContaining({ path: "/total" })] },
      },
    },
  ])("keeps message, retryable and details of $what", async ({ thrown, error }) => {
    const failing = toolOf("failing", () => {
      if (thrown === undefined) return { total: NaN };
      throw thrown();
    });
    const { service } = await offering([failing]);
    service.handOut({ callId: "c-1", tool: "failing" });
    await vi.waitFor(() => expect(service.sent()).toEqual([{ callId: "c-1", error }]));
  });

  it("passes a result on that breaks the tool's own schema: the service checks it, and an operator may tolerate it", async () => {
    const odd = toolOf("odd", () => "text", { response: { type: "number" } });
    const { service } = await offering([odd]);
    service.handOut({ callId: "c-1", tool: "odd" });
    await vi.waitFor(() => expect(service.sent()).toEqual([{ callId: "c-1", result: "text" }]));
  });

  it("refuses arguments that only the tool's own library can refuse, with the issues", async () => {
    const { z } = await import("zod");
    const { defineTool } = await import("../../src/tool/tool.ts");
    const even = defineTool({
      name: "even",
      description: "Takes an even number.",
      parameters: z.object({ n: z.number().refine((n) => n % 2 === 0) }),
      execute: ({ n }) => n,
    });
    const { service } = await offering([even]);
    service.handOut({ callId: "c-1", tool: "even", arguments: { n: 3 } });
    await vi.waitFor(() => expect(service.sent()).toHaveLength(1));
    expect(service.sent()[0]?.error).toMatchObject({
      retryable: false,
      details: { code: "invalid_arguments", ran: "no", issues: [{ path: "/n" }] },
    });
  });

  it("answers many calls in one request", async () => {
    const { service } = await offering([toolOf("echo", ({ i }) => i)], { concurrency: 50 });
    service.handOut(...Array.from({ length: 50 }, (_, i) => ({ callId: `c-${i}`, tool: "echo", arguments: { i } })));
    await vi.waitFor(() => expect(service.sent()).toHaveLength(50));
    expect(service.requests).toHaveLength(1);
    expect(service.sent().map(({ result }) => result)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  it("asks for no more calls than it may run, and for more as soon as one ends", async () => {
    const held = heldTool();
    const { service } = await offering([held], { concurrency: 2 });
    service.handOut({ callId: "c-1", tool: "held" }, { callId: "c-2", tool: "held" }, { callId: "c-3", tool: "held" });
    await vi.waitFor(() => expect(service.polls.at(-1)).toMatchObject({ max: 0 }));
    expect(held.runs).toHaveLength(2);
    held.runs[0]!.resolve(1);
    await vi.waitFor(() => expect(held.runs).toHaveLength(3));
    await vi.waitFor(() => expect(service.polls.map(({ max }) => max)).toEqual([2, 0, 1, 0]));
  });

  it("gets a cancellation while it is full, and does not answer the call", async () => {
    const held = heldTool();
    const { service } = await offering([held], { concurrency: 1 });
    service.handOut({ callId: "c-1", tool: "held" }, { callId: "c-2", tool: "held" });
    await vi.waitFor(() => expect(service.polls.at(-1)).toMatchObject({ max: 0 }));
    const { signal } = held.runs[0]!.context;
    service.cancel("c-1", "unknown");
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    await vi.waitFor(() => expect(held.runs).toHaveLength(2));
    held.runs[1]!.resolve(2);
    await vi.waitFor(() => expect(service.sent()).toEqual([{ callId: "c-2", result: 2 }]));
  });

  it("sends the newest progress of a call, and all of it before its answer", async () => {
    const counting = toolOf("counting", async (_args, { progress }) => {
      for (let i = 1; i <= 10_000; i++) progress({ progress: i, total: 10_000 });
      return "done";
    });
    const { service } = await offering([counting]);
    service.handOut({ callId: "c-1", tool: "counting" });
    await vi.waitFor(() => expect(service.sent().at(-1)).toEqual({ callId: "c-1", result: "done" }));
    expect(service.sent()).toHaveLength(2);
    expect(service.sent()[0]).toEqual({ callId: "c-1", progress: { progress: 10_000, total: 10_000 } });
  });

  it("keeps the log entries of a flood within bounds", async () => {
    const flooding = toolOf("flooding", async (_args, { log }) => {
      for (let i = 0; i < sizeOf(100_000, 10_000); i++) log("info", `line ${i}`);
      return "done";
    });
    const { service } = await offering([flooding]);
    service.handOut({ callId: "c-1", tool: "flooding" });
    await vi.waitFor(() => expect(service.sent().at(-1)).toEqual({ callId: "c-1", result: "done" }));
    expect(service.sent().length).toBeLessThanOrEqual(1001);
  });
});

describe("an offer of tools that change", () => {
  it("is registered again with the changed declaration, and calls of the older one are answered under its id", async () => {
    const held = heldTool();
    const { service, change } = await offering([held]);
    service.handOut({ callId: "c-1", tool: "held" });
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    change(toolOf("held", () => "new", { description: "Another description." }));
    await vi.waitFor(() => expect(service.polls).toContainEqual(expect.objectContaining({ workerId: "w2" })));
    await vi.waitFor(() => expect(service.left).toEqual(["w1"]));
    service.handOut({ callId: "c-2", tool: "held" });
    await vi.waitFor(() => expect(service.sent()).toEqual([{ callId: "c-2", result: "new" }]));
    held.runs[0]!.resolve("old");
    await vi.waitFor(() => expect(service.sent()).toHaveLength(2));
    expect(service.requests.at(-1)).toEqual({ workerId: "w1", sent: [{ callId: "c-1", result: "old" }] });
    expect(service.registered.map(({ tools }) => tools[0]?.["description"])).toEqual([
      "A tool.",
      "Another description.",
    ]);
  });

  it("gets the cancellations of the calls of the older one", async () => {
    const held = heldTool();
    const { service, change } = await offering([held]);
    service.handOut({ callId: "c-1", tool: "held" });
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    const { signal } = held.runs[0]!.context;
    change(toolOf("other", () => 1));
    await vi.waitFor(() => expect(service.left).toEqual(["w1"]));
    service.cancel("c-1");
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    expect(service.sent()).toEqual([]);
  });

  it("is not registered again if only the code has changed", async () => {
    const { service, change } = await offering([toolOf("echo", () => "old")]);
    await vi.waitFor(() => expect(service.polls).toHaveLength(1));
    change(toolOf("echo", () => "new"));
    service.handOut({ callId: "c-1", tool: "echo" });
    await vi.waitFor(() => expect(service.sent()).toEqual([{ callId: "c-1", result: "new" }]));
    expect(service.registered).toHaveLength(1);
  });

  it("keeps the tools that the service has if it refuses the changed ones, and offers the next change", async () => {
    const { service, change, lines } = await offering([toolOf("echo", () => 1)]);
    await vi.waitFor(() => expect(service.polls).toHaveLength(1));
    service.fault = (_method, path) => (path === "/workers" ? { status: 413, message: "Too many tools." } : undefined);
    change(
      toolOf("echo", () => 1),
      toolOf("more", () => 2),
    );
    await vi.waitFor(() => expect(lines.join("")).toContain('"reason":"Too many tools."'));
    service.handOut({ callId: "c-1", tool: "echo" });
    await vi.waitFor(() => expect(service.sent()).toEqual([{ callId: "c-1", result: 1 }]));
    expect(service.left).toEqual([]);
    service.fault = () => undefined;
    change(
      toolOf("echo", () => 1),
      toolOf("less", () => 2),
    );
    await vi.waitFor(() => expect(service.left).toEqual(["w1"]));
    expect(service.registered.at(-1)?.tools).toMatchObject([{ name: "echo" }, { name: "less" }]);
    expect(lines.filter((line) => line.includes("refused the changed tools"))).toHaveLength(1);
  });

  it("gives up if the service refuses the changed tools and has forgotten the previous ones", async () => {
    const { service, offer, change, lines } = await offering([toolOf("echo", () => 1)]);
    await vi.waitFor(() => expect(service.polls).toHaveLength(1));
    service.fault = (_method, path) => (path === "/workers" ? { status: 413, message: "Too many tools." } : undefined);
    change(toolOf("more", () => 2));
    await vi.waitFor(() => expect(lines.join("")).toContain('"reason":"Too many tools."'));
    service.forget();
    await expect(offer.refused).rejects.toMatchObject({ status: 413 });
  });

  it("leaves when the last tool is gone, and comes back with the next", async () => {
    const { service, change } = await offering([toolOf("echo", () => 1)]);
    await vi.waitFor(() => expect(service.polls).toHaveLength(1));
    change();
    await vi.waitFor(() => expect(service.left).toEqual(["w1"]));
    expect(service.registered).toHaveLength(1);
    change(toolOf("other", () => 2));
    await vi.waitFor(() => expect(service.polls.at(-1)?.workerId).toBe("w2"));
    expect(service.registered.at(-1)?.tools).toMatchObject([{ name: "other" }]);
  });
});

describe("an offer to a service that is away", () => {
  it("registers again if the service does not know it any more, and ends the calls that nobody waits for", async () => {
    const held = heldTool();
    const { service, lines } = await offering([held]);
    service.handOut({ callId: "c-1", tool: "held" });
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    const { signal } = held.runs[0]!.context;
    service.forget();
    await vi.waitFor(() => expect(service.polls.at(-1)?.workerId).toBe("w2"));
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    expect(lines.join("")).toContain("does not know the worker any more");
    service.handOut({ callId: "c-2", tool: "held" });
    await vi.waitFor(() => expect(held.runs).toHaveLength(2));
    held.runs[1]!.resolve(2);
    await vi.waitFor(() => expect(service.sent()).toEqual([{ callId: "c-2", result: 2 }]));
  });

  it("answers the running calls if the service only gives it no more", async () => {
    const held = heldTool();
    const { service } = await offering([held]);
    service.handOut({ callId: "c-1", tool: "held" });
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    service.retire();
    await vi.waitFor(() => expect(service.polls.at(-1)?.workerId).toBe("w2"));
    held.runs[0]!.resolve("old");
    await vi.waitFor(() =>
      expect(service.requests.at(-1)).toEqual({ workerId: "w1", sent: [{ callId: "c-1", result: "old" }] }),
    );
  });

  it.each([
    ["nothing answers", "no answer"],
    ["it is overloaded", { status: 503, message: "The service is at its limit." }],
    ["a proxy answers in its place", { status: 404, text: "<html>no backend</html>" }],
    ["a proxy answers in its place with success", { status: 200, text: "<html>welcome</html>" }],
  ] as const)("tries to register until it succeeds, if %s", async (_, fault) => {
    const service = await startStandIn();
    let attempts = 0;
    service.fault = () => (++attempts <= 2 ? fault : undefined);
    const { lines } = await offering([toolOf("echo", () => 1)], { service });
    await vi.waitFor(() => expect(service.polls).toHaveLength(1));
    expect(service.registered).toHaveLength(1);
    expect(lines.filter((line) => line.includes("it tries again"))).toHaveLength(2);
  });

  it.each([
    [401, "The worker token is not known."],
    [403, "The Host is not allowed."],
    [404, "There is no such path."],
    [400, "The name must have 1 to 64 characters."],
    [409, "The name belongs to another token."],
  ])("gives up with the service's words if it is refused (%i)", async (status, message) => {
    const service = await startStandIn();
    service.fault = () => ({ status, message });
    const { offer } = await offering([toolOf("echo", () => 1)], { service });
    await expect(offer.refused).rejects.toMatchObject({ name: "Refused", status, message });
  });

  it("gives up if the service refuses all of its first tools, with their reasons in one line of the log", async () => {
    const service = await startStandIn();
    service.fault = (method, path) => (method === "POST" && path === "/workers" ? refusingAll() : undefined);
    const { offer, lines } = await offering([toolOf("charge", () => 1), toolOf("refund", () => 1)], { service });
    await expect(offer.refused).rejects.toMatchObject({ name: "NothingOffered" });
    expect(service.left).toEqual(["w9"]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        level: "error",
        worker: "billing",
        tools: 2,
        refused: [
          { tool: "charge", reason: "the token may not offer this name" },
          { tool: "refund", reason: "the schema is not valid" },
        ],
        msg: "the service refused all tools of the worker",
      }),
    ]);
    expect(service.polls).toEqual([]);
  });

  it("goes on if the service refuses all tools of a later registration", async () => {
    const { service, change, lines } = await offering([toolOf("echo", () => 1)]);
    await vi.waitFor(() => expect(service.polls).toHaveLength(1));
    service.fault = (method, path) => (method === "POST" && path === "/workers" ? refusingAll() : undefined);
    change(toolOf("charge", () => 1));
    await vi.waitFor(() => expect(lines.join("")).toContain("the service refused all tools of the worker"));
    service.fault = () => undefined;
    change(toolOf("refund", () => 1));
    await vi.waitFor(() => expect(service.registered.at(-1)?.tools).toMatchObject([{ name: "refund" }]));
  });

  it("offers the other tools if the service refuses some", async () => {
    const service = await startStandIn();
    const tools = [...refusedTools, { name: "echo", state: "added" }];
    service.fault = (method, path) =>
      method === "POST" && path === "/workers" ? { status: 201, text: registrationOf(tools) } : undefined;
    const { lines } = await offering([toolOf("charge", () => 1), toolOf("echo", () => 1)], { service });
    await vi.waitFor(() => expect(lines.join("")).toContain('"tools":1,"msg":"registered"'));
    expect(lines.filter((line) => line.includes("refused the tool"))).toHaveLength(2);
  });

  it("gives up if its token is taken away while it runs", async () => {
    const { service, offer } = await offering([toolOf("echo", () => 1)]);
    await vi.waitFor(() => expect(service.polls).toHaveLength(1));
    service.fault = () => ({ status: 401, message: "The worker token is not known." });
    service.handOut({ callId: "c-1", tool: "echo" });
    await expect(offer.refused).rejects.toMatchObject({ status: 401 });
  });

  it("sends an answer until the service takes it", async () => {
    const { service } = await offering([toolOf("echo", () => 1)]);
    await vi.waitFor(() => expect(service.polls).toHaveLength(1));
    let attempts = 0;
    service.fault = (_method, path) => (path.endsWith("/calls") && ++attempts <= 2 ? "no answer" : undefined);
    service.handOut({ callId: "c-1", tool: "echo" });
    await vi.waitFor(() => expect(service.sent()).toEqual([{ callId: "c-1", result: 1 }]));
    expect(attempts).toBe(3);
  });

  it.each([400, 413])(
    "answers with an error if the service refuses the result, and sends the other answers (%i)",
    async (status) => {
      const { service, lines } = await offering([toolOf("echo", ({ i }) => i)], { concurrency: 20 });
      await vi.waitFor(() => expect(service.polls).toHaveLength(1));
      service.fault = (_method, path, body) =>
        path.endsWith("/calls") && body.includes('"result":7') ? { status, message: "It is too large." } : undefined;
      service.handOut(...Array.from({ length: 12 }, (_, i) => ({ callId: `c-${i}`, tool: "echo", arguments: { i } })));
      await vi.waitFor(() => expect(service.sent()).toHaveLength(12));
      expect(service.sent().filter(({ error }) => error !== undefined)).toEqual([
        { callId: "c-7", error: { message: expect.stringContaining("could not read the result") } },
      ]);
      expect(lines.filter((line) => line.includes("refused an answer"))).toHaveLength(1);
    },
  );

  it("divides answers that are long together", async () => {
    const { service } = await offering([toolOf("long", () => "x".repeat(900_000))]);
    service.handOut(...Array.from({ length: 5 }, (_, i) => ({ callId: `c-${i}`, tool: "long" })));
    await vi.waitFor(() => expect(service.sent()).toHaveLength(5));
    expect(service.requests.map(({ sent }) => sent.length)).toEqual([2, 2, 1]);
  });
});

describe("the end of an offer", () => {
  it("leaves at once, and answers the running calls", async () => {
    const held = heldTool();
    const { service, end } = await offering([held]);
    service.handOut({ callId: "c-1", tool: "held" });
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    const ended = end();
    await vi.waitFor(() => expect(service.left).toEqual(["w1"]));
    held.runs[0]!.resolve("last");
    await ended;
    expect(service.sent()).toEqual([{ callId: "c-1", result: "last" }]);
    expect(service.registered).toHaveLength(1);
  });

  it("runs the calls that were on their way", async () => {
    const { service, end } = await offering([toolOf("echo", () => 1)]);
    await vi.waitFor(() => expect(service.polls).toHaveLength(1));
    service.handOut({ callId: "c-1", tool: "echo" });
    await end();
    expect(service.sent()).toEqual([{ callId: "c-1", result: 1 }]);
  });

  it("ends calls that take too long, with an answer", async () => {
    const held = heldTool();
    const { service, end } = await offering([held]);
    service.handOut({ callId: "c-1", tool: "held" });
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    await end(1);
    expect(service.sent()).toMatchObject([{ callId: "c-1", error: { message: "The worker shut down." } }]);
    expect(held.runs[0]!.context.signal.aborted).toBe(true);
  });

  it("does not wait for a service that is away", async () => {
    const service = await startStandIn();
    service.fault = () => "no answer";
    const { end, lines } = await offering([toolOf("echo", () => 1)], { service });
    await vi.waitFor(() => expect(lines.join("")).toContain("it tries again"));
    await end();
    expect(service.registered).toEqual([]);
  });
});
