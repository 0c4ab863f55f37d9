import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { failureOf, fetchFor, startRaw, startServer } from "./servers.ts";
import { sizeOf } from "../runs.ts";

const text = (response: Response) => response.text();
const head = "HTTP/1.1 200 OK\r\n";

describe("an answer", () => {
  it("without an end is read up to the limit", async () => {
    let sent = 0;
    const server = await startServer(async (_incoming, outgoing) => {
      const chunk = Buffer.alloc(65_536);
      while (!outgoing.destroyed) {
        sent += chunk.length;
        if (!outgoing.write(chunk)) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    });
    const failure = await failureOf(fetchFor([server], { maxResponseBytes: 1_000_000 })(server.url).then(text));
    expect(failure).toMatchObject({ name: "UpstreamError", message: expect.stringContaining("too large") });
    expect(sent).toBeLessThan(20_000_000);
  });

  it("of exactly the limit is read whole, and one byte more is not", async () => {
    const server = await startServer((incoming, outgoing) => {
      outgoing.writeHead(200, incoming.url === "/told" ? { "content-length": 1001 } : {});
      outgoing.end("x".repeat(incoming.url === "/fits" ? 1000 : 1001));
    });
    const fetch = fetchFor([server], { maxResponseBytes: 1000 });
    expect((await fetch(`${server.url}/fits`).then(text)).length).toBe(1000);
    expect(await failureOf(fetch(`${server.url}/chunked`).then(text))).toMatchObject({ name: "UpstreamError" });
    // Known by its length, it is not even begun.
    expect(await failureOf(fetch(`${server.url}/told`))).toMatchObject({ name: "UpstreamError" });
  });

  it("that would unpack to more than the limit is refused", async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const server = await startServer((_incoming, outgoing) => {
      outgoing.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const failure = await failureOf(fetchFor([server], { maxResponseBytes: 1_000_000 })(server.url).then(text));
    expect(failure).toMatchObject({ name: "UpstreamError", message: expect.stringContaining("too large") });
  });

  it("packed again and again is not unpacked", async () => {
    const server = await startServer((_incoming, outgoing) => {
      outgoing.writeHead(200, { "content-encoding": Array(6).fill("gzip").join(", ") }).end("x");
    });
    expect(await failureOf(fetchFor([server])(server.url))).toMatchObject({ name: "UpstreamError" });
  });

  it("that is no gzip is an error, and its connection is not used again", async () => {
    const sockets: unknown[] = [];
    const server = await startServer((incoming, outgoing) => {
      sockets.push(incoming.socket);
      outgoing.writeHead(200, { "content-encoding": "gzip" });
      outgoing.write("this is no gzip");
    });
    const fetch = fetchFor([server]);
    for (let count = 0; count < 4; count++) {
      expect(await failureOf(fetch(server.url).then(text))).toMatchObject({ name: "UpstreamError" });
    }
    expect([sockets.length, new Set(sockets).size]).toEqual([4, 4]);
  });

  it("that drips ends with the call's signal", async () => {
    const server = await startServer((_incoming, outgoing) => {
      outgoing.writeHead(200);
      const drip = setInterval(() => outgoing.write("."), 20);
      outgoing.on("close", () => clearInterval(drip));
    });
    const signal = AbortSignal.timeout(300);
    expect(await failureOf(fetchFor([server])(server.url, { signal }).then(text))).toMatchObject({
      name: "TimeoutError",
    });
  });

  it("that stops is given up, in its head and in its body", async () => {
    const server = await startServer((incoming, outgoing) => {
      if (incoming.url === "/body") outgoing.writeHead(200).write("half");
    });
    const fetch = fetchFor([server], { idleTimeoutMs: 100 });
    const [head, body] = [fetch(server.url), fetch(`${server.url}/body`).then(text)].map(failureOf);
    expect(await head).toMatchObject({
      name: "UpstreamError",
      message: expect.stringContaining("UND_ERR_HEADERS_TIMEOUT"),
    });
    expect(await body).toMatchObject({
      name: "UpstreamError",
      message: expect.stringContaining("UND_ERR_BODY_TIMEOUT"),
    });
  });

  it.each([
    ["a megabyte of headers", `${head}x-a: ${"x".repeat(1_000_000)}\r\n\r\n`],
    ["very many headers", `${head}${"x-a: b\r\n".repeat(sizeOf(150_000, 30_000))}\r\n`],
    ["no HTTP", "hello\r\n\r\n"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a content-length that is no number", `${head}content-length: ten\r\n\r\nbody`],
    ["two content-lengths", `${head}content-length: 1\r\ncontent-length: 2\r\n\r\nbody`],
    ["a length and chunks", `${head}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["a chunk size that is none", `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`],
    ["a bare line feed", `${head}x-a: b\n c\n\r\n\r\n`],
    ["a header with a NUL", `${head}x-a: \0\r\n\r\n`],
    ["a status over 599", "HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n"],
    ["an upgrade", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
    ["nothing", ""],
  ])("of %s is an error, and its connection is not used again", async (_what, answer) => {
    const sockets: unknown[] = [];
    const server = await startRaw((socket) => {
      sockets.push(socket);
      if (answer === "") socket.end();
      else socket.write(answer);
    });
    const fetch = fetchFor([server]);
    for (let count = 0; count < 3; count++) {
      const failure = await failureOf(fetch(server.url, { signal: AbortSignal.timeout(5000) }).then(text));
      expect(failure).toMatchObject({ name: "UpstreamError" });
      expect(failure["ran"]).toBeUndefined();
    }
    expect([sockets.length, new Set(sockets).size]).toEqual([3, 3]);
  });

  it("shorter than it said is an error", async () => {
    const server = await startRaw((socket) => void socket.end(`${head}content-length: 10\r\n\r\nhalf`));
    expect(await failureOf(fetchFor([server])(server.url).then(text))).toMatchObject({ name: "UpstreamError" });
  });

  it("longer than it said is cut there, and what follows is no answer to the next request", async () => {
    const stray = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray";
    const server = await startRaw((socket) => void socket.write(`${head}content-length: 4\r\n\r\nbody${stray}`));
    const fetch = fetchFor([server]);
    for (let count = 0; count < 4; count++) expect(await fetch(server.url).then(text)).toBe("body");
    expect(server.connections).toBeGreaterThanOrEqual(4);
  });

  it("with an early hint before it is read all the same", async () => {
    const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
    const server = await startRaw((socket) => void socket.write(`${hint}${head}content-length: 4\r\n\r\nbody`));
    expect(await fetchFor([server])(server.url).then(text)).toBe("body");
  });

  it("that nobody reads breaks off in silence", async () => {
    let end = (): unknown => undefined;
    let isClosed = false;
    const server = await startRaw((socket) => {
      socket.write(`${head}content-length: 10\r\n\r\nhalf`);
      socket.on("close", () => (isClosed = true));
      end = () => socket.destroy();
    });
    const response = await fetchFor([server])(server.url);
    end();
    await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: 20_000, interval: 5 });
    // The client learns of it in a later turn; a rejection that nobody handles would fail the run.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await failureOf(response.text())).toMatchObject({ name: "UpstreamError" });
  });
});
