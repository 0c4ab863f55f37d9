import { expect, it } from "vitest";
import { listenWith } from "../listening-app.ts";
import { exchangeText, openSocket, requestText } from "./raw-socket.ts";

const call = (headers: Record<string, string> = {}): string =>
  requestText("POST /tools/tool/invoke", { body: '{"city":"Zürich"}', headers });

it("an answer has the head that node:http would write", async () => {
  const { port } = await listenWith([{}]);
  const { status, headers, body } = await exchangeText(port, call({ "x-request-id": "mine" }));
  expect(status).toBe(200);
  expect(headers).toEqual({
    date: expect.stringMatching(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/),
    connection: "keep-alive",
    "content-type": "application/json",
    "toolhost-outcome": "ok",
    "x-request-id": "mine",
    "content-length": String(body.length), // Read as one character a byte.
  });
  expect(Math.abs(Date.parse(headers["date"] ?? "") - Date.now())).toBeLessThan(2500);
});

it("an answer after which the connection ends says so", async () => {
  const { port } = await listenWith([{}]);
  expect((await exchangeText(port, call({ connection: "close" }))).headers["connection"]).toBe("close");
  expect((await exchangeText(port, call().replace("HTTP/1.1", "HTTP/1.0"))).headers["connection"]).toBe("close");
});

it("an error has its own status line", async () => {
  const { port } = await listenWith([{}]);
  const answer = await exchangeText(port, call().replace("/tool/", "/other/"));
  expect(answer).toMatchObject({ status: 404, headers: { "toolhost-outcome": "unknown_tool" } });
});

it("nothing is written to a socket that another answer has ended", async () => {
  const { server, port } = await listenWith([{}]);
  const faults: unknown[] = [];
  server.on("connection", (socket) => socket.on("error", (error: NodeJS.ErrnoException) => faults.push(error.code)));
  const client = await openSocket(port);
  const head = { "content-encoding": "gzip", "transfer-encoding": "chunked", "content-type": "application/json" };
  // Refused for its encoding, and in the same bytes for what is no chunk.
  client.send(`${requestText("POST /tools/tool/invoke", { headers: head })}ZZZ\r\n`);
  expect(await client.closed()).toMatch(/^HTTP\/1\.1 400 /);
  expect(faults).not.toContain("ERR_STREAM_WRITE_AFTER_END");
});

it("an answer without a stream has a length, in bytes", async () => {
  const { port } = await listenWith([{}]);
  const list = await exchangeText(port, "GET /tools HTTP/1.1\r\nhost: localhost\r\n\r\n");
  expect(list.headers).toMatchObject({ "content-length": String(list.body.length), connection: "keep-alive" });
  const zipped = await exchangeText(port, "GET /tools HTTP/1.1\r\nhost: localhost\r\naccept-encoding: gzip\r\n\r\n");
  expect(zipped.headers).toMatchObject({ "content-length": String(zipped.body.length), "content-encoding": "gzip" });
});

it("an answer 304 has no length and no body", async () => {
  const { port } = await listenWith([{}]);
  const { status, headers, body } = await exchangeText(
    port,
    "GET /tools HTTP/1.1\r\nhost: localhost\r\nif-none-match: *\r\n\r\n",
  );
  expect({ status, body }).toEqual({ status: 304, body: "" });
  expect(headers).toMatchObject({ etag: expect.any(String) });
  expect(headers).not.toHaveProperty("content-length");
  expect(headers).not.toHaveProperty("transfer-encoding");
});
