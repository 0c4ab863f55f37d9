import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { answersIn, openSocket, requestText } from "../http/node/raw-socket.ts";
import { waitingFault } from "./fault.ts";
import { call, counters, residentBytes, sharedService } from "./service.ts";

const head = "POST /tools/typed/invoke HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";

/** Sends a piece every so often until the other side has ended the connection. @returns what came, and after how long */
async function trickle(port: number, first: string, piece: string): Promise<{ text: string; ms: number }> {
  const raw = await openSocket(port);
  const start = performance.now();
  raw.send(first);
  const timer = setInterval(() => raw.socket.writable && raw.send(piece), 100);
  try {
    const text = await raw.closed(30_000);
    return { text, ms: performance.now() - start };
  } finally {
    clearInterval(timer);
    raw.socket.destroy();
  }
}

// The limits are real ones, so these wait beside each other.
describe("a client that is slow", () => {
  const service = sharedService();
  // Apart: what slow readers keep in memory is not the others' to explain.
  const readersService = sharedService();

  waitingFault(
    "H1",
    "headers that come too slowly are 408 after 10 s",
    async () => {
      const { text, ms } = await trickle(
        service().port,
        "POST /tools/typed/invoke HTTP/1.1\r\nhost: localhost\r\n",
        "x: y\r\n",
      );
      expect(answersIn(text)).toMatchObject([{ status: 408, headers: { connection: "close" } }]);
      expect(JSON.parse(answersIn(text)[0]!.body)).toMatchObject({ error: { code: "request_timeout", ran: "no" } });
      expect(ms).toBeGreaterThan(8000);
      expect(ms).toBeLessThan(14_000);
    },
    40_000,
  );

  waitingFault(
    "H2",
    "a body that comes too slowly is 408 after 15 s, and runs nothing",
    async () => {
      const { typed } = await counters(service());
      const { text, ms } = await trickle(service().port, `${head}content-length: 5000\r\n\r\n{"a":"`, "x");
      expect(answersIn(text)).toMatchObject([{ status: 408 }]);
      expect(ms).toBeGreaterThan(12_000);
      expect(ms).toBeLessThan(20_000);
      expect((await counters(service()))["typed"]).toBe(typed);
    },
    40_000,
  );

  waitingFault(
    "H3",
    "a thousand silent connections keep nobody waiting, and are ended after 10 s",
    async () => {
      const sockets: Socket[] = [];
      const ended = new Set<Socket>();
      for (let index = 0; index < 1000; index++) {
        const socket = connect(service().port, "127.0.0.1")
          .on("error", () => undefined)
          .resume();
        socket.once("close", () => ended.add(socket));
        sockets.push(socket);
      }
      const before = await residentBytes(service());
      const start = performance.now();
      expect((await call(service(), "echo")).code).toBe("ok");
      expect(performance.now() - start).toBeLessThan(2000);
      const giveUpAt = performance.now() + 20_000;
      while (ended.size < sockets.length && performance.now() < giveUpAt) await sleep(50);
      expect(ended.size).toBe(1000);
      expect((await residentBytes(service())) - before).toBeLessThan(100_000_000);
    },
    40_000,
  );

  waitingFault(
    "H4",
    "readers that stand still are ended within 30 s, and others are served meanwhile",
    async () => {
      const idle = await residentBytes(readersService());
      const sockets = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const raw = await openSocket(readersService().port);
          raw.socket.pause();
          raw.send(requestText("POST /tools/large/invoke", { body: '{"megabytes":10}' }));
          return raw.socket;
        }),
      );
      const ended = new Set<Socket>();
      for (const socket of sockets) socket.once("close", () => ended.add(socket));
      await sleep(1000);
      expect((await call(readersService(), "echo")).code).toBe("ok");
      expect((await residentBytes(readersService())) - idle).toBeLessThan(300_000_000);
      const giveUpAt = performance.now() + 33_000;
      while (ended.size < sockets.length && performance.now() < giveUpAt) {
        await sleep(500);
        // Nothing tells a client that does not read but its next write. Line breaks may stand before a request.
        for (const socket of sockets) if (socket.writable) socket.write("\r\n");
      }
      expect(ended.size).toBe(4);
      for (const socket of sockets) socket.destroy();
    },
    45_000,
  );
});
