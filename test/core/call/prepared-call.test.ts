import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/json/canonical.ts";
import type { PreparedCall } from "../../../src/core/call/prepared-call.ts";
import { createStartCall, outcomeOf, type StartCall } from "../../../src/core/call/start-call.ts";
import type { CallRecord } from "../../../src/core/observer.ts";
import { type Outcome, outcomeJson, toReplay } from "../../../src/core/outcome.ts";
import { createRegistry } from "../../../src/core/registry/registry.ts";
import { appOf } from "../../http/app-in-memory.ts";
import { errorOf, resultOf, toolOf } from "../one-tool.ts";

function setting() {
  const seen: unknown[] = [];
  const records: CallRecord[] = [];
  const tool = toolOf({
    parameters: {
      type: "object",
      properties: { n: { type: "integer" }, tenant: { type: "string" } },
      required: ["n", "tenant"],
    },
    execute: (args) => ({ run: seen.push(args) }),
  });
  const registry = createRegistry({
    env: {},
    tools: [tool],
    overrides: { tool: { bind: { tenant: { session: true } } } },
    observer: { onCall: (record) => records.push(record) },
  });
  return { registry, tool, seen, records, startCall: createStartCall(registry) };
}

/** What prepares calls and runs them later. */
function deferring(next: StartCall) {
  const waiting: PreparedCall[] = [];
  const refused: Outcome[] = [];
  return {
    waiting,
    refused,
    submit: (args: unknown, session = "s") =>
      next(
        { name: "tool", arguments: args, session },
        (outcome) => refused.push(outcome),
        (call) => waiting.push(call),
      ),
    run: () => new Promise<Outcome>((resolve) => waiting.shift()!.run(resolve)),
  };
}

/** What gives equal arguments the first outcome. */
function replaying(next: StartCall): StartCall {
  const kept = new Map<string, Outcome>();
  return (call, done, ready) =>
    next(call, done, (prepared) => {
      const key = canonicalJson(prepared.arguments);
      const outcome = kept.get(key);
      if (outcome !== undefined) return done(toReplay(outcome));
      if (ready !== undefined) return ready(prepared);
      prepared.run((first) => {
        kept.set(key, first);
        done(first);
      });
    });
}

describe("a call that is prepared", () => {
  it("is checked at once, and runs later with the bound arguments and the same id", async () => {
    const { startCall, registry, seen, records } = setting();
    const { submit, waiting, refused, run } = deferring(startCall);
    submit({ n: 1 });
    expect([seen, refused, records, registry.load.calls]).toEqual([[], [], [], 0]);
    expect(waiting[0]?.arguments).toEqual({ n: 1, tenant: "s" });
    const { callId } = waiting[0]!.call;
    const outcome = await run();
    expect(resultOf(outcome)).toEqual({ run: 1 });
    expect(seen).toEqual([{ n: 1, tenant: "s" }]);
    expect([outcome.callId, records.map((record) => record.callId)]).toEqual([callId, [callId]]);
    expect(registry.load.calls).toBe(0);
  });

  it("is refused at once if its arguments are not valid", () => {
    const { startCall, registry, records } = setting();
    const { submit, waiting, refused } = deferring(startCall);
    submit({ n: "x" });
    expect(waiting).toEqual([]);
    expect(errorOf(refused[0]!)).toMatchObject({ code: "invalid_arguments", ran: "no" });
    expect([records[0]?.code, registry.load.calls]).toEqual(["invalid_arguments", 0]);
  });

  it("is counted once against its caller's rate", async () => {
    const { startCall } = setting();
    let taken = 0;
    const caller = { id: "c", meter: { take: () => (taken++, 0) } };
    const prepared = await new Promise<PreparedCall>((resolve, reject) =>
      startCall({ name: "tool", arguments: { n: 1 }, session: "s", caller }, reject, resolve),
    );
    resultOf(await new Promise<Outcome>((resolve) => prepared.run(resolve)));
    expect(taken).toBe(1);
  });

  it("is checked again if its tool was replaced, and unknown if it is gone", async () => {
    const { startCall, registry, tool, seen } = setting();
    const { submit, run } = deferring(startCall);
    submit({ n: 1 });
    submit({ n: 2 });
    registry.remove("tool");
    expect(errorOf(await run()).code).toBe("unknown_tool");
    const stricter = { ...(tool.parameters as object), required: ["n", "tenant", "unit"] };
    registry.add({ ...tool, parameters: { ...stricter, properties: { tenant: {}, n: {}, unit: {} } } });
    expect(errorOf(await run()).code).toBe("invalid_arguments");
    expect(seen).toEqual([]);
  });
});

describe("an outcome that is replayed", () => {
  it("is the first one, by the arguments as bound", async () => {
    const { startCall, seen } = setting();
    const keyed = replaying(startCall);
    const call = { name: "tool", arguments: { n: 1 } };
    const first = await outcomeOf(keyed, { ...call, session: "a" });
    const again = await outcomeOf(keyed, { ...call, session: "a" });
    expect(outcomeJson(again)).toBe(outcomeJson(first));
    expect(resultOf(await outcomeOf(keyed, { ...call, session: "b" }))).toEqual({ run: 2 });
    expect(seen).toHaveLength(2);
  });

  it("has its header in the answer of an invoke, and the first one has not", async () => {
    const { registry, startCall } = setting();
    const { app } = appOf([], { registry, startCall: replaying(startCall) });
    const headers = { "content-type": "application/json", "toolhost-session": "s" };
    const ask = () => app.request("/tools/tool/invoke", { method: "POST", headers, body: '{"n":1}' });
    const [first, again] = [await ask(), await ask()];
    expect([first, again].map((answer) => answer.headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expect(await again.text()).toBe(await first.text());
  });
});

it("calls that were prepared count among those in flight when they run", async () => {
  const releases: (() => void)[] = [];
  const execute = () => new Promise((resolve) => releases.push(() => resolve("done")));
  const registry = createRegistry({ env: {}, tools: [toolOf({ execute })], callsInFlight: 1 });
  const { submit, run } = deferring(createStartCall(registry));
  submit({});
  submit({});
  const first = run();
  expect(errorOf(await run())).toMatchObject({ code: "overloaded", ran: "no" });
  releases[0]!();
  expect(resultOf(await first)).toBe("done");
});
