import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sendByTurn } from "../../../src/http/node/answers-of-turn.ts";
import { hasUnsentAnswers } from "../../../src/http/node/connections.ts";
import type { Exchange } from "../../../src/http/exchange.ts";
import type { HttpReply } from "../../../src/http/http-reply.ts";
import { listenWith } from "../listening-app.ts";
import { openSocket, requestText } from "./raw-socket.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const exchange = {} as Exchange;
const reply = (body: string): HttpReply => ({ status: 200, headers: {}, body });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function record(onSent?: (body: string) => void) {
  const sent: string[] = [];
  const deliver = sendByTurn((_exchange, { body }) => {
    sent.push(body as string);
    onSent?.(body as string);
  });
  return { sent, deliver: (body: string): void => deliver(exchange, reply(body)) };
}

it("answers of one turn are sent at its end, in their order", async () => {
  const { sent, deliver } = record();
  deliver("a");
  await Promise.resolve();
  deliver("b");
  expect(sent).toEqual([]);
  await turn();
  expect(sent).toEqual(["a", "b"]);
  deliver("c");
  await turn();
  expect(sent).toEqual(["a", "b", "c"]);
});

it.each([1, -60_000])(
  "in a turn that takes long they are sent before it ends (the clock changes by %i ms)",
  async (ms) => {
    const { sent, deliver } = record();
    deliver("a");
    deliver("b");
    vi.setSystemTime(Date.now() + ms);
    deliver("c");
    expect(sent).toEqual(["a", "b", "c"]);
    deliver("d");
    expect(sent).toEqual(["a", "b", "c"]);
    await turn();
    expect(sent).toEqual(["a", "b", "c", "d"]);
  },
);

it("many are sent before the turn ends", async () => {
  const { sent, deliver } = record();
  const bodies = Array.from({ length: 40 }, (_, index) => `${index}`);
  bodies.forEach(deliver);
  expect(sent).toEqual(bodies.slice(0, 32));
  await turn();
  expect(sent).toEqual(bodies);
});

it("an answer that is made while others are sent follows them", async () => {
  const { sent, deliver } = record((body) => body === "a" && deliver("c"));
  deliver("a");
  deliver("b");
  await turn();
  expect(sent).toEqual(["a", "b"]);
  await turn();
  expect(sent).toEqual(["a", "b", "c"]);
});

it("a shutdown sees the answer that waits for the end of the turn", async () => {
  const seen: boolean[] = [];
  const observer = { onCall: () => queueMicrotask(() => void seen.push(hasUnsentAnswers(server))) };
  const { server, port } = await listenWith([{}], {}, { observer });
  const client = await openSocket(port);
  client.send(requestText("POST /tools/tool/invoke", { body: '{"city":"Paris"}' }));
  await client.until((text) => text.includes('"status":"ok"'));
  expect(seen).toEqual([true]);
  expect(hasUnsentAnswers(server)).toBe(false);
});

it("answers to pipelined calls come in their order, however many", async () => {
  const { port } = await listenWith([{ parameters: { type: "object" }, execute: (args) => args }]);
  const client = await openSocket(port);
  const calls = Array.from({ length: 200 }, (_, n) => requestText("POST /tools/tool/invoke", { body: `{"n":${n}}` }));
  client.send(calls.join(""));
  const text = await client.until((all) => all.includes('"n":199}'));
  const order = [...text.matchAll(/"result":\{"n":(\d+)\}/g)].map(([, n]) => Number(n));
  expect(order).toEqual(Array.from({ length: 200 }, (_, n) => n));
});
