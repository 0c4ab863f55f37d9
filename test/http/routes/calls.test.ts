import { describe, expect, it, onTestFinished } from "vitest";
import { holdClock, pass, releaseClock } from "../../async/manual-clock.ts";
import { sleep } from "../../core/one-tool.ts";
import { cpuMs } from "../../cpu-time.ts";
import { appOf, post } from "../app-in-memory.ts";
import { codes, resultsOf } from "./call-results.ts";

let running = 0;
let mostRunning = 0;
const waiting = {
  name: "wait",
  parameters: { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] },
  execute: async ({ ms }: Record<string, unknown>) => {
    mostRunning = Math.max(mostRunning, ++running);
    await sleep(Number(ms));
    running--;
    return ms;
  },
};

describe("POST /calls", () => {
  it("runs the calls side by side and answers in the order they came", async () => {
    const { app } = appOf([waiting]);
    mostRunning = 0;
    const results = await resultsOf(
      app,
      [80, 40, 60, 0].map((ms) => ({ name: "wait", arguments: { ms } })),
    );
    expect(mostRunning).toBe(4);
    expect(results.map(({ result }) => result)).toEqual([80, 40, 60, 0]);
  });

  it.each(["args", "input", "parameters"])("refuses an entry whose arguments are called %s", async (name) => {
    const { app } = appOf([{}]);
    const [result] = await resultsOf(app, [{ name: "tool", [name]: { a: "s3cr3t" } }]);
    expect(result?.error?.issues).toEqual([
      { path: `/${name}`, message: 'is not a field of a call; write "arguments"', keyword: "properties" },
    ]);
    expect(JSON.stringify(result)).not.toContain("s3cr3t");
  });

  it("answers each call with its id, its name and an outcome", async () => {
    const { app } = appOf([{}]);
    const [result, ...rest] = await resultsOf(app, [{ id: "call_1", name: "tool", arguments: { a: 1 } }]);
    expect(rest).toEqual([]);
    expect(result).toEqual({ id: "call_1", name: "tool", status: "ok", callId: expect.any(String), result: { a: 1 } });
  });

  it("keeps ids as they came, repeated ones too, and numbers those that gave none", async () => {
    const ids = ["a", "a", 7, "", undefined, null, { x: 1 }, "x".repeat(500)];
    const results = await resultsOf(
      appOf([{}]).app,
      ids.map((id) => ({ id, name: "tool" })),
    );
    expect(results.map(({ id }) => id)).toEqual(["a", "a", 7, "", "4", "5", "6", "x".repeat(500)]);
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(ids.length);
  });

  it("takes a call without arguments for one with {}", async () => {
    const results = await resultsOf(appOf([{}]).app, [
      { name: "tool" },
      { name: "tool", arguments: {} },
      { name: "tool", arguments: null },
    ]);
    expect(results.map(({ result }) => result)).toEqual([{}, {}, undefined]);
    expect(results[2]?.error?.code).toBe("invalid_arguments");
  });

  it("takes none, 128, and no more", async () => {
    let runs = 0;
    const { app } = appOf([{ execute: () => ++runs }]);
    expect(await resultsOf(app, [])).toEqual([]);
    const calls = Array.from({ length: 129 }, () => ({ name: "tool" }));
    expect((await resultsOf(app, calls.slice(1))).length).toBe(128);
    const { status, body } = await post(app, "/calls", JSON.stringify({ calls }));
    expect({ status, code: body.error?.code, runs }).toEqual({ status: 400, code: "bad_request", runs: 128 });
    expect(body.error?.message).toContain("128");
  });

  it.each([
    "",
    "{}",
    "[]",
    "null",
    '{"calls":{}}',
    '{"calls":null}',
    '{"call":[]}',
    '{"calls":[]',
    '[{"name":"tool"}]',
    '{"calls":[],"calls":[]}',
    '{"calls":[],"__proto__":1}',
    '{"calls":[],"x":1e400}',
    '{"calls":[],"callsx":9007199254740993}',
    `{"calls":[{"name":"tool","arguments":${'{"a":'.repeat(61)}{}${"}".repeat(61)}}]}`,
  ])("refuses as a whole the body %j", async (text) => {
    const { status, body } = await post(appOf([{}]).app, "/calls", text === "" ? undefined : text);
    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: "bad_request" });
  });

  it("refuses as a whole a body in another encoding, type or size", async () => {
    const { app } = appOf([{}], { maxBodyBytes: 100 });
    const text = '{"calls":[]}';
    expect((await post(app, "/calls", text, { "content-encoding": "gzip" })).status).toBe(415);
    expect((await post(app, "/calls", text, { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(app, "/calls", text.padEnd(101))).status).toBe(413);
    expect((await post(app, "/calls", text.padEnd(100))).status).toBe(200);
    expect((await post(app, "/calls", Uint8Array.of(0x22, 0xff, 0x22))).status).toBe(400);
  });
});

describe("a call that fails among others", () => {
  it("fails alone, whatever is wrong with it", async () => {
    const { app } = appOf([
      waiting,
      { name: "tool" },
      {
        name: "bad",
        execute: () => {
          throw new Error("x");
        },
      },
      { name: "never", execute: () => new Promise(() => undefined), timeoutMs: 10 },
      { name: "gone", requires: ["UNSET"] },
    ]);
    const good = { name: "tool", arguments: { a: 1 } };
    const calls = [
      good,
      null,
      5,
      "tool",
      [good],
      {},
      { name: 1 },
      { name: "" },
      { name: "none" },
      { name: "constructor" },
      { name: "wait", arguments: { ms: "x" } },
      { name: "wait", arguments: [] },
      { name: "wait", arguments: '{"ms":1}' },
      { name: "bad" },
      { name: "never" },
      { name: "gone" },
      { name: "tool", hash: 5 },
      { name: "tool", hash: "sha256:x" },
      good,
    ];
    const results = await resultsOf(app, calls);
    expect(codes(results)).toEqual([
      "ok",
      "invalid_arguments",
      "invalid_arguments",
      "invalid_arguments",
      "invalid_arguments",
      "invalid_arguments",
      "invalid_arguments",
      "unknown_tool",
      "unknown_tool",
      "unknown_tool",
      "invalid_arguments",
      "invalid_arguments",
      "invalid_arguments",
      "tool_failed",
      "timeout",
      "unavailable",
      "invalid_arguments",
      "declaration_changed",
      "ok",
    ]);
    for (const { status, error } of results) expect(status).toBe(error === undefined ? "ok" : "error");
    for (const index of [1, 5, 8, 16]) expect(results[index]?.error?.ran).toBe("no");
  });

  it("fails alone where it holds more refused numbers than anyone reads", async () => {
    const numbers = Array(1200).fill("9007199254740993").join(",");
    const { app } = appOf([{}]);
    const { status, body } = await post(
      app,
      "/calls",
      `{"calls":[{"name":"tool","arguments":{"a":[${numbers}]}},{"name":"tool","arguments":{"b":1}}]}`,
    );
    expect(status).toBe(200);
    const { results } = body as unknown as { results: { result?: unknown; error?: { issues?: unknown[] } }[] };
    expect(results[0]?.error?.issues?.length).toBe(20);
    expect(results[1]?.result).toEqual({ b: 1 });
  });

  it("fails alone where it holds a number or a key that is refused", async () => {
    let runs = 0;
    const { app } = appOf([{ execute: (args) => (runs++, args) }]);
    const bad = [
      '{"id":"x","name":"tool","arguments":{"a":9007199254740993}}',
      '{"id":"x","name":"tool","arguments":{"a":[1e400]}}',
      '{"id":"x","name":"tool","arguments":{"a":1,"a":2}}',
      '{"id":"x","name":"tool","arguments":{"__proto__":{}}}',
      '{"id":"x","name":"tool","name":"tool"}',
      '{"id":"x","name":"tool","arguments":{},"extra":1e999}',
      "9007199254740993",
    ];
    const good = '{"id":"x","name":"tool","arguments":{"a":9007199254740991}}';
    const results = await resultsOf(app, `{"calls":[${bad.flatMap((entry) => [entry, good]).join(",")}]}`);
    expect(codes(results)).toEqual(bad.flatMap(() => ["invalid_arguments", "ok"]));
    expect(runs).toBe(bad.length);
    expect(results[0]?.error).toMatchObject({ ran: "no", issues: [{ path: "/a" }] });
    expect(results.slice(0, 12).every(({ id }) => id === "x")).toBe(true);
    expect(JSON.stringify(results[0])).not.toContain("900719925474099");
  });

  it("does not take its neighbour's fault for its own where their places begin alike", async () => {
    const entries = Array.from(
      { length: 12 },
      (_, index) => `{"name":"tool","arguments":{"a":${index === 11 ? "1e999" : index}}}`,
    );
    const results = await resultsOf(appOf([{}]).app, `{"calls":[${entries.join(",")}]}`);
    expect(codes(results)).toEqual([...Array<string>(11).fill("ok"), "invalid_arguments"]);
  });
});

it("calls of a busy tool wait for their turn past queueMs, each within the tool's own limit", async () => {
  const { app } = appOf(
    [
      { ...waiting, concurrency: 2 },
      { ...waiting, name: "tight", concurrency: 1, timeoutMs: 60 },
    ],
    {},
    { queueMs: 0 },
  );
  const calls = (name: string, ms: number) => Array.from({ length: 6 }, () => ({ name, arguments: { ms } }));
  holdClock();
  onTestFinished(releaseClock);
  const wait = resultsOf(app, calls("wait", 15));
  await pass(100);
  expect(codes(await wait)).toEqual(Array<string>(6).fill("ok"));
  const tight = resultsOf(app, calls("tight", 45));
  await pass(200);
  // The first takes 45 of its 60 ms; the second starts with 15 ms left and meets its limit with all the others.
  expect(codes(await tight)).toEqual(["ok", "timeout", "busy", "busy", "busy", "busy"]);
});

it("calls share the session of their request", async () => {
  const { app } = appOf([{ execute: (_args, context) => context.session ?? null }]);
  const { body } = await post(app, "/calls", '{"calls":[{"name":"tool"},{"name":"tool"}]}', {
    "toolhost-session": "s-1",
  });
  expect(JSON.stringify(body).match(/"result":"s-1"/g)?.length).toBe(2);
});

it("entries with hundreds of refused keys are told of briefly and at once", async () => {
  const name = "echo";
  const bad = `{"name":"${name}","arguments":{${'"k":1,'.repeat(150)}"k":1}}`;
  const started = cpuMs();
  const answer = await appOf([{}]).app.request("/calls", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `{"calls":[${Array(5).fill(bad).join(",")}]}`,
  });
  const text = await answer.text();
  expect(answer.status).toBe(200);
  expect(text.length).toBeLessThan(20_000);
  expect(cpuMs() - started).toBeLessThan(3000);
});

it("an id that cannot be held exactly is not echoed rounded: the entry's place stands for it", async () => {
  const { app } = appOf([{}]);
  const entries = ['{"id":12345678901234567890,"name":"tool"}', '{"id":9007199254740991,"name":"tool"}'];
  const results = await resultsOf(app, `{"calls":[${entries.join(",")}]}`);
  expect(results.map(({ id }) => id)).toEqual(["0", 9007199254740991]);
  expect(codes(results)).toEqual(["invalid_arguments", "ok"]);
});
