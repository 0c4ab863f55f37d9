import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { listenWith } from "../listening-app.ts";
import { answersIn, exchangeText, openSocket, requestText } from "./raw-socket.ts";
import { sizeOf } from "../../runs.ts";

const call = (body: string): string => requestText("POST /tools/tool/invoke", { body });

it("the Host is checked whatever came before", async () => {
  const { port } = await listenWith([{}], { hosts: "loopback" });
  const withoutHost = "GET /tools HTTP/1.0\r\n\r\n";
  expect((await exchangeText(port, withoutHost)).status).toBe(403);
  expect((await exchangeText(port, "GET /tools HTTP/1.1\r\nhost: localhost\r\n\r\n")).status).toBe(200);
  expect((await exchangeText(port, withoutHost)).status).toBe(403);
  expect((await exchangeText(port, "GET /livez HTTP/1.0\r\n\r\n")).status).toBe(200);
});

describe("a client that sends the next request before the answer", () => {
  it("has 8 calls at once, and every answer in order (H7)", async () => {
    let running = 0;
    let most = 0;
    const execute = async ({ n }: JsonObject): Promise<unknown> => {
      most = Math.max(most, ++running);
      await sleep(5);
      running--;
      return { n };
    };
    const { port } = await listenWith([{ execute }]);
    const raw = await openSocket(port);
    for (let n = 0; n < 40; n++) raw.send(call(`{"n":${n}}`));
    await raw.until((text) => answersIn(text).length === 40);
    const results = answersIn(raw.text).map(({ body }) => (JSON.parse(body) as { result: { n: number } }).result.n);
    expect(results).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(most).toBe(8);
    raw.socket.destroy();
  });

  it("is refused any number of times in a row", async () => {
    const { port } = await listenWith([{}]);
    const raw = await openSocket(port);
    const refused = "GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n";
    raw.send(refused.repeat(sizeOf(3000, 1000)) + call('{"n":1}'));
    await raw.until((text) => text.includes('"result":{"n":1}'));
    raw.socket.destroy();
  });
});

it("answers that nobody reads do not pile up: their requests go on counting among the eight", async () => {
  let started = 0;
  const execute = (): string => {
    started++;
    return "x".repeat(1_000_000);
  };
  const { port } = await listenWith([{ execute }]);
  const raw = await openSocket(port);
  raw.socket.pause();
  const count = sizeOf(100, 50);
  raw.send(call("{}").repeat(count));
  await vi.waitFor(() => expect(started).toBeGreaterThan(7));
  await sleep(200);
  // Eight wait in the process; the kernel's buffers on both sides hold a few more.
  expect(started).toBeLessThan(40);
  raw.socket.resume();
  await vi.waitFor(() => expect(started).toBe(count), { timeout: 60_000 });
  raw.socket.destroy();
});
