import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { JsonObject, Outcome, Tool } from "../../src/index.ts";
import { createRegistry } from "../../src/index.ts";
import { errorOf, resultOf, toolOf } from "../core/one-tool.ts";
import { wayNames } from "./fixtures/parity/tool.mjs";
import { countThreads, toolInThread } from "./tools-in-threads.ts";

function withoutId(outcome: Outcome): unknown {
  return { ...(JSON.parse(JSON.stringify(outcome)) as JsonObject), callId: "" };
}

describe("a tool in a thread", () => {
  it("runs off the main thread, call after call in the same one", async () => {
    const { call } = await toolInThread("shaky");
    const first = resultOf(await call({ way: "where" }));
    expect(first).toMatchObject({ isMainThread: false });
    expect(resultOf(await call({ way: "where" }))).toEqual(first);
  });

  it("comes to the same outcome as inline, whatever it returns or throws", async () => {
    const thread = await toolInThread("parity");
    const inline = await toolInThread("parity", { isolation: "inline" });
    for (const way of wayNames) {
      for (const later of [false, true]) {
        const expected = withoutId(await inline.call({ way, later }));
        expect(withoutId(await thread.call({ way, later })), `${way}, later: ${later}`).toEqual(expected);
      }
    }
  });

  it("tells the log alone why it failed, down to the cause", async () => {
    const { call, calls } = await toolInThread("parity");
    expect(JSON.stringify(await call({ way: "plain_error" }))).not.toMatch(/secret|deeper/);
    const cause = calls[0]?.cause;
    expect(cause).toMatchObject({ name: "TypeError", message: "secret", cause: { message: "deeper" } });
    expect(cause).toHaveProperty("stack", expect.stringContaining("parity/tool.mjs"));
  });

  it.each([{ idempotent: true }, { readOnly: true }])(
    "may be called again after its upstream failed where %j",
    async (annotations) => {
      const { call } = await toolInThread("parity", { annotations });
      expect(errorOf(await call({ way: "upstream_error" }))).toMatchObject({ retryable: true, action: "retry_later" });
    },
  );

  it("with retries runs again after a failure that may pass, as one call", async () => {
    const { call, calls } = await toolInThread("shaky", { retries: 1, annotations: { readOnly: true } });
    const sent = JSON.stringify({ way: "fail_first" });
    expect(resultOf(await call({ way: "fail_first" }))).toEqual([sent, sent]);
    expect(calls).toMatchObject([{ code: "ok" }]);
  });

  it("has a context that reaches its caller and the log", async () => {
    const { call, log } = await toolInThread("shaky");
    const heard: unknown[] = [];
    const listener = {
      onProgress: (progress: unknown) => void heard.push(progress),
      onLog: (...line: unknown[]) => void heard.push(line),
    };
    const outcome = await call({ way: "context" }, { session: "s-1", listener });
    const { callId } = outcome as { callId: string };
    expect(resultOf(outcome)).toEqual({ callId, session: "s-1", aborted: false, isSignal: true, fetch: "function" });
    expect(heard).toEqual([
      { progress: 1, total: 2, message: "half" },
      ["warn", "careful", { at: 1 }],
      ["info", "no fields", undefined],
    ]);
    expect(log).toMatchObject([
      { callId, tool: "shaky", level: "warn", message: "careful", fields: { at: 1 } },
      { callId, tool: "shaky", level: "info", message: "no fields" },
    ]);
  });

  it("goes out by the fetch of the service, faults included", async () => {
    const server = createServer((_request, response) => void response.end("hello")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const guarded = await toolInThread("shaky");
    expect(errorOf(await guarded.call({ way: "fetch", url }))).toMatchObject({
      code: "egress_blocked",
      action: "stop",
    });
    const { call } = await toolInThread("shaky", {}, { egress: { allow: ["127.0.0.1"] } });
    expect(resultOf(await call({ way: "fetch", url }))).toBe("hello");
    await new Promise((resolve) => server.close(resolve));
    expect(errorOf(await call({ way: "fetch", url }))).toMatchObject({ code: "upstream_failed", ran: "no" });
  });

  it("tells the log what it prints, and its caller nothing of it", async () => {
    const { call, log } = await toolInThread("shaky");
    const heard: unknown[] = [];
    const outcome = await call({ way: "print" }, { listener: { onLog: (...line) => void heard.push(line) } });
    const { callId } = outcome as { callId: string };
    expect(log).toEqual([
      { callId, tool: "shaky", level: "info", message: "said on stdout" },
      { callId, tool: "shaky", level: "warn", message: "said on stderr" },
      { callId, tool: "shaky", level: "info", message: "a part, and its end" },
    ]);
    expect(heard).toEqual([]);
  });

  it("fails where its arguments hold what no thread can be given, and lives", async () => {
    const { call } = await toolInThread("shaky");
    const { threadId } = resultOf(await call({ way: "where" })) as { threadId: number };
    expect(errorOf(await call({ way: "echo", value: () => 1 })).code).toBe("tool_failed");
    expect(resultOf(await call({ way: "where" }))).toMatchObject({ threadId });
  });

  it("runs as many calls at once as its concurrency says, each in a thread, and others wait for a slot", async () => {
    const { call } = await toolInThread("shaky", { concurrency: 3 }, {}, { queueMs: 0 });
    const sleeping = Array.from({ length: 3 }, () => call({ way: "sleep", ms: 200 }));
    expect(errorOf(await call({ way: "where" })).code).toBe("busy");
    expect((await Promise.all(sleeping)).map(resultOf)).toEqual(["slept", "slept", "slept"]);
    expect(resultOf(await call({ way: "echo", value: 1 }))).toBe(1);
  });

  it("has a gate as wide as the machine where it names no concurrency", async () => {
    const { call } = await toolInThread("shaky", {}, {}, { queueMs: 0 });
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => call({ way: "sleep", ms: 50 })));
    const codes = new Set(outcomes.map((outcome) => (outcome.status === "ok" ? "ok" : outcome.error.code)));
    expect(codes).toEqual(new Set(["ok", "busy"]));
  });
});

describe("a tool that asks for a thread", () => {
  const bare = { ...toolOf({ isolation: "thread" }) };

  it("is refused where nobody knows its module", () => {
    expect(() => createRegistry({ tools: [bare] })).toThrow(/needs "module".*import\.meta\.url/);
    expect(() => createRegistry({ tools: [{ ...bare, module: "tool.mjs" }] })).toThrow(/needs "module"/);
  });

  it("is refused where the word is none", () => {
    const tool = { ...bare, isolation: "process" } as unknown as Tool;
    expect(() => createRegistry({ tools: [tool] })).toThrow('"isolation" must be "inline" or "thread"');
  });

  it("cannot run where its module exports another tool", async () => {
    const module = new URL("fixtures/shaky/tool.mjs", import.meta.url).href;
    const { call, calls } = await toolInThread("parity", { module });
    expect(errorOf(await call({ way: "text" }))).toMatchObject({ code: "unavailable", ran: "no" });
    expect(String(calls[0]?.cause)).toContain("does not export the tool");
  });

  it("meets its limit while its thread boots, and finds the thread ready afterwards", async () => {
    const { call } = await toolInThread("shaky");
    expect(errorOf(await call({ way: "where" }, { timeoutMs: 1 })).code).toBe("timeout");
    // The thread went on booting, and is there for the next call.
    expect(resultOf(await call({ way: "echo", value: 1 }))).toBe(1);
    expect(countThreads()).toBe(1);
  });
});
