import { spawn } from "node:child_process";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import { answersIn, openSocket, requestText } from "../http/node/raw-socket.ts";
import { fault } from "./fault.ts";
import { call, counters, get, ownService, type Service } from "./service.ts";

const held = (ms: number, headers: Record<string, string> = {}): string =>
  requestText("POST /tools/hold/invoke", { body: JSON.stringify({ ms }), headers });

async function started(service: Service, count: number): Promise<void> {
  await vi.waitFor(async () => expect((await counters(service))["started"]).toBe(count), { timeout: 5000 });
}

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => (socket.destroy(), resolve(true)));
    socket.on("error", () => resolve(false));
  });
}

fault(
  "D1",
  "SIGTERM loses no answer: not ready first, running calls and streams end well, every socket ends, exit 0",
  async () => {
    const service = await ownService({ env: { SHUTDOWN_DELAY_MS: "500" } });
    const [silent, half, idle, stream, pipelined] = await Promise.all(
      [1, 2, 3, 4, 5].map(() => openSocket(service.port)),
    );
    half!.send("POST /tools/echo/invoke HTTP/1.1\r\nhost: loc");
    idle!.send(requestText("GET /livez"));
    await idle!.until((text) => answersIn(text).length === 1);
    stream!.send(held(1500, { accept: "text/event-stream" }));
    await stream!.until((text) => text.includes("event: progress"));
    pipelined!.send(held(1200).repeat(3));
    const calls = Array.from({ length: 50 }, () => call(service, "hold", { ms: 1500 }));
    await started(service, 54);
    const start = performance.now();
    service.signal("SIGTERM");
    await vi.waitFor(async () => expect((await get(service, "/readyz")).status).toBe(503));
    const between = await call(service, "echo", { n: 1 });
    expect([between.code, between.headers["connection"]]).toEqual(["ok", "close"]);
    await vi.waitFor(async () => expect((await call(service, "echo")).code).toBe("shutting_down"), {
      timeout: 1200,
      interval: 50,
    });
    const late = await call(service, "echo");
    expect(late).toMatchObject({
      status: 503,
      headers: { connection: "close", "retry-after": expect.stringMatching(/^\d+$/) },
      body: { error: { ran: "no" } },
    });

    const answers = await Promise.all(calls);
    expect(answers.filter(({ body }) => (body.result as { waited?: number })?.waited === 1500).length).toBe(50);
    expect(await service.exited).toBe(0);
    expect(performance.now() - start).toBeLessThan(5000);
    expect(stream!.text).toMatch(/event: outcome\ndata: .*"result":\{"waited":1500\}/);
    expect(answersIn(pipelined!.text).filter(({ status }) => status === 200).length).toBe(3);
    for (const raw of [silent, half, idle, stream, pipelined]) {
      await raw!.closed();
      raw!.socket.destroy();
    }
  },
  20_000,
);

fault(
  "D2",
  "a second SIGTERM ends it now, SIGKILL leaves no port, and SIGTERM while it starts is heeded",
  async () => {
    const service = await ownService();
    const running = await openSocket(service.port);
    running.send(held(30_000));
    await started(service, 1);
    service.signal("SIGTERM");
    await vi.waitFor(() => expect(service.entries.some(({ msg }) => msg === "draining")).toBe(true));
    const start = performance.now();
    service.signal("SIGTERM");
    expect(await service.exited).not.toBe(0);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(await running.closed()).toBe("");
    running.socket.destroy();

    const killed = await ownService();
    killed.signal("SIGKILL");
    await killed.exited;
    expect(await isListening(killed.port)).toBe(false);
    const again = await ownService({ env: { PORT: String(killed.port) } });
    expect((await call(again, "echo")).code).toBe("ok");

    const main = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));
    for (const afterMs of [20, 80, 150, 300]) {
      const child = spawn(process.execPath, [main, "serve"], {
        env: { PATH: process.env["PATH"], PORT: "0" },
        stdio: "ignore",
      });
      const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      setTimeout(() => child.kill("SIGTERM"), afterMs);
      const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
      await exited;
      clearTimeout(timer);
      expect({ afterMs, signal: child.signalCode }).not.toEqual({ afterMs, signal: "SIGKILL" });
    }
  },
  30_000,
);
