import { expect } from "vitest";
import { declarationOf, register } from "../workers/scripted-worker.ts";
import { stopClock } from "../workers/pass-time.ts";
import { startWorkerService } from "../workers/worker-service.ts";
import { fault } from "./fault.ts";

const charge = declarationOf("charge");

fault("D8", "a worker vanishes: its call ends with its lease, and is not run again", async () => {
  const passTime = stopClock();
  const service = await startWorkerService();
  const worker = await register(service, [declarationOf("charge", { timeoutMs: 60_000 })]);
  const outcome = service.call("charge");
  await worker.next();
  passTime(31_000);
  expect(await outcome).toMatchObject({ error: { code: "upstream_failed", ran: "unknown", retryable: false } });
  expect(await service.call("charge")).toMatchObject({ error: { code: "unavailable", ran: "no" } });
});

fault(
  "D8",
  "a worker answers twice and late: the first answer counts, the others are dropped and counted",
  async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const outcome = service.call("charge");
    const call = await worker.next();
    const statuses = [];
    for (const result of ["first", "second"]) statuses.push((await worker.answer(call.callId, { result })).status);
    expect([statuses, (await outcome).result]).toEqual([[204, 410], "first"]);
    const late = service.call("charge", {}, {}, "?timeoutMs=50");
    const lateCall = await worker.next();
    expect(await late).toMatchObject({ error: { code: "timeout" } });
    expect((await worker.answer(lateCall.callId, { result: "late" })).status).toBe(410);
    expect(service.workers.dropped).toEqual({ over: 2, unknown: 0 });
  },
);

fault("D8", "a worker answers with a wrong id, or for a call of another: refused and counted", async () => {
  const service = await startWorkerService();
  const worker = await register(service, [charge]);
  const other = await register(service, [charge]);
  const outcome = service.call("charge");
  const call = await worker.next();
  expect((await other.answer(call.callId, { result: "forged" })).status).toBe(404);
  expect((await worker.answer(`${call.callId}0`, { result: "wrong" })).status).toBe(404);
  expect((await other.answerAll([{ callId: call.callId, result: "forged" }])).status).toBe(204);
  expect((await worker.answer(call.callId, { result: "true" })).status).toBe(204);
  expect(await outcome).toMatchObject({ result: "true" });
  expect(service.workers.dropped).toEqual({ over: 0, unknown: 3 });
});
