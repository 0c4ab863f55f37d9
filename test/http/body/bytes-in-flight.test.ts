import { describe, expect, it, vi } from "vitest";
import { appOf, post } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { answersIn, exchangeText, openSocket, requestText } from "../node/raw-socket.ts";

const body = (bytes: number): string => `{"a":"${"x".repeat(bytes - 8)}"}`;
const call = (bytes: number): string => requestText("POST /tools/tool/invoke", { body: body(bytes) });

describe("the bytes of bodies that are held at once", () => {
  it("are bounded: beyond it a request is overloaded, and runs nothing", async () => {
    let runs = 0;
    const { port } = await listenWith([{ execute: () => ++runs }], { maxBytesInFlight: 3000 });
    const half = await openSocket(port);
    half.send(call(2000).slice(0, -10));
    const refused = async () => (await exchangeText(port, call(1500))).status === 503;
    while (!(await refused())) runs = 0; // Until the half of the other is here.
    const answer = await exchangeText(port, call(1500));
    expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1", "toolhost-outcome": "overloaded" } });
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "overloaded", retryable: true, ran: "no" } });
    expect(runs).toBe(0);
    expect((await exchangeText(port, call(500))).status).toBe(200);
    half.send(call(2000).slice(-10));
    await half.until((text) => answersIn(text).length > 0);
    expect(answersIn(half.text)[0]?.status).toBe(200);
    half.socket.destroy();
  });

  it.each([
    ["taken", body(900), 200],
    ["refused as no JSON", body(900).replace("}", "]"), 400],
    ["refused for its kind", "x".repeat(900), 400],
    ["too large", body(1100), 413],
  ])("are free again, whatever came of them: %s", async (_name, text, status) => {
    const options = { maxBodyBytes: 1000, maxReplyBytes: 1000, maxBytesInFlight: 1000 };
    const { app } = appOf([{}], options);
    const { port } = await listenWith([{}], options);
    const request = requestText("POST /tools/tool/invoke", { body: text });
    const chunked = `POST /tools/tool/invoke HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    for (let turn = 0; turn < 3; turn++) {
      expect((await post(app, "/tools/tool/invoke", text)).status).toBe(status);
      expect((await exchangeText(port, request)).status).toBe(status);
      expect((await exchangeText(port, chunked)).status).toBe(status);
    }
  });

  it("are counted together by the apps of one service, as after a reload", async () => {
    const bytesInFlight = { bytes: 0 };
    const options = { maxBytesInFlight: 3000, bytesInFlight };
    const { port } = await listenWith([{}], options);
    const { app } = appOf([{}], options);
    const half = await openSocket(port);
    half.send(call(2000).slice(0, -10));
    await vi.waitFor(() => expect(bytesInFlight.bytes).toBeGreaterThan(1500));
    expect((await post(app, "/tools/tool/invoke", body(1500))).status).toBe(503);
    half.socket.destroy();
    await vi.waitFor(() => expect(bytesInFlight.bytes).toBe(0));
    expect((await post(app, "/tools/tool/invoke", body(1500))).status).toBe(200);
  });

  it("are free again where the client leaves", async () => {
    const { port } = await listenWith([{}], { maxBytesInFlight: 1000 });
    for (let turn = 0; turn < 3; turn++) {
      const client = await openSocket(port);
      client.send(call(900).slice(0, -10));
      while ((await exchangeText(port, call(900))).status !== 503) await new Promise(setImmediate);
      client.socket.destroy();
      while ((await exchangeText(port, call(900))).status !== 200) await new Promise(setImmediate);
    }
  });

  it("count as long as a reply's calls run, whose text may be echoed", async () => {
    let finish = (): void => {};
    const execute = () => new Promise((resolve) => (finish = () => resolve(1)));
    const { app } = appOf([{ execute }], { maxBytesInFlight: 1000 });
    const reply = JSON.stringify({
      role: "assistant",
      content: "x".repeat(700),
      tool_calls: [{ id: "a", type: "function", function: { name: "tool", arguments: "{}" } }],
    });
    const running = post(app, "/calls?format=openai&echo=true", reply);
    while ((await post(app, "/calls", body(400))).status !== 503) await new Promise(setImmediate);
    finish();
    expect((await running).status).toBe(200);
    expect((await post(app, "/calls", body(400))).status).toBe(400);
  });
});
