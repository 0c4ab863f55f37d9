import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, test, vi } from "vitest";
import { listenWith } from "../../http/listening-app.ts";
import { openSocket, requestText } from "../../http/node/raw-socket.ts";
import { mcpDoor } from "../../../src/mcp/http/door.ts";
import type { ToolContext } from "../../../src/tool/tool.ts";
import { ask } from "../messages.ts";

const body = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const message = (id: number, method: string, params?: object): string =>
  requestText("POST /mcp", { body: body(id, method, params) });

test("requests of one connection are answered in their order, streams among them", async () => {
  const execute = async (_args: unknown, { progress }: ToolContext): Promise<string> => {
    progress({ progress: 1 });
    await sleep(5);
    return "slow";
  };
  const { port } = await listenWith([{ execute }], { doors: [mcpDoor] });
  const client = await openSocket(port);
  const call = message(1, "tools/call", { name: "tool", _meta: { progressToken: 1 } });
  client.send(call + message(2, "ping") + call.replace('"id":1', '"id":3') + message(4, "tools/list"));
  const text = await client.until((came) => came.includes('"id":4'), 10_000);
  const ids = [...text.matchAll(/"id":(\d)/g)].map(([, id]) => id);
  expect(ids).toEqual(["1", "2", "3", "4"]);
  expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4);
  client.socket.destroy();
});

it.each([
  ["a path that is spelled in another way", "/%6dcp"],
  ["a query", "/mcp?names=tool"],
  ["an empty query", "/mcp?"],
])("answers %s as any other", async (_what, path) => {
  const { port } = await listenWith([{}], { doors: [mcpDoor] });
  const request = (target: string, init?: RequestInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${target}`, init);
  const { status, message: answer } = await ask({ request }, "legacy", "tools/list", {}, { path });
  expect([status, answer.result]).toMatchObject([200, { tools: [{ name: "tool" }] }]);
});

test("a reader that leaves a stream in the middle ends its call, and the connection counts no request any more", async () => {
  const signals: AbortSignal[] = [];
  const execute = (_args: unknown, { signal, progress }: ToolContext): Promise<never> => {
    signals.push(signal);
    let count = 0;
    const timer = setInterval(() => progress({ progress: ++count, message: "x".repeat(1000) }), 1);
    signal.addEventListener("abort", () => clearInterval(timer));
    return new Promise(() => undefined);
  };
  const { port, server } = await listenWith([{ execute, timeoutMs: 60_000 }], { doors: [mcpDoor] });
  const client = await openSocket(port);
  client.send(message(1, "tools/call", { name: "tool", _meta: { progressToken: 1 } }));
  await client.until((came) => came.includes("notifications/progress"), 10_000);
  client.socket.destroy();
  await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true), 10_000);
  await vi.waitFor(async () => {
    const open = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    expect(open).toBe(0);
  }, 10_000);
});

test("many streams over one connection leave nothing on its socket", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  const execute = (_args: unknown, { progress }: ToolContext): null => {
    progress({ progress: 1 });
    return null;
  };
  const { port } = await listenWith([{ execute }], { doors: [mcpDoor] });
  const client = await openSocket(port);
  for (let id = 1; id <= 30; id++) {
    client.send(message(id, "tools/call", { name: "tool", _meta: { progressToken: 1 } }));
    await client.until((came) => came.includes(`"id":${id},`) && came.endsWith("0\r\n\r\n"), 10_000);
  }
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
  client.socket.destroy();
});
