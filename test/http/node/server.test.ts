import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { CallRecord } from "../../../src/core/observer.ts";
import type { Tool } from "../../../src/tool/tool.ts";
import { sleep } from "../../core/one-tool.ts";
import { listenWith } from "../listening-app.ts";
import { answersIn, openSocket, requestText } from "./raw-socket.ts";

const call = (body = "{}"): string => requestText("POST /tools/tool/invoke", { body });
const many = (body: string): string => requestText("POST /calls", { body });

/** A service whose tool waits for its signal, and counts; with what was told of the calls that ended. */
async function listenWatched() {
  const watched = { started: 0, aborted: 0 };
  const records: CallRecord[] = [];
  const execute: Tool["execute"] = (_args, { signal }) => {
    watched.started++;
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => (watched.aborted++, reject(signal.reason))),
    );
  };
  const { port } = await listenWith([{ execute }], {}, { observer: { onCall: (record) => void records.push(record) } });
  return { watched, records, port };
}

/** Fails the test where a promise is rejected unheard while it runs. */
function hearRejections(): unknown[] {
  const heard: unknown[] = [];
  const hear = (reason: unknown) => void heard.push(reason);
  process.on("unhandledRejection", hear);
  onTestFinished(() => void process.off("unhandledRejection", hear));
  return heard;
}

describe("a connection", () => {
  it("serves one request after another, whichever way they take", async () => {
    const { port } = await listenWith([{}]);
    const raw = await openSocket(port);
    const requests = [
      call('{"n":1}'),
      requestText("GET /tools"),
      many('{"calls":[{"name":"tool"}]}'),
      requestText("POST /tools/none/invoke", { body: "{}" }),
      call("{"),
      requestText("GET /nothing"),
      call('{"n":2}'),
      requestText("OPTIONS /tools"),
      call('{"n":3}'),
    ];
    for (const [index, request] of requests.entries()) {
      raw.send(request);
      await raw.until((text) => answersIn(text).length === index + 1);
    }
    expect(answersIn(raw.text).map(({ status }) => status)).toEqual([200, 200, 200, 404, 400, 404, 200, 204, 200]);
    expect(answersIn(raw.text).at(-1)?.body).toContain('"result":{"n":3}');
    raw.socket.destroy();
  });

  it("answers 20 calls that were sent at once in the order they came, and runs them side by side (H7)", async () => {
    let running = 0;
    let mostRunning = 0;
    const execute = async ({ n }: Record<string, unknown>) => {
      mostRunning = Math.max(mostRunning, ++running);
      await sleep(60 - Number(n) * 3);
      running--;
      return n;
    };
    const { port } = await listenWith([{ execute }]);
    const raw = await openSocket(port);
    raw.send(Array.from({ length: 20 }, (_, n) => call(`{"n":${n}}`)).join(""));
    await raw.until((text) => answersIn(text).length === 20);
    expect(mostRunning).toBe(8);
    const results = answersIn(raw.text).map(({ body }) => (JSON.parse(body) as { result: number }).result);
    expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n));
    raw.socket.destroy();
  });

  it("takes a request byte by byte", async () => {
    const { port } = await listenWith([{}]);
    const raw = await openSocket(port);
    raw.socket.setNoDelay();
    for (const byte of Buffer.from(call('{"é":"😀"}'))) {
      raw.send(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await raw.until((text) => Buffer.from(text, "latin1").toString().includes('"result":{"é":"😀"}'));
    raw.socket.destroy();
  });

  it("stays in use after an answer that did not wait for the body (H15)", async () => {
    const { port } = await listenWith([{}], { maxBodyBytes: 1000 });
    for (const path of ["/tools/none/invoke", "/tools/tool/invoke", "/calls", "/nowhere"]) {
      const raw = await openSocket(port);
      const body = "x".repeat(50_000);
      raw.send(requestText(`POST ${path}`, { body }).slice(0, -49_000));
      await raw.until((text) => answersIn(text).length === 1);
      expect(answersIn(raw.text)[0]?.status).toBeGreaterThanOrEqual(400);
      if (answersIn(raw.text)[0]?.headers["connection"] === "close") {
        await raw.closed();
      } else {
        raw.send(body.slice(0, 49_000) + call('{"next":1}'));
        await raw.until((text) => text.includes('"result":{"next":1}'));
      }
      raw.socket.destroy();
    }
  });

  it("of HTTP/1.0 ends with its answer", async () => {
    const { port } = await listenWith([{}]);
    const raw = await openSocket(port);
    raw.send(call('{"n":1}').replace("HTTP/1.1", "HTTP/1.0"));
    expect(await raw.closed()).toContain('"result":{"n":1}');
    raw.socket.destroy();
  });
});

describe("a client that leaves", () => {
  it.each([
    ["a call", call(), 1],
    ["many calls", many(`{"calls":[${Array(5).fill('{"name":"tool"}').join(",")}]}`), 5],
    ["200 calls in a row, of which 8 run at once (H7)", call().repeat(200), 8],
    ["a call by a name that is spelled another way", call().replace("tool/invoke", "t%6fol/invoke"), 1],
  ])("aborts what it waited for, and each is reported once as cancelled: %s (H6)", async (_title, text, count) => {
    const rejections = hearRejections();
    const { watched, records, port } = await listenWatched();
    const raw = await openSocket(port);
    raw.send(text);
    await vi.waitFor(() => expect(watched.started).toBe(count), { interval: 2 });
    raw.socket.destroy();
    await vi.waitFor(() => expect(watched.aborted).toBe(count), { timeout: 10_000 });
    await sleep(10);
    expect(records.map(({ code }) => code)).toEqual(Array<string>(count).fill("cancelled"));
    expect(watched.started).toBe(count);
    expect(rejections).toEqual([]);
  });

  it("right behind its request is served or cancelled, once in the log (B36)", async () => {
    const rejections = hearRejections();
    for (const text of [call(), many('{"calls":[{"name":"tool"}]}')]) {
      const { watched, records, port } = await listenWatched();
      for (let round = 0; round < 10; round++) {
        const raw = await openSocket(port);
        raw.socket.end(text);
        raw.socket.destroySoon();
      }
      await vi.waitFor(() => expect(records.length).toBe(10));
      await sleep(20);
      expect(records.map(({ code }) => code)).toEqual(Array<string>(10).fill("cancelled"));
      expect(watched.aborted).toBe(watched.started);
    }
    expect(rejections).toEqual([]);
  });

  it("with half of its body unsent has run nothing (B36)", async () => {
    const rejections = hearRejections();
    const faults: unknown[] = [];
    let runs = 0;
    const { port } = await listenWith([{ execute: () => ++runs }], { onFault: (error) => void faults.push(error) });
    const stream = requestText("POST /tools/tool/invoke", {
      body: '{"a":1}',
      headers: { accept: "text/event-stream" },
    });
    for (const text of [call('{"a":1}'), many('{"calls":[{"name":"tool"}]}'), stream]) {
      for (const length of [text.length - 1, text.length - 4, text.indexOf("\r\n\r\n") + 4, 40]) {
        const raw = await openSocket(port);
        raw.send(text.slice(0, length));
        await sleep(5);
        raw.socket.destroy();
      }
    }
    await sleep(30);
    expect({ runs, rejections, faults }).toEqual({ runs: 0, rejections: [], faults: [] });
    const next = await openSocket(port);
    next.send(call());
    await next.until((text) => text.startsWith("HTTP/1.1 200"));
    next.socket.destroy();
  });

  it("after its answer cancels nothing", async () => {
    const records: CallRecord[] = [];
    const { port } = await listenWith([{}], {}, { observer: { onCall: (record) => void records.push(record) } });
    const raw = await openSocket(port);
    raw.send(call());
    await raw.until((text) => answersIn(text).length === 1);
    raw.socket.destroy();
    await sleep(10);
    expect(records.map(({ code }) => code)).toEqual(["ok"]);
  });
});
