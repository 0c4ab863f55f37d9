import { expect, test } from "vitest";
import { declarationOf, register } from "./scripted-worker.ts";
import { stopClock } from "./pass-time.ts";
import { startWorkerService } from "./worker-service.ts";

test("a worker registers a tool, gets its calls by a poll, and its answer is the result", async () => {
  const service = await startWorkerService();
  const worker = await register(service, [declarationOf("charge", { timeoutMs: 5000 })]);
  expect(worker.registered).toEqual({
    workerId: expect.stringMatching(/^[\w-]{20,}$/) as string,
    leaseMs: 30_000,
    tools: [{ name: "charge", state: "added" }],
  });
  const polled = worker.poll();
  const outcome = service.call("charge", { amount: 5 }, { "toolhost-session": "s1" });
  const { status, body } = await polled;
  expect(status).toBe(200);
  expect(body).toEqual({
    calls: [
      {
        callId: expect.any(String) as string,
        tool: "charge",
        arguments: { amount: 5 },
        timeoutMs: expect.any(Number) as number,
        attempt: 1,
        session: "s1",
      },
    ],
    cancelled: [],
  });
  const [call] = body.calls;
  expect(call!.timeoutMs).toBeGreaterThan(1000);
  expect(call!.timeoutMs).toBeLessThanOrEqual(5000);
  const answered = await worker.answer(call!.callId, { result: { paid: true } });
  expect([answered.status, answered.headers.get("content-length")]).toEqual([204, null]);
  expect(await outcome).toEqual({ status: "ok", callId: call!.callId, result: { paid: true } });
});

test("a call that comes first waits for the poll", async () => {
  const service = await startWorkerService();
  const worker = await register(service, [declarationOf("charge")]);
  const outcome = service.call("charge");
  const call = await worker.next();
  await worker.answer(call.callId, { result: null });
  expect(await outcome).toMatchObject({ status: "ok", result: null });
});

test("an error of a worker is the error of the call", async () => {
  const service = await startWorkerService();
  const worker = await register(service, [declarationOf("charge")]);
  const outcome = service.call("charge");
  const call = await worker.next();
  await worker.answer(call.callId, { error: { message: "No card.", retryable: true, details: { card: 1 } } });
  expect(await outcome).toMatchObject({
    error: { code: "tool_failed", message: "No card.", retryable: true, action: "retry", details: { card: 1 } },
  });
});

test("many answers come in one request", async () => {
  const service = await startWorkerService();
  const worker = await register(service, [declarationOf("charge")]);
  const outcomes = [1, 2, 3].map((amount) => service.call("charge", { amount }));
  const calls = [await worker.next(), await worker.next(), await worker.next()];
  const answers = calls.map(({ callId, arguments: { amount } }) => ({ callId, result: amount }));
  expect((await worker.answerAll(answers)).status).toBe(204);
  expect((await Promise.all(outcomes)).map(({ result }) => result)).toEqual([1, 2, 3]);
});

test("a call whose lease lapsed ends, and may have run", async () => {
  const passTime = stopClock();
  const service = await startWorkerService();
  const worker = await register(service, [declarationOf("charge", { timeoutMs: 60_000 })]);
  const outcome = service.call("charge");
  await worker.next();
  passTime(31_000);
  expect(await outcome).toMatchObject({
    error: { code: "upstream_failed", ran: "unknown", action: "check_before_retry", retryable: false },
  });
  expect((await worker.poll()).status).toBe(404);
  expect(await service.call("charge")).toMatchObject({
    error: { code: "unavailable", ran: "no", action: "retry_later", retryable: true },
  });
});
