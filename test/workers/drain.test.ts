import { request } from "node:http";
import { expect, test, vi } from "vitest";
import { createLifecycle } from "../../src/http/lifecycle.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { drain } from "../../src/service/drain.ts";
import { declarationOf, register } from "./scripted-worker.ts";
import { startWorkerService, token, type WorkerService } from "./worker-service.ts";

const patience = { timeout: 20_000, interval: 5 };

/** A service that can be drained. */
async function startDrainable() {
  const lifecycle = createLifecycle();
  const service = await startWorkerService({ app: { lifecycle } });
  const log = createLogger("silent", () => undefined);
  const end = (shutdownTimeoutMs = 30_000): Promise<void> =>
    drain(service.server, service.registry, lifecycle, { shutdownDelayMs: 0, shutdownTimeoutMs }, log);
  return { service, lifecycle, end };
}

test("a poll that waits does not hold the shutdown", async () => {
  const { service, end } = await startDrainable();
  const worker = await register(service, [declarationOf("charge")]);
  const polled = worker.poll({ waitMs: 25_000 }).catch(() => "cut off");
  await vi.waitFor(() => expect(service.workers.status()[0]?.workers).toMatchObject([{ inFlight: 0 }]), patience);
  await end();
  expect(await polled).toBe("cut off");
});

test("calls that run when the shutdown begins are handed out, answered and cancelled; no worker registers", async () => {
  const { service, lifecycle, end } = await startDrainable();
  const worker = await register(service, [declarationOf("charge")]);
  const [first, second] = [service.call("charge", { number: 1 }), service.call("charge", { number: 2 })];
  const call = await worker.next();
  await vi.waitFor(() => expect(service.registry.load.calls).toBe(2), patience);
  const ended = end();
  await vi.waitFor(() => expect(lifecycle.state).toBe("ending"), patience);
  expect((await service.ask("POST", "/workers", { name: "late", tools: [] })).status).toBe(503);
  const later = await worker.next();
  expect((await worker.answer(call.callId, { progress: { progress: 1 } })).status).toBe(204);
  expect((await worker.answer(call.callId, { result: "one" })).status).toBe(204);
  expect((await worker.answer(later.callId, { result: "two" })).status).toBe(204);
  const results = [await first, await second].map(({ result }) => result);
  expect(new Set(results)).toEqual(new Set(["one", "two"]));
  await ended;
});

test("an answer that is arriving when the shutdown begins is taken", async () => {
  const { service, lifecycle, end } = await startDrainable();
  const worker = await register(service, [declarationOf("charge")]);
  const outcome = service.call("charge");
  const call = await worker.next();
  const { status, sendRest } = sendHalf(service, worker.registered.workerId, call.callId);
  await vi.waitFor(() => expect(lifecycle.open).toBe(2), patience);
  const ended = end();
  await vi.waitFor(() => expect(lifecycle.state).toBe("ending"), patience);
  sendRest();
  expect(await status).toBe(204);
  expect(await outcome).toMatchObject({ status: "ok", result: "half and half" });
  await ended;
});

function sendHalf({ url }: WorkerService, workerId: string, callId: string) {
  const sent = request(`${url}/workers/${workerId}/calls/${callId}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "transfer-encoding": "chunked" },
  });
  const status = new Promise<number | undefined>((resolve, reject) => {
    sent.once("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once("error", reject);
  });
  sent.write('{"result":"half ');
  return { status, sendRest: () => sent.end('and half"}') };
}
