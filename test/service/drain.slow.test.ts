import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { AnswerBody } from "../http/app-in-memory.ts";
import { answersIn, exchangeText, openSocket, requestText } from "../http/node/raw-socket.ts";
import { type RunningService, startService } from "../http/running-service.ts";

const hold = (ms: number): string =>
  requestText("POST /tools/hold/invoke", { body: JSON.stringify({ ms, progress: true }) });

/** Waits until so many calls are with the tool. */
async function inFlight(service: RunningService, count: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const text = await (await service.request("/metrics")).text();
      expect(text).toContain(`toolhost_calls_in_flight ${count}\n`);
    },
    { timeout: 5000, interval: 20 },
  );
}

async function bodyOf(response: Promise<Response>): Promise<AnswerBody> {
  return (await (await response).json()) as AnswerBody;
}

describe("SIGTERM", () => {
  it("ends a service that has nothing to do at once, with 0", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const service = await startService();
      const start = performance.now();
      service.signal(signal);
      expect(await service.exited).toBe(0);
      expect(performance.now() - start).toBeLessThan(1000);
      expect(service.entries.map(({ msg }) => msg).slice(-2)).toEqual(["draining", "drained"]);
    }
  });

  it("lets 200 running calls finish, and every answer arrives", async () => {
    const service = await startService();
    const calls = Array.from({ length: 200 }, (_, index) =>
      bodyOf(service.call("hold", { ms: 1200 + (index % 20) * 10 })),
    );
    await inFlight(service, 200);
    service.signal("SIGTERM");
    const bodies = await Promise.all(calls);
    expect(bodies.filter(({ status }) => status === "ok").length).toBe(200);
    const end = performance.now();
    expect(await service.exited).toBe(0);
    expect(performance.now() - end).toBeLessThan(1500);
    expect(service.entries.filter(({ msg, code }) => msg === "call" && code === "ok").length).toBe(200);
  });

  it("is not kept waiting by connections that are idle or silent, and a stream gets its outcome (D1)", async () => {
    const service = await startService();
    const [silent, half, idle, stream] = await Promise.all([1, 2, 3, 4].map(() => openSocket(service.port)));
    half!.send("POST /tools/echo/invoke HTTP/1.1\r\nhost: loc");
    idle!.send(requestText("GET /livez"));
    await idle!.until((text) => answersIn(text).length === 1);
    stream!.send(
      requestText("POST /tools/hold/invoke", {
        body: '{"ms":400,"progress":true}',
        headers: { accept: "text/event-stream" },
      }),
    );
    await stream!.until((text) => text.includes("event: progress"));
    const start = performance.now();
    service.signal("SIGTERM");
    expect(await service.exited).toBe(0);
    expect(performance.now() - start).toBeLessThan(2000);
    expect(stream!.text).toContain('"result":{"waited":400}');
    for (const raw of [silent, half, idle, stream]) await raw!.closed();
  });

  it("turns new calls away with 503 and Retry-After while the running ones finish", async () => {
    const service = await startService();
    const running = bodyOf(service.call("hold", { ms: 700 }));
    const kept = await openSocket(service.port);
    kept.send(hold(500));
    await inFlight(service, 2);
    service.signal("SIGTERM");
    await vi.waitFor(async () => expect((await service.request("/readyz")).status).toBe(503));

    for (const path of ["/tools/echo/invoke", "/calls"]) {
      const answer = await exchangeText(service.port, requestText(`POST ${path}`, { body: "{}" }));
      expect(answer.status).toBe(503);
      expect(answer.headers).toMatchObject({ "retry-after": expect.stringMatching(/^\d+$/), connection: "close" });
      expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "shutting_down", retryable: true, ran: "no" } });
    }
    expect((await service.request("/livez")).status).toBe(200);
    kept.send(hold(1));
    await kept.until((text) => answersIn(text).length === 2);
    const [first, second] = answersIn(kept.text);
    expect(first?.body).toContain('"result":{"waited":500}');
    expect([second?.status, second?.headers["connection"]]).toEqual([503, "close"]);
    expect(await running).toMatchObject({ status: "ok", result: { waited: 700 } });
    expect(await service.exited).toBe(0);
    kept.socket.destroy();
  });

  it("serves calls for SHUTDOWN_DELAY_MS more, on connections that end, while readyz is 503", async () => {
    const service = await startService({ SHUTDOWN_DELAY_MS: "600" });
    const start = performance.now();
    service.signal("SIGTERM");
    await vi.waitFor(async () => expect((await service.request("/readyz")).status).toBe(503));
    for (const path of ["/tools/echo/invoke", "/calls"]) {
      const body = path === "/calls" ? '{"calls":[{"name":"echo"}]}' : "{}";
      const answer = await exchangeText(service.port, requestText(`POST ${path}`, { body }));
      expect([answer.status, answer.headers["connection"]]).toEqual([200, "close"]);
    }
    expect((await service.request("/healthz")).status).toBe(503);
    expect((await service.request("/livez")).status).toBe(200);
    expect(await service.exited).toBe(0);
    expect(performance.now() - start).toBeGreaterThanOrEqual(590);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it("aborts at SHUTDOWN_TIMEOUT_MS what still runs, and delivers its outcome: cancelled", async () => {
    const service = await startService({ SHUTDOWN_TIMEOUT_MS: "300" });
    const [stream] = [await openSocket(service.port)];
    stream.send(
      requestText("POST /tools/hold/invoke", { body: '{"ms":30000}', headers: { accept: "text/event-stream" } }),
    );
    const calls = Array.from({ length: 20 }, () => bodyOf(service.call("hold", { ms: 30_000 })));
    const many = service.request("/calls", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ calls: Array(3).fill({ name: "hold", arguments: { ms: 30_000 } }) }),
    });
    await inFlight(service, 24);
    const start = performance.now();
    service.signal("SIGTERM");
    for (const body of await Promise.all(calls)) {
      expect(body).toMatchObject({ status: "error", error: { code: "cancelled", ran: "unknown", retryable: false } });
    }
    expect((await (await many).text()).match(/"code":"cancelled"/g)?.length).toBe(3);
    expect(await service.exited).toBe(0);
    expect(performance.now() - start).toBeGreaterThanOrEqual(290);
    expect(performance.now() - start).toBeLessThan(1800);
    expect(stream.text).toMatch(/event: outcome\ndata: .*"code":"cancelled"/);
    stream.socket.destroy();
  });

  const unfinished: readonly (readonly [string, string, Readonly<Record<string, string>>, string])[] = [
    ["one byte of a call", "POST /tools/echo/invoke", { "content-length": "20" }, "{"],
    ["no byte of a call", "POST /tools/echo/invoke", { "content-length": "20", expect: "100-continue" }, ""],
    ["one chunk of a call", "POST /tools/echo/invoke", { "transfer-encoding": "chunked" }, "1\r\n{\r\n"],
    ["a long body of a call", "POST /tools/echo/invoke", { "content-length": "900000" }, `{"a":"${"x".repeat(4e5)}`],
    ["one byte of many calls", "POST /calls", { "content-length": "20" }, "{"],
    ["one byte of a model's reply", "POST /calls?format=openai", { "content-length": "20" }, "{"],
    [
      "one byte of a streamed call",
      "POST /tools/echo/invoke",
      { "content-length": "20", accept: "text/event-stream" },
      "{",
    ],
  ];

  async function sendUnfinished(service: RunningService) {
    const sockets = await Promise.all(unfinished.map(() => openSocket(service.port)));
    unfinished.forEach(([, line, headers, body], index) => {
      const all = { "content-type": "application/json", ...headers };
      sockets[index]!.send(requestText(line, { headers: all }) + body);
    });
    // The last bytes of these may still be on their way; what was sent before this answer came has arrived.
    await service.request("/livez");
    await sleep(300);
    return sockets;
  }

  function expectShuttingDown(text: string): void {
    const [answer] = answersIn(text.replace("HTTP/1.1 100 Continue\r\n\r\n", ""));
    expect([answer?.status, answer?.headers["connection"]]).toEqual([503, "close"]);
    expect(answer?.headers).toMatchObject({ "retry-after": expect.stringMatching(/^\d+$/) });
    expect(answer?.body).toMatch(/"code":"shutting_down"/);
    expect(answer?.body).toMatch(/"ran":"no"/);
  }

  it("turns requests away whose bodies do not arrive, and is not kept waiting by them", async () => {
    const service = await startService();
    const sockets = await sendUnfinished(service);
    const start = performance.now();
    service.signal("SIGTERM");
    expect(await service.exited).toBe(0);
    expect(performance.now() - start).toBeLessThan(2000);
    for (const raw of sockets) expectShuttingDown(raw.text);
    expect(service.entries.filter(({ msg }) => msg === "call")).toEqual([]);
    expect(service.entries.map(({ msg }) => msg)).not.toContain("calls aborted at the shutdown limit");
  });

  it("turns them away while a running call finishes, and after SHUTDOWN_DELAY_MS, until which a body may arrive", async () => {
    const service = await startService({ SHUTDOWN_DELAY_MS: "800" });
    const running = bodyOf(service.call("hold", { ms: 2500 }));
    const [first, ...others] = await sendUnfinished(service);
    const start = performance.now();
    service.signal("SIGTERM");
    await vi.waitFor(async () => expect((await service.request("/readyz")).status).toBe(503));
    first!.send(`"n":1}${" ".repeat(13)}`);
    await first!.until((text) => answersIn(text).length === 1);
    expect(answersIn(first!.text)[0]).toMatchObject({ status: 200, headers: { connection: "close" } });
    expect(others.map(({ text }) => answersIn(text).filter(({ status }) => status >= 200).length)).toEqual(
      others.map(() => 0),
    );
    await Promise.all(others.map((raw) => raw.until((text) => text.includes("shutting_down"))));
    expect(performance.now() - start).toBeGreaterThanOrEqual(790);
    for (const raw of others) expectShuttingDown(raw.text);
    expect(await running).toMatchObject({ status: "ok", result: { waited: 2500 } });
    expect(await service.exited).toBe(0);
  });

  it("that comes twice ends the service at once", async () => {
    const service = await startService();
    const running = service.call("hold", { ms: 30_000 }).catch(() => "gone");
    await inFlight(service, 1);
    service.signal("SIGTERM");
    await sleep(100);
    const start = performance.now();
    service.signal("SIGTERM");
    expect(await service.exited).not.toBe(0);
    expect(performance.now() - start).toBeLessThan(500);
    expect(await running).toBe("gone");
  });
});
