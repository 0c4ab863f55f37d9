import { expect, it } from "vitest";
import { listenWith } from "./listening-app.ts";
import { exchangeText, requestText } from "./raw-socket.ts";

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
