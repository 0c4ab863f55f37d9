import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { declarationOf, type HandedOut, register } from "./scripted-worker.ts";
import { stopClock } from "./pass-time.ts";
import { startWorkerService, token, tokensOf, type WorkerService } from "./worker-service.ts";

const charge = declarationOf("charge", { timeoutMs: 60_000 });
const soon = { timeout: 20_000, interval: 5 };

function running(service: WorkerService, calls: number): Promise<void> {
  return expect.poll(() => service.registry.load.calls, soon).toBe(calls) as unknown as Promise<void>;
}

/** Waits until the polls of so many workers wait. */
async function polling(service: WorkerService): Promise<void> {
  // A request on another connection is answered after those that came before it.
  await service.ask("POST", "/workers/unknown/poll");
  await service.ask("POST", "/workers/unknown/poll");
}

describe("a poll", () => {
  test("is answered empty after its time, and at once with waitMs=0", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    expect((await worker.poll({ waitMs: 0 })).body).toEqual({ calls: [], cancelled: [] });
    expect((await worker.poll({ waitMs: 30 })).body).toEqual({ calls: [], cancelled: [] });
  });

  test.each(["waitMs=-1", "waitMs=x", "max=1.5", "max=", "max=1&max=2", "count=1"])(
    "is refused with %s",
    async (query) => {
      const service = await startWorkerService();
      const { registered } = await register(service, [charge]);
      const answer = await service.ask("POST", `/workers/${registered.workerId}/poll?${query}`);
      expect([answer.status, answer.body]).toMatchObject([400, { error: { code: "bad_request" } }]);
    },
  );

  test("gets at most `max` calls, the oldest first, and the next poll gets the others", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    for (let number = 1; number <= 3; number++) {
      void service.call("charge", { number });
      await running(service, number);
    }
    const numbers = (calls: readonly HandedOut[]): unknown[] => calls.map((call) => call.arguments["number"]);
    expect(numbers((await worker.poll({ max: 2 })).body.calls)).toEqual([1, 2]);
    expect(numbers((await worker.poll({ max: 2 })).body.calls)).toEqual([3]);
  });

  test("gets the calls of all its tools by their age", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge, declarationOf("refund")]);
    for (const [index, name] of ["refund", "charge", "charge", "refund"].entries()) {
      void service.call(name);
      await running(service, index + 1);
    }
    const { body } = await worker.poll({ max: 10 });
    expect(body.calls.map(({ tool }) => tool)).toEqual(["refund", "charge", "charge", "refund"]);
  });

  test("ends the one before it, which brings nothing", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const first = worker.poll();
    await polling(service);
    const second = worker.poll();
    expect((await first).body).toEqual({ calls: [], cancelled: [] });
    void service.call("charge");
    expect((await second).body.calls).toHaveLength(1);
  });

  test("with max=0 brings cancellations only", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const outcome = service.call("charge", {}, {}, "?timeoutMs=300");
    const call = await worker.next();
    void service.call("charge");
    const { body } = await worker.poll({ max: 0 });
    expect(body).toEqual({ calls: [], cancelled: [call.callId] });
    expect(await outcome).toMatchObject({ error: { code: "timeout", ran: "unknown" } });
    expect((await worker.poll({ max: 0, waitMs: 0 })).body).toEqual({ calls: [], cancelled: [] });
  });

  test("of an unknown worker is 404", async () => {
    const service = await startWorkerService();
    for (const id of ["x", "constructor", "__proto__", "%2e%2e"]) {
      const answer = await service.ask("POST", `/workers/${id}/poll`);
      expect([id, answer.status, answer.body]).toMatchObject([id, 404, { error: { code: "not_found" } }]);
    }
  });
});

describe("a call", () => {
  test("carries its time, trace, session and attempt", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    void service.call("charge", { a: 1 }, { traceparent, "toolhost-session": "s" }, "?timeoutMs=5000");
    const call = await worker.next();
    expect(call).toMatchObject({ attempt: 1, session: "s", traceparent, arguments: { a: 1 } });
    expect(call.timeoutMs).toBeGreaterThan(0);
    expect(call.timeoutMs).toBeLessThanOrEqual(5000);
  });

  test("that no worker asks for is `unavailable` after the time that calls may wait", async () => {
    const service = await startWorkerService({ settings: { queueMs: 50 } });
    await register(service, [charge]);
    expect(await service.call("charge")).toMatchObject({
      error: { code: "unavailable", ran: "no", retryable: true, action: "retry_later" },
    });
  });

  test("that no worker asks for is `unavailable` at its own limit, if that is earlier", async () => {
    const service = await startWorkerService({ settings: { queueMs: 60_000 } });
    await register(service, [charge]);
    expect(await service.call("charge", {}, {}, "?timeoutMs=50")).toMatchObject({
      error: { code: "unavailable", ran: "no" },
    });
  });

  test("for workers that are full is `busy`", async () => {
    const service = await startWorkerService({ settings: { queueMs: 50 } });
    const worker = await register(service, [charge], { concurrency: 1 });
    const next = worker.next();
    await polling(service);
    const first = service.call("charge");
    const call = await next;
    expect(await service.call("charge")).toMatchObject({ error: { code: "busy", ran: "no", retryable: true } });
    void worker.poll();
    await polling(service);
    expect(await service.call("charge")).toMatchObject({ error: { code: "busy", ran: "no" } });
    await worker.answer(call.callId, { result: 1 });
    expect(await first).toMatchObject({ result: 1 });
  });

  test("does not wait if calls may not wait", async () => {
    const service = await startWorkerService({ settings: { queueMs: 0 } });
    const worker = await register(service, [charge]);
    expect(await service.call("charge")).toMatchObject({ error: { code: "unavailable", ran: "no" } });
    const polled = worker.poll();
    await polling(service);
    void service.call("charge");
    expect((await polled).body.calls).toHaveLength(1);
  });

  test("in /calls waits as long as its tool's limit", async () => {
    const service = await startWorkerService({ settings: { queueMs: 1 } });
    const worker = await register(service, [charge]);
    const answered = service.ask("POST", "/calls", { calls: [{ name: "charge", arguments: {} }] });
    await running(service, 1);
    const call = await worker.next();
    await worker.answer(call.callId, { result: 1 });
    expect((await answered).body).toMatchObject({ results: [{ status: "ok", result: 1 }] });
  });

  test("whose caller leaves is cancelled at its worker, and not handed out after that", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const stop = new AbortController();
    const left = service.ask("POST", "/tools/charge/invoke", {}, { signal: stop.signal }).catch(() => "left");
    const call = await worker.next();
    const gone = service.ask("POST", "/tools/charge/invoke", {}, { signal: stop.signal }).catch(() => "left");
    await running(service, 2);
    const polled = worker.poll({ max: 0 });
    stop.abort();
    expect((await polled).body.cancelled).toEqual([call.callId]);
    expect([await left, await gone]).toEqual(["left", "left"]);
    await running(service, 0);
    expect((await worker.poll({ waitMs: 50 })).body).toEqual({ calls: [], cancelled: [] });
    expect((await worker.answer(call.callId, { result: 1 })).status).toBe(410);
    expect(service.registry.find("charge")?.abandoned.count).toBe(0);
  });

  test("that is too large to go with others goes alone", async () => {
    const service = await startWorkerService({ app: { maxBodyBytes: 8_000_000 }, settings: { queueMs: 60_000 } });
    const worker = await register(service, [charge]);
    for (let number = 1; number <= 3; number++) {
      void service.call("charge", { text: "x".repeat(4_200_000) });
      await running(service, number);
    }
    for (let number = 1; number <= 3; number++) expect((await worker.poll()).body.calls).toHaveLength(1);
  });
});

describe("several workers", () => {
  test("get calls by their free capacity", async () => {
    const service = await startWorkerService();
    const small = await register(service, [charge], { concurrency: 2 });
    const large = await register(service, [charge], { concurrency: 6 });
    const polls = [small.poll({ max: 100 }), large.poll({ max: 100 })];
    await polling(service);
    for (let number = 0; number < 8; number++) void service.call("charge");
    await running(service, 8);
    const got = (await Promise.all(polls)).map(({ body }) => body.calls.length);
    const rest = await Promise.all([small.poll({ waitMs: 100 }), large.poll({ waitMs: 100 })]);
    const sums = rest.map(({ body }, index) => body.calls.length + got[index]!);
    expect(sums).toEqual([2, 6]);
    expect(service.workers.status()[0]?.workers).toMatchObject([
      { name: "billing", tools: 1, inFlight: 2, free: 0 },
      { name: "billing", tools: 1, inFlight: 6, free: 0 },
    ]);
  });

  test("each run as many calls of a tool as its `concurrency` says", async () => {
    const service = await startWorkerService();
    const two = declarationOf("charge", { concurrency: 2 });
    const workers = [await register(service, [two]), await register(service, [two])];
    for (let number = 0; number < 6; number++) void service.call("charge");
    await running(service, 6);
    const polls = await Promise.all(workers.map((worker) => worker.poll()));
    expect(polls.map(({ body }) => body.calls.length)).toEqual([2, 2]);
    const next = workers[0]!.poll();
    const [call] = polls[0]!.body.calls;
    await workers[0]!.answer(call!.callId, { result: 1 });
    expect((await next).body.calls).toHaveLength(1);
  });

  test("have the calls of one session together, while its worker lives", async () => {
    const service = await startWorkerService();
    const workers = [await register(service, [charge]), await register(service, [charge])];
    const inSession = { "toolhost-session": "s" };
    const polls = workers.map((worker) => worker.poll());
    await polling(service);
    const outcomes = [service.call("charge", {}, inSession)];
    const first = await Promise.race(
      polls.map(async (poll, index) =>
        (await poll).body.calls.length > 0 ? index : new Promise<never>(() => undefined),
      ),
    );
    for (let number = 0; number < 5; number++) outcomes.push(service.call("charge", {}, inSession));
    const other = service.call("charge", {}, { "toolhost-session": "t" });
    await running(service, 7);
    expect((await workers[first]!.poll()).body.calls.map(({ session }) => session)).toEqual(Array(5).fill("s"));
    expect((await polls[1 - first]!).body.calls.map(({ session }) => session)).toEqual(["t"]);
    void other;
    await workers[first]!.leave();
    outcomes.push(service.call("charge", {}, inSession));
    expect((await workers[1 - first]!.next()).session).toBe("s");
  });

  test("have parallel calls of a new session together", async () => {
    const service = await startWorkerService();
    const workers = [
      await register(service, [charge], { concurrency: 1 }),
      await register(service, [charge], { concurrency: 1 }),
    ];
    const inSession = { "toolhost-session": "s" };
    void service.call("charge", { number: 1 }, inSession);
    void service.call("charge", { number: 2 }, inSession);
    await running(service, 2);
    const call = await workers[0]!.next();
    expect((await workers[1]!.poll({ waitMs: 100 })).body.calls).toEqual([]);
    await workers[0]!.answer(call.callId, { result: 1 });
    expect((await workers[0]!.next()).session).toBe("s");
  });

  test("have their polls ended at once if they must register again, though they run calls", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const running = service.call("charge");
    const { callId } = await worker.next();
    const held = worker.poll({ waitMs: 20_000 });
    await polling(service);
    service.workers.configure(tokensOf({ [token]: { tools: ["charge"] } }));
    expect(service.registry.load.calls).toBe(1);
    // Long before the poll would end by itself.
    const late = new Promise((resolve) => setTimeout(resolve, 10_000));
    expect(await Promise.race([held, late])).toMatchObject({ status: 200, body: { calls: [], cancelled: [] } });
    expect((await worker.poll()).status).toBe(404);
    expect((await worker.answer(callId, { result: 1 })).status).toBe(204);
    expect(await running).toMatchObject({ status: "ok", result: 1 });
  });

  test("share the calls of the worker that leaves, but for those that it runs", async () => {
    const service = await startWorkerService();
    const first = await register(service, [charge], { concurrency: 1 });
    const second = await register(service, [charge], { concurrency: 1 });
    const inSession = { "toolhost-session": "s" };
    const runs = service.call("charge", { number: 1 }, inSession);
    const call = await first.next();
    void service.call("charge", { number: 2 }, inSession);
    await running(service, 2);
    expect((await first.leave()).status).toBe(204);
    expect((await second.next()).arguments).toEqual({ number: 2 });
    expect((await first.poll()).status).toBe(404);
    expect((await first.poll({ max: 0, waitMs: 0 })).status).toBe(200);
    expect((await first.answer(call.callId, { result: "late" })).status).toBe(204);
    expect(await runs).toMatchObject({ result: "late" });
  });
});

describe("a worker that is lost", () => {
  const repeatable = { tokens: { [token]: { trustAnnotations: true } } };
  const idempotent = declarationOf("charge", { timeoutMs: 60_000, annotations: { idempotent: true } });

  test("has its calls run again by another worker, if the tool may be repeated", async () => {
    const passTime = stopClock();
    const service = await startWorkerService(repeatable);
    const lost = await register(service, [idempotent]);
    const outcome = service.call("charge", { a: 1 });
    const call = await lost.next();
    passTime(20_000);
    const other = await register(service, [idempotent]);
    passTime(15_000);
    const again = await other.next();
    expect(again).toMatchObject({ callId: call.callId, arguments: { a: 1 }, attempt: 2 });
    await other.answer(again.callId, { result: 2 });
    expect(await outcome).toMatchObject({ result: 2 });
  });

  test("has its calls fail, if they may have run and there is no other", async () => {
    const passTime = stopClock();
    const service = await startWorkerService(repeatable);
    const lost = await register(service, [idempotent]);
    const outcome = service.call("charge");
    await lost.next();
    passTime(31_000);
    expect(await outcome).toMatchObject({
      error: { code: "upstream_failed", ran: "unknown", retryable: true, action: "retry" },
    });
  });

  test("has its calls fail as lost, if another one does not take them in time", async () => {
    const passTime = stopClock();
    const service = await startWorkerService({ ...repeatable, settings: { queueMs: 30 } });
    const lost = await register(service, [idempotent]);
    const polled = lost.poll();
    await polling(service);
    const outcome = service.call("charge");
    await polled;
    passTime(20_000);
    const other = await register(service, [idempotent]);
    passTime(15_000);
    // The first lease ends, and the call waits again: for the other one, which does not ask.
    await expect.poll(() => service.workers.status()[0]?.workers?.length, soon).toBe(1);
    passTime(1000);
    expect(await outcome).toMatchObject({ error: { code: "upstream_failed", ran: "unknown" } });
    expect((await other.poll({ waitMs: 0 })).body.calls).toEqual([]);
  });

  test("has its calls fail, and not run again, if the tool may not be repeated", async () => {
    const passTime = stopClock();
    const service = await startWorkerService();
    const lost = await register(service, [charge]);
    const outcome = service.call("charge");
    await lost.next();
    passTime(20_000);
    const other = await register(service, [charge]);
    const polled = other.poll({ waitMs: 20_000 });
    await polling(service);
    passTime(15_000);
    expect(await outcome).toMatchObject({ error: { code: "upstream_failed", ran: "unknown", retryable: false } });
    passTime(10_000);
    expect((await polled).body.calls).toEqual([]);
  });

  test("has left, and polled since then: its calls end with its lease", async () => {
    const passTime = stopClock();
    const service = await startWorkerService();
    const lost = await register(service, [declarationOf("charge", { timeoutMs: 900_000 })]);
    const outcome = service.call("charge");
    await lost.next();
    await lost.leave();
    expect((await lost.poll({ max: 0, waitMs: 0 })).status).toBe(200);
    passTime(31_000);
    expect(await outcome).toMatchObject({ error: { code: "upstream_failed", ran: "unknown" } });
  });

  test("has left, and sent nothing since then: its call may be answered within its limit", async () => {
    const passTime = stopClock();
    const service = await startWorkerService();
    const worker = await register(service, [declarationOf("charge", { timeoutMs: 900_000 })]);
    const outcome = service.call("charge");
    const call = await worker.next();
    await worker.leave();
    passTime(600_000);
    expect((await worker.answer(call.callId, { result: 1 })).status).toBe(204);
    expect(await outcome).toMatchObject({ result: 1 });
  });

  test("keeps its lease by any request", async () => {
    const passTime = stopClock();
    const service = await startWorkerService();
    const worker = await register(service, [declarationOf("charge", { timeoutMs: 900_000 })]);
    const outcome = service.call("charge");
    const call = await worker.next();
    for (const body of [{ result: 1 }, "{", "[]"]) {
      passTime(29_000);
      expect((await worker.answer("unknown", body)).status).toBeGreaterThanOrEqual(400);
    }
    passTime(29_000);
    expect((await worker.answer(call.callId, { result: 1 })).status).toBe(204);
    expect(await outcome).toMatchObject({ result: 1 });
    passTime(31_000);
    await expect.poll(() => service.workers.status()[0]?.state, soon).toBe("connecting");
  });

  test("gets no calls by a poll whose connection has ended", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const stop = new AbortController();
    const cut = worker.poll({}, stop.signal).catch(() => "cut");
    await polling(service);
    stop.abort();
    await cut;
    const outcome = service.call("charge");
    const call = await worker.next();
    await worker.answer(call.callId, { result: 1 });
    expect(await outcome).toMatchObject({ result: 1 });
  });

  test("does not keep a call that was handed out in the turn in which its connection ended", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    const ports = new Set<number | undefined>();
    service.server.on("request", ({ url, socket }) => {
      // Ends the connection of the worker between the choice of the call and the write of the answer.
      if (url?.startsWith("/tools/") === true) {
        setImmediate(() => service.server.emit("cut"));
        return;
      }
      if (url?.includes("/poll?") === true && ports.size === 0) {
        ports.add(socket.remotePort);
        service.server.once("cut", () => socket.destroy());
      }
    });
    const cut = worker.poll().catch(() => "cut");
    await polling(service);
    const outcome = service.call("charge");
    expect(await cut).toBe("cut");
    const call = await worker.next();
    expect(call.attempt).toBe(1);
    await worker.answer(call.callId, { result: 1 });
    expect(await outcome).toMatchObject({ result: 1 });
  });

  test("keeps a call that it was sent, even if its connection ends in the same turn", async () => {
    const service = await startWorkerService();
    const worker = await register(service, [charge]);
    service.server.on("request", ({ url, socket }) => {
      if (url?.includes("/poll?") !== true) return;
      const { write } = socket;
      socket.write = (...args: readonly unknown[]) => {
        process.nextTick(() => socket.destroy());
        return Reflect.apply(write, socket, args) as boolean;
      };
    });
    const polled = worker.poll();
    await polling(service);
    const outcome = service.call("charge");
    const [call] = (await polled).body.calls;
    expect((await worker.answer(call!.callId, { result: 1 })).status).toBe(204);
    expect(await outcome).toMatchObject({ result: 1 });
  });

  test("may close its side and wait for the answer", async () => {
    const service = await startWorkerService();
    const { registered } = await register(service, [charge]);
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const received = new Promise<string>((resolve) => {
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk));
      socket.on("close", () => resolve(text));
    });
    const head = `POST /workers/${registered.workerId}/poll?waitMs=20000 HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
    socket.end(`${head}Authorization: Bearer ${token}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    await polling(service);
    void service.call("charge", { a: 1 });
    expect(await received).toContain('"arguments":{"a":1}');
  });
});

test("a call that fails for a time is run again by `retries`, and counts its attempts", async () => {
  const service = await startWorkerService({
    settings: { overrides: { charge: { retries: 2, annotations: { idempotent: true } } } },
  });
  const worker = await register(service, [charge]);
  const outcome = service.call("charge");
  const first = await worker.next();
  await worker.answer(first.callId, { error: { message: "Later.", retryable: true } });
  const second = await worker.next();
  expect([first.attempt, second.attempt]).toEqual([1, 2]);
  await worker.answer(second.callId, { result: "done" });
  expect(await outcome).toMatchObject({ result: "done" });
});
