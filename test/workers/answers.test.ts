import { describe, expect, test } from "vitest";
import type { ToolLogEntry } from "../../src/core/observer.ts";
import { declarationOf, register } from "./scripted-worker.ts";
import { startWorkerService } from "./worker-service.ts";
import { sizeOf } from "../runs.ts";

const charge = declarationOf("charge");

describe("an answer", () => {
  test("that comes twice, or after the end of its call, is 410 and changes nothing", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const outcome = service.call("charge");
    const call = await worker.next();
    expect((await worker.answer(call.callId, { result: "first" })).status).toBe(204);
    const second = await worker.answer(call.callId, { result: "second" });
    expect([second.status, second.body]).toMatchObject([410, { status: "error", error: { code: "not_found" } }]);
    expect(await outcome).toMatchObject({ result: "first" });

    const late = service.call("charge", {}, {}, "?timeoutMs=100");
    const lateCall = await worker.next();
    expect(await late).toMatchObject({ error: { code: "timeout" } });
    for (const body of [{ result: 1 }, { error: { message: "x" } }, { progress: { progress: 1 } }, { nothing: 1 }]) {
      expect((await worker.answer(lateCall.callId, body)).status).toBe(410);
    }
  });

  test("to a call of another worker is 404, running or over, and changes nothing", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const other = await register(service, [charge]);
    const outcome = service.call("charge");
    const call = await worker.next();
    for (const answered of [false, true]) {
      if (answered) await worker.answer(call.callId, { result: "true" });
      expect((await other.answer(call.callId, { result: "forged" })).status).toBe(404);
      expect((await other.answerAll([{ callId: call.callId, result: "forged" }])).status).toBe(204);
    }
    expect(await outcome).toMatchObject({ result: "true" });
  });

  test.each(["never", "__proto__", "constructor", "%2e%2e%2f", "a%20b"])("to the call %s is 404", async (callId) => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const answer = await worker.answer(callId, { result: 1 });
    expect([answer.status, answer.body]).toMatchObject([404, { error: { code: "not_found" } }]);
  });

  test.each<[string, unknown]>([
    ["is empty", {}],
    ["is a list", []],
    ["is a text", '"x"'],
    ["has an error that is a text", { error: "x" }],
    ["has an error without a message", { error: { code: "x" } }],
    ["has progress that is a number", { progress: 1 }],
    ["has progress without a number", { progress: { message: "x" } }],
    ["has a log without a message", { log: { level: "info" } }],
    ["has a result and an error", { result: 1, error: { message: "x" } }],
    ["has two members besides a result", { result: null, error: { message: "x" }, progress: { progress: 1 } }],
    ["has nothing but members without a value", { error: null, progress: null }],
    ["is not JSON", "{"],
    ["has NaN", '{"result":NaN}'],
  ])("that %s is 400, and the call goes on", async (_what, body) => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const outcome = service.call("charge");
    const call = await worker.next();
    const answer = await worker.answer(call.callId, body);
    expect([answer.status, answer.body]).toMatchObject([400, { error: { code: "bad_request" } }]);
    await worker.answer(call.callId, { result: 1 });
    expect(await outcome).toMatchObject({ result: 1 });
  });

  test.each<[string, string, object]>([
    ["breaks the schema", '{"result":{"sum":"x"}}', { code: "invalid_result", issues: [{ path: "/sum" }] }],
    ["is null", '{"result":null}', { code: "invalid_result" }],
    ["is too large", `{"result":{"sum":1,"text":"${"x".repeat(2000)}"}}`, { code: "result_too_large" }],
    [
      "has an integer that cannot be held",
      '{"result":{"sum":12345678901234567890}}',
      { code: "invalid_result", issues: [{ path: "/sum" }] },
    ],
    ["has an infinite number", '{"result":{"sum":1e999}}', { code: "invalid_result" }],
    ["has a key twice", '{"result":{"sum":1,"sum":2}}', { code: "invalid_result", issues: [{ path: "" }] }],
    ["has a key __proto__", '{"result":{"sum":1,"__proto__":{}}}', { code: "invalid_result" }],
    [
      "has an error with an integer that cannot be held",
      '{"error":{"message":"x","details":12345678901234567890}}',
      { code: "invalid_result" },
    ],
  ])("whose result %s fails its call alone", async (_what, text, error) => {
    const service = await startWorkerService();
    const sum = { type: "object", required: ["sum"], properties: { sum: { type: "number" } } };
    const worker = await register(service, [declarationOf("add", { response: sum, resultBytes: 1000 })]);
    const outcomes = [service.call("add"), service.call("add"), service.call("add")];
    const calls = [await worker.next(), await worker.next(), await worker.next()];
    expect((await worker.answer(calls[0]!.callId, text)).status).toBe(204);
    const both = `{"callId":"${calls[1]!.callId}",${text.slice(1, -1)}},{"callId":"${calls[2]!.callId}","result":{"sum":3}}`;
    const sent = await service.ask("POST", `/workers/${worker.registered.workerId}/calls`, `{"answers":[${both}]}`);
    expect(sent.status).toBe(204);
    const ended = await Promise.all(outcomes);
    expect(ended[0]).toMatchObject({ error });
    expect(ended[1]).toMatchObject({ error });
    expect(ended[2]).toMatchObject({ result: { sum: 3 } });
  });

  test.each<[object, object]>([
    [{ result: null, error: { message: "no funds" }, progress: null }, { error: { message: "no funds" } }],
    [
      { result: null, error: null, progress: null, log: null },
      { status: "ok", result: null },
    ],
    [
      { result: 5, error: null },
      { status: "ok", result: 5 },
    ],
  ])("%j is read without the members that have no value", async (body, outcome) => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const called = service.call("charge");
    const { callId } = await worker.next();
    expect((await worker.answer(callId, body)).status).toBe(204);
    expect(await called).toMatchObject(outcome);
  });

  test("with an error is the error of the call, with what it says and nothing else", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    for (const [error, expected] of [
      [{ message: "No." }, { code: "tool_failed", message: "No.", action: "stop", retryable: false }],
      [
        { message: "Later.", retryable: true },
        { code: "tool_failed", message: "Later.", action: "retry", retryable: true },
      ],
      [{ message: "" }, { code: "tool_failed", message: "The tool failed.", action: "stop", retryable: false }],
      [
        { message: "x", retryable: "yes", details: { a: [1] }, code: "internal", ran: "no", stack: "secret" },
        { code: "tool_failed", message: "x", action: "stop", retryable: false, details: { a: [1] } },
      ],
    ]) {
      const outcome = service.call("charge");
      const call = await worker.next();
      expect((await worker.answer(call.callId, { error })).status).toBe(204);
      expect((await outcome).error).toEqual(expected);
    }
  });

  test("of a tool with content blocks is checked as such", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [declarationOf("draw", { contentBlocks: true })]);
    for (const [result, expected] of [
      [{ content: [{ type: "text", text: "x" }] }, { result: { content: [{ type: "text", text: "x" }] } }],
      [
        { content: [{ type: "text", text: "Bad." }], isError: true },
        { error: { code: "tool_failed", message: "Bad." } },
      ],
      [{ content: [{ type: "film" }] }, { error: { code: "invalid_result" } }],
    ]) {
      const outcome = service.call("draw");
      const call = await worker.next();
      await worker.answer(call.callId, { result });
      expect(await outcome).toMatchObject(expected as object);
    }
  });

  test("may be as large as limits.replyBytes, and no larger", async () => {
    const service = await startWorkerService({ app: { maxBodyBytes: 1000, maxReplyBytes: 600_000 } });
    const worker = await register(service, [charge]);
    const outcome = service.call("charge");
    const call = await worker.next();
    expect((await worker.answer(call.callId, { result: "x".repeat(600_000) })).status).toBe(413);
    expect((await worker.answer(call.callId, { result: "x".repeat(500_000) })).status).toBe(204);
    expect(await outcome).toMatchObject({ status: "ok" });
  });
});

describe("many answers at once", () => {
  test.each<[string, unknown]>([
    ["are no list", { answers: {} }],
    ["are missing", {}],
    ["are a list themselves", []],
  ])("that %s are 400", async (_what, body) => {
    const service = await startWorkerService();
    const { registered } = await register(service, [charge]);
    const answer = await service.ask("POST", `/workers/${registered.workerId}/calls`, body);
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { error: { message: 'The body must be an object with a list "answers".' } },
    ]);
  });

  test("are taken but for the malformed ones, which make the answer 400", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const outcomes = [service.call("charge"), service.call("charge")];
    const calls = [await worker.next(), await worker.next()];
    const [first, second] = calls.map(({ callId }) => callId);
    const answer = await worker.answerAll([
      7,
      { result: 1 },
      { callId: "unknown", result: 1 },
      { callId: first },
      { callId: first, result: 1 },
      { callId: second, result: 2 },
    ]);
    expect([answer.status, answer.body]).toMatchObject([
      400,
      {
        error: {
          message:
            'The answer at /answers/0 is not valid. An answer must contain exactly one of "result", "error", "progress" and "log", and a "callId". An error and a log entry must have a text "message", and a progress report must have a number "progress".',
        },
      },
    ]);
    expect((await Promise.all(outcomes)).map(({ result }) => result)).toEqual([1, 2]);
  });

  test("cost no more than they are long, however many of them are refused", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const outcome = service.call("charge");
    const { callId } = await worker.next();
    // Each refusal compared with each answer would take minutes, in which nothing else is answered.
    const refused = `{"callId":"unknown","result":[${Array(20).fill("9007199254740993").join(",")}]}`;
    const answers = [
      ...Array<string>(sizeOf(60_000, 20_000)).fill('{"callId":"unknown"}'),
      ...Array<string>(1000).fill(refused),
    ];
    const body = `{"answers":[${answers.join(",")},{"callId":"${callId}","result":1}]}`;
    const path = `/workers/${worker.registered.workerId}/calls`;
    expect((await service.ask("POST", path, body)).status).toBe(204);
    expect(await outcome).toMatchObject({ result: 1 });
  });
});

describe("progress and log entries", () => {
  test("reach the caller that streams, and the log", async () => {
    const entries: ToolLogEntry[] = [];
    const service = await startWorkerService({ observer: { onToolLog: (entry) => void entries.push(entry) } });
    const worker = await register(service, [charge]);
    const streamed = fetch(`${service.url}/tools/charge/invoke`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: "{}",
    }).then((response) => response.text());
    const call = await worker.next();
    expect((await worker.answer(call.callId, { progress: { progress: 1, total: 2, other: 3 } })).status).toBe(204);
    expect(
      (await worker.answer(call.callId, { log: { level: "warn", message: "half", fields: { a: 1 } } })).status,
    ).toBe(204);
    await worker.answerAll([
      { callId: call.callId, progress: { progress: 2, total: 2 } },
      { callId: call.callId, log: { level: "shout", message: "x".repeat(9000), fields: { a: "y".repeat(9000) } } },
      { callId: call.callId, result: "done" },
    ]);
    const events = (await streamed).split("\n\n").filter((event) => event.startsWith("event"));
    expect(events.map((event) => /event: (\w+)/.exec(event)![1])).toEqual([
      "progress",
      "log",
      "progress",
      "log",
      "outcome",
    ]);
    expect(events[0]).toContain('{"progress":1,"total":2}');
    expect(entries).toMatchObject([
      { tool: "charge", callId: call.callId, level: "warn", message: "half", fields: { a: 1 } },
      { level: "info", message: "x".repeat(8192) },
    ]);
    expect(entries[1]).not.toHaveProperty("fields");
  });

  test("are dropped beyond a number in a second", async () => {
    let logged = 0;
    const service = await startWorkerService({ observer: { onToolLog: () => void logged++ } });
    const worker = await register(service, [charge]);
    void service.call("charge");
    const { callId } = await worker.next();
    const flood = Array.from({ length: 20_000 }, () => ({ callId, log: { level: "info", message: "x" } }));
    expect((await worker.answerAll(flood)).status).toBe(204);
    expect(logged).toBeGreaterThan(100);
    expect(logged).toBeLessThan(20_000);
  });
});
