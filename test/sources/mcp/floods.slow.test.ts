import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createOutboundFetch } from "../../../src/egress/fetch.ts";
import { startHttpServer } from "./http-server.ts";
import { host, type Hosted, hostSetting } from "./scripted.ts";

const changed = { method: "notifications/tools/list_changed" };
const unasked: [string, object][] = [
  ["notices of changed tools", changed],
  ["log messages", { method: "notifications/message", params: { level: "info", data: "x" } }],
  ["progress of nothing", { method: "notifications/progress", params: { progressToken: 7, progress: 1 } }],
  ["requests", { id: 1, method: "sampling/createMessage", params: {} }],
  ["answers to nothing", { id: 4711, result: {} }],
];

/** The share of a core that this process takes, and the most in one turn, in milliseconds. */
async function measureLoad(forMs: number): Promise<{ readonly share: number; readonly turnMs: number }> {
  const cpuMs = (): number => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
  const before = cpuMs();
  const end = performance.now() + forMs;
  let turnMs = 0;
  for (let last = before; performance.now() < end;) {
    await sleep(1);
    const now = cpuMs();
    turnMs = Math.max(turnMs, now - last);
    last = now;
  }
  return { share: (cpuMs() - before) / forMs, turnMs };
}

async function expectCalm(flooding: Hosted): Promise<void> {
  await sleep(500);
  const { share, turnMs } = await measureLoad(3000);
  expect(share).toBeLessThan(0.25);
  expect(turnMs).toBeLessThan(100);
  // The flooding server's own calls wait behind its flood, and still end.
  expect(await flooding.call("one")).toMatchObject({ status: "ok" });
}

test.each(unasked)("a server over stdio that sends %s without end leaves time for others", async (_name, message) => {
  const hosted = await host({ tools: ["flood", "one"] });
  await hosted.call("flood", { message });
  await expectCalm(hosted);
});

test.each(unasked)("a server over HTTP that sends %s without end leaves time for others", async (_name, message) => {
  const flood = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const events = `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`.repeat(1000);
    const write = (): void => void (response.destroyed || response.write(events, () => setImmediate(write)));
    write();
  });
  await new Promise<void>((resolve) => flood.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => flood.closeAllConnections());
  const server = await startHttpServer();
  const floodUrl = `http://127.0.0.1:${(flood.address() as AddressInfo).port}/`;
  const outbound = createOutboundFetch({ allow: ["127.0.0.1"], maxResponseBytes: 2 ** 40 });
  // The stream that the server opens for its notices is the flood.
  const fetch: typeof globalThis.fetch = (input, init) =>
    outbound((init?.method ?? "GET") === "GET" ? floodUrl : (input as URL), init);
  await expectCalm(await hostSetting({ mcp: { url: server.url } }, 30_000, fetch));
});
