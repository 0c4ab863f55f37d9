import { describe, expect, it } from "vitest";
import { maxAbandoned } from "../../../src/core/call/admission.ts";
import type { Caller, Rights } from "../../../src/core/caller.ts";
import { type Call, type CallRecord, createRegistry, invoke, type Outcome, type Registry } from "../../../src/index.ts";
import { errorOf, resultOf, sleep, toolOf } from "../one-tool.ts";

/** Rights to tools whose name begins so. */
const rightsTo = (prefix: string): Rights => ({
  key: prefix,
  allows: (entry) => entry.tool.name.startsWith(prefix),
});

const callOf = (registry: Registry, name: string, more: Partial<Call> = {}): Promise<Outcome> =>
  invoke(registry, { name, arguments: {}, ...more });

describe("a caller with rights to some tools", () => {
  const registry = createRegistry({
    tools: ["get_weather", "get_time", "send_mail"].map((name) => toolOf({ name })),
  });
  const caller: Caller = { id: "someone", rights: rightsTo("get_") };

  it("calls those", async () => {
    expect(resultOf(await callOf(registry, "get_time", { caller }))).toEqual({});
  });

  it("finds no other, not even in a suggestion", async () => {
    for (const name of ["send_mail", "send_mall"]) {
      const error = errorOf(await callOf(registry, name, { caller }));
      expect(error).toMatchObject({ code: "unknown_tool", ran: "no" });
      expect(error.suggestion).toBeUndefined();
    }
    expect(errorOf(await callOf(registry, "get_wether", { caller })).suggestion).toBe("get_weather");
    expect(errorOf(await callOf(registry, "send_mall")).suggestion).toBe("send_mail");
  });

  it("is told the same of a tool that is not there and of one that is not for it", async () => {
    const [forbidden, missing] = await Promise.all(
      ["send_mail", "zzzzzzzzz"].map((name) => callOf(registry, name, { caller })),
    );
    expect(forbidden).toEqual(missing);
  });
});

describe("a caller with an allowance", () => {
  it("is limited when it is used up, whatever the arguments, and nothing ran", async () => {
    let left = 2;
    let started = 0;
    const caller: Caller = { id: "someone", meter: { take: () => (left-- > 0 ? 0 : 1234.5) } };
    const records: CallRecord[] = [];
    const registry = createRegistry({
      tools: [toolOf({ parameters: { type: "object", required: ["a"] }, execute: () => ++started })],
      observer: { onCall: (record) => records.push(record) },
    });
    expect(errorOf(await callOf(registry, "tool", { caller })).code).toBe("invalid_arguments");
    expect(resultOf(await callOf(registry, "tool", { caller, arguments: { a: 1 } }))).toBe(1);
    const refused = await callOf(registry, "tool", { caller, arguments: { a: 1 } });
    expect(refused).not.toHaveProperty("callId");
    expect(errorOf(refused)).toMatchObject({
      code: "rate_limited",
      action: "retry_later",
      retryable: true,
      retryAfterMs: 1235,
      ran: "no",
    });
    expect(started).toBe(1);
    expect(records.map(({ caller: who, code }) => [who, code])).toEqual([
      ["someone", "invalid_arguments"],
      ["someone", "ok"],
      ["someone", "rate_limited"],
    ]);
  });
});

describe("a service at its limit of calls", () => {
  it("refuses more at once, asks them to come back at different times, and takes calls again when some have ended", async () => {
    const finish: Array<() => void> = [];
    const execute = (): Promise<unknown> => new Promise((resolve) => finish.push(() => resolve(1)));
    const registry = createRegistry({ callsInFlight: 3, tools: [toolOf({ execute })] });
    const running = [1, 2, 3].map(() => callOf(registry, "tool"));
    const refused = await Promise.all(Array.from({ length: 20 }, () => callOf(registry, "tool")));
    for (const outcome of refused) {
      expect(errorOf(outcome)).toMatchObject({ code: "overloaded", action: "retry_later", retryable: true, ran: "no" });
    }
    const waits = refused.map((outcome) => errorOf(outcome).retryAfterMs);
    expect(new Set(waits).size).toBeGreaterThan(5);
    expect(Math.min(...waits.map(Number))).toBeGreaterThanOrEqual(1000);
    expect(registry.load.calls).toBe(3);
    finish.pop()?.();
    expect(resultOf(await running[2]!)).toBe(1);
    const next = callOf(registry, "tool");
    await sleep(1);
    finish.forEach((end) => end());
    expect((await next).status).toBe("ok");
    await Promise.all(running);
    expect(registry.load.calls).toBe(0);
  });

  it("counts those that wait for a slot of a busy tool", async () => {
    const registry = createRegistry({
      callsInFlight: 2,
      tools: [toolOf({ concurrency: 1, execute: () => sleep(50) })],
    });
    const both = [callOf(registry, "tool"), callOf(registry, "tool")];
    expect(errorOf(await callOf(registry, "tool")).code).toBe("overloaded");
    await Promise.all(both);
  });

  it("takes its limits anew", async () => {
    const registry = createRegistry({
      callsInFlight: 1,
      tools: [toolOf({ execute: () => sleep(50).then(() => 1) })],
    });
    const first = callOf(registry, "tool");
    expect(errorOf(await callOf(registry, "tool")).code).toBe("overloaded");
    registry.configure({ callsInFlight: 2 });
    expect((await Promise.all([first, callOf(registry, "tool")])).map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(() => registry.configure({ callsInFlight: 0 })).toThrow("callsInFlight");
  });
});

describe("a tool whose calls do not end after their time limit", () => {
  it("becomes unavailable, and comes back when they have ended", async () => {
    const finish: Array<() => void> = [];
    const execute = (): Promise<unknown> => new Promise((resolve) => finish.push(() => resolve(1)));
    const registry = createRegistry({ tools: [toolOf({ timeoutMs: 1, execute }), toolOf({ name: "other" })] });
    const stuck = await Promise.all(Array.from({ length: maxAbandoned }, () => callOf(registry, "tool")));
    expect(new Set(stuck.map((outcome) => errorOf(outcome).code))).toEqual(new Set(["timeout"]));
    const refused = errorOf(await callOf(registry, "tool"));
    expect(refused).toMatchObject({ code: "unavailable", retryable: true, ran: "no", retryAfterMs: 1000 });
    expect(finish.length).toBe(maxAbandoned);
    expect((await callOf(registry, "other")).status).toBe("ok");
    // Loaded anew it is still the tool that holds all that memory.
    registry.replace("local", [toolOf({ timeoutMs: 1, execute }), toolOf({ name: "other" })]);
    expect(errorOf(await callOf(registry, "tool")).code).toBe("unavailable");
    // Another version of its module may have mended it.
    registry.replace("local", [toolOf({ timeoutMs: 1, execute, module: "file:///tool.mjs?changed=1" })]);
    expect(errorOf(await callOf(registry, "tool")).code).toBe("timeout");
    finish.splice(0).forEach((end) => end());
    await sleep(1);
    expect(errorOf(await callOf(registry, "tool")).code).toBe("timeout");
  });

  it("is not counted twice by a thenable that calls back twice", async () => {
    const backs: Array<(value: unknown) => void> = [];
    const execute = (): unknown => ({ then: (resolve: (value: unknown) => void) => backs.push(resolve) });
    const registry = createRegistry({ tools: [toolOf({ timeoutMs: 1, execute })] });
    expect(errorOf(await callOf(registry, "tool")).code).toBe("timeout");
    expect(registry.find("tool")?.abandoned.count).toBe(1);
    for (const back of [...backs, ...backs]) back(1);
    expect(registry.find("tool")?.abandoned.count).toBe(0);
  });
});

describe("a tool whose source lost its connection", () => {
  it("stays listed, and its calls are refused at once and take no slot, until the source is back", async () => {
    const readiness = { isDropped: false };
    const finish: Array<() => void> = [];
    const execute = (): Promise<unknown> => new Promise((resolve) => finish.push(() => resolve(1)));
    const registry = createRegistry();
    registry.replaceAll([{ source: "remote", tools: [toolOf({ concurrency: 1, execute })], readiness }]);
    const running = callOf(registry, "tool");
    const waiting = callOf(registry, "tool");
    readiness.isDropped = true;
    const refused = errorOf(await callOf(registry, "tool"));
    expect(refused).toMatchObject({ code: "unavailable", action: "retry_later", retryable: true, ran: "no" });
    expect([registry.list().length, registry.load.calls]).toEqual([1, 2]);
    readiness.isDropped = false;
    const after = callOf(registry, "tool");
    for (let ended = 0; ended < 3; ended++) {
      finish.shift()?.();
      await sleep(1);
    }
    expect((await Promise.all([running, waiting, after])).map(resultOf)).toEqual([1, 1, 1]);
  });
});
