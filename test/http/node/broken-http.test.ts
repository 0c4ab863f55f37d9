import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { AnswerBody } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { answersIn, exchangeText, openSocket, type RawAnswer, requestText } from "./raw-socket.ts";

function codeOf({ body }: RawAnswer): string | undefined {
  return (JSON.parse(body) as AnswerBody).error?.code;
}

const connections = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));

const invoke = "POST /tools/tool/invoke HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";

describe("what is no HTTP", () => {
  it.each([
    ["words", "hello there\r\n\r\n"],
    ["a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["an unknown version", "GET /tools HTTP/9.9\r\nhost: x\r\n\r\n"],
    ["an unknown method", "FETCH /tools HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["a method in lower case", "get /tools HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["a target with a space", "GET /to ols HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["a target without a slash", "GET tools HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["a header without a colon", "GET /tools HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n"],
    ["a space before the colon", "GET /tools HTTP/1.1\r\nhost : x\r\n\r\n"],
    ["a NUL in a header", "GET /tools HTTP/1.1\r\nhost: x\r\na: b\0c\r\n\r\n"],
    ["a bare carriage return in a header", "GET /tools HTTP/1.1\r\nhost: x\r\na: b\rc: d\r\n\r\n"],
    ["two lengths (H8)", `${invoke}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
    ["two lengths in one header", `${invoke}content-length: 2, 2\r\n\r\n{}`],
    ["a negative length", `${invoke}content-length: -2\r\n\r\n{}`],
    ["a length that is no number", `${invoke}content-length: 2x\r\n\r\n{}`],
    ["a length past all numbers", `${invoke}content-length: 99999999999999999999999\r\n\r\n{}`],
    ["a length and chunks (H8)", `${invoke}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["an unknown transfer encoding", `${invoke}transfer-encoding: identity\r\n\r\n{}`],
    ["chunked that is not last", `${invoke}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
    ["a chunk size that is no number", `${invoke}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ["a chunk longer than its size", `${invoke}transfer-encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`],
  ])("is answered 400 in our shape, runs nothing, and ends the connection: %s", async (_title, text) => {
    let runs = 0;
    const { port } = await listenWith([{ execute: () => ++runs }]);
    const raw = await openSocket(port);
    raw.send(Buffer.from(text, "latin1"));
    await raw.closed();
    const [answer, ...more] = answersIn(raw.text);
    expect(more).toEqual([]);
    expect(answer?.status).toBe(400);
    expect(answer?.headers).toMatchObject({
      "content-type": "application/json",
      connection: "close",
      "toolhost-outcome": "bad_request",
    });
    expect(JSON.parse(answer!.body)).toMatchObject({
      status: "error",
      error: { code: "bad_request", retryable: false, ran: "no" },
    });
    expect(runs).toBe(0);
    raw.socket.destroy();
  });

  it("does not hold a connection whose client never ends its side", async () => {
    const { server, port } = await listenWith([{}]);
    const raw = await openSocket(port);
    raw.send("hello there\r\n\r\n");
    await raw.closed();
    expect(await connections(server)).toBe(1);
    await vi.waitFor(async () => expect(await connections(server)).toBe(0), { timeout: 20_000, interval: 20 });
    raw.socket.destroy();
  });

  it("is answered 400 where the target is no URL, or the Host none", async () => {
    const { port } = await listenWith([{}]);
    for (const text of [
      "GET //[ HTTP/1.1\r\nhost: localhost\r\n\r\n",
      "GET http://[ HTTP/1.1\r\nhost: localhost\r\n\r\n",
      "GET /tools HTTP/1.1\r\nhost: a b\r\n\r\n",
      "GET /tools HTTP/1.1\r\nhost: localhost/tools\r\n\r\n",
      "GET /tools HTTP/1.1\r\nhost: \r\n\r\n",
    ]) {
      const answer = await exchangeText(port, text);
      expect({ text, ok: [400, 404].includes(answer.status) }).toEqual({ text, ok: true });
      expect(codeOf(answer)).toMatch(/^(?:bad_request|not_found)$/);
    }
    expect((await exchangeText(port, requestText("GET /livez"))).status).toBe(200);
  });

  it("harms none but the connection that it came on", async () => {
    const { port } = await listenWith([{}]);
    const good = await openSocket(port);
    const request = requestText("POST /tools/tool/invoke", { body: "{}" });
    for (let round = 1; round <= 5; round++) {
      const bad = await openSocket(port);
      bad.send("\0\0\0\r\n\r\n");
      good.send(request);
      await good.until((text) => answersIn(text).length === round);
      bad.socket.destroy();
    }
    expect(answersIn(good.text).every(({ status }) => status === 200)).toBe(true);
    good.socket.destroy();
  });
});

describe("broken HTTP behind a call that still runs", () => {
  const call = requestText("POST /tools/tool/invoke", { body: "{}" });

  it("is answered after that call, and the connection ends then", async () => {
    const { port } = await listenWith([{ execute: () => sleep(50).then(() => "done") }]);
    const raw = await openSocket(port);
    raw.send(`${call}${call}garbage\r\n\r\nmore garbage`);
    await raw.closed();
    const answers = answersIn(raw.text);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(answers[1]?.body).toContain('"result":"done"');
    raw.socket.destroy();
  });

  it("does not cut off the last answer of a connection that was to end with it", async () => {
    const { port } = await listenWith([{ resultBytes: 9_000_000, execute: () => "x".repeat(8_000_000) }]);
    const raw = await openSocket(port);
    raw.send(`${requestText("POST /tools/tool/invoke", { body: "{}", headers: { connection: "close" } })}garbage`);
    await raw.closed(5000);
    expect(answersIn(raw.text).map(({ status, body }) => [status, body.length > 8_000_000])).toEqual([[200, true]]);
    raw.socket.destroy();
  });

  it("does not keep that call from being cancelled where the client leaves", async () => {
    let aborted = 0;
    let runs = 0;
    const { port } = await listenWith([
      {
        execute: (_args, { signal }) => (runs++, new Promise(() => signal.addEventListener("abort", () => aborted++))),
      },
    ]);
    const raw = await openSocket(port);
    raw.send(`${call}garbage\r\n\r\n`);
    await vi.waitFor(() => expect(runs).toBe(1));
    raw.send("garbage\r\n\r\n");
    raw.socket.destroy();
    await vi.waitFor(() => expect(aborted).toBe(1));
  });

  it("does not stand inside a stream's events", async () => {
    const { port } = await listenWith([
      { execute: async (_args, { progress }) => (progress({ progress: 1 }), await sleep(200), "done") },
    ]);
    const raw = await openSocket(port);
    raw.send(requestText("POST /tools/tool/invoke", { body: "{}", headers: { accept: "text/event-stream" } }));
    await raw.until((text) => text.includes("event: progress"));
    raw.send("garbage\r\n\r\n");
    const text = await raw.closed();
    expect(text).toMatch(/event: outcome\ndata: .*"result":"done"[\s\S]*\r\n0\r\n\r\nHTTP\/1\.1 400 /);
    raw.socket.destroy();
  });
});

describe("a body that breaks after its answer", () => {
  it("is not answered twice", async () => {
    const { port } = await listenWith([{}], { maxBodyBytes: 10 });
    const raw = await openSocket(port);
    raw.send(`${invoke}transfer-encoding: chunked\r\n\r\n14\r\n${"x".repeat(20)}\r\n`);
    await raw.until((text) => answersIn(text).length > 0);
    raw.send("no chunk\r\n\r\n");
    await raw.closed();
    expect(answersIn(raw.text).map(({ status }) => status)).toEqual([413]);
    raw.socket.destroy();
  });
});

describe("a request that does not arrive in time", () => {
  it("is answered 408: no headers, half the headers, half the body, no body at all (H1, H2, H3)", async () => {
    let runs = 0;
    const { server, port } = await listenWith([{ execute: () => ++runs }]);
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 15_000]);
    server.headersTimeout = 100;
    server.requestTimeout = 200;
    const halves = [
      "",
      "POST /tools/to",
      `${invoke}`,
      `${invoke}content-length: 10\r\n\r\n{"a":`,
      `${invoke}content-length: 10\r\n\r\n`,
      `${invoke}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`,
      `${invoke.replace("/tools/tool/invoke", "/calls")}content-length: 10\r\n\r\n{`,
    ];
    const answers = await Promise.all(halves.map((text) => exchangeText(port, text, 5000)));
    for (const answer of answers) {
      expect(answer.status).toBe(408);
      expect(answer.headers["connection"]).toBe("close");
      expect(JSON.parse(answer.body)).toMatchObject({
        status: "error",
        error: { code: "request_timeout", retryable: true, ran: "no" },
      });
    }
    expect(runs).toBe(0);
  });
});

describe("Expect", () => {
  it("100-continue is met, and a call with it runs (H12)", async () => {
    const { port } = await listenWith([{}]);
    const raw = await openSocket(port);
    raw.send(`${invoke}content-length: 7\r\nexpect: 100-continue\r\n\r\n`);
    await raw.until((text) => text.startsWith("HTTP/1.1 100 Continue\r\n\r\n"));
    raw.send('{"a":1}');
    await raw.until((text) => text.includes('"result":{"a":1}'));
    raw.socket.destroy();
  });

  it("is not met by HTTP/1.0, which knows no answer but the last", async () => {
    const { port } = await listenWith([{}]);
    const raw = await openSocket(port);
    const head = `${invoke}content-length: 7\r\nexpect: 100-continue\r\n\r\n`;
    raw.send(`${head.replace("HTTP/1.1", "HTTP/1.0")}{"a":1}`);
    const text = await raw.closed();
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain('"result":{"a":1}');
    expect(text).not.toContain("100 Continue");
  });

  it("of anything else is refused in our shape, and nothing runs", async () => {
    let runs = 0;
    const { port } = await listenWith([{ execute: () => ++runs }]);
    const raw = await openSocket(port);
    raw.send(`${invoke}content-length: 2\r\nexpect: a-miracle\r\n\r\n{}`);
    const text = await raw.closed();
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(runs).toBe(0);
    expect(text).toContain('{"status":"error","error":{"code":"bad_request"');
    raw.socket.destroy();
  });
});

describe("HTTP/1.0 with a transfer-encoding", () => {
  const request = (path: string): string =>
    `POST ${path} HTTP/1.0\r\nhost: localhost\r\nconnection: keep-alive\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;

  it.each([
    ["/tools/tool/invoke", '{"a":1}'],
    ["/calls", '{"calls":[{"name":"tool","arguments":{"a":1}}]}'],
  ])("is answered, and the connection ends with it: %s", async (path, body) => {
    let runs = 0;
    const { port } = await listenWith([{ execute: () => ++runs }]);
    const raw = await openSocket(port);
    const chunked = `${request(path)}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    raw.send(chunked + chunked);
    const text = await raw.closed();
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(runs).toBe(1);
  });
});

describe("OPTIONS *", () => {
  it("says what the service takes, and the connection goes on", async () => {
    const { port } = await listenWith([{}], { apiKeys: ["key"] });
    const raw = await openSocket(port);
    raw.send("OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\nGET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await raw.until((text) => answersIn(text).length === 2);
    const [answer, next] = answersIn(raw.text);
    expect(answer).toMatchObject({ status: 204, headers: { allow: "GET, HEAD, POST, OPTIONS" }, body: "" });
    expect(answer!.headers).not.toHaveProperty("content-length");
    expect(next?.status).toBe(200);
    raw.socket.destroy();
  });

  it("is checked for its Host and its Origin as any OPTIONS is", async () => {
    const { port } = await listenWith([{}], { hosts: "loopback" });
    const ask = (fields: string) => exchangeText(port, `OPTIONS * HTTP/1.1\r\n${fields}\r\n\r\n`);
    expect((await ask("host: evil.example")).status).toBe(403);
    expect((await ask("host: localhost\r\norigin: https://evil.example")).status).toBe(403);
    expect((await ask("x-other: no host")).status).toBe(400);
  });
});

it("a request to switch protocols is answered as if it had not asked", async () => {
  const { port } = await listenWith([{}]);
  const headers = {
    connection: "upgrade",
    upgrade: "websocket",
    "sec-websocket-key": "eA==",
    "sec-websocket-version": "13",
  };
  expect((await exchangeText(port, requestText("GET /livez", { headers }))).status).toBe(200);
});
