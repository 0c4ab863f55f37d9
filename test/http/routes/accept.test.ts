import { expect, it } from "vitest";
import { acceptsStream } from "../../../src/http/routes/accept.ts";
import { appOf } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { openSocket, requestText } from "../node/raw-socket.ts";

const cases: readonly (readonly [string, boolean])[] = [
  ["text/event-stream", true],
  ["Text/Event-Stream", true],
  ["text/event-stream;charset=utf-8", true],
  ["text/event-stream;q=0.5", true],
  ["text/event-stream, */*", true],
  ["text/event-stream, */*;q=0.1", true],
  ["application/json;q=0.5, text/event-stream", true],
  ["application/json;q=0, text/event-stream;q=0.001", true],
  ["text/html, text/event-stream;q=0.9, application/json;q=0.8", true],
  ['text/event-stream;foo="a,b";q=0.9', true],
  ['text/event-stream;foo="a,b";q=0.9, application/json', false],
  ['text/event-stream;foo="a;q=0.1";q=0.9, application/json;q=0.5', true],
  ['text/event-stream;foo=";q=0, x/y"', true],
  ['text/event-stream;foo="a\\",b";q=0.2, application/json;q=0.1', true],
  ['text/event-stream;foo="";Q=0.2 , application/json ; q=0.1', true],
  ['application/json;v="1, text/event-stream"', false],
  ['application/json;v="1;q=0";q=0.9, text/event-stream;q=0.8', false],
  ["text/event-stream; ; q=0.5;", true],
  [", text/event-stream,,", true],
  ['text/event-stream;foo="a', false],
  ['text/event-stream;foo="a\\"', false],
  ['text/event-stream;foo="a"b', false],
  ['text/event-stream;q="0.5"', false],
  ["text/event-stream;q=0.5, application/json", false],
  ["text/event-stream, application/json", false],
  ["application/json, text/event-stream", false],
  ["text/event-stream;q=0.5, application/json;q=0.5", false],
  ["text/event-stream;q=0", false],
  ["text/event-stream;q=0.000", false],
  ["*/*", false],
  ["text/*", false],
  ["", false],
  ["text/event-stream;q=2", false],
  ["text/event-stream;q=", false],
  ["text/event-stream;q=0.1234", false],
  ["text/event-streams", false],
  ["text/event-stream application/json", false],
];

it.each(cases)("Accept: %s asks for a stream: %s", async (accept, isStream) => {
  expect(acceptsStream(accept)).toBe(isStream);
  const type = isStream ? "text/event-stream" : "application/json";
  const { app } = appOf([{}]);
  const answer = await app.request("/tools/tool/invoke", { method: "POST", headers: { accept } });
  expect(answer.headers.get("content-type")).toBe(type);
  await answer.text();
  const { port } = await listenWith([{}]);
  const client = await openSocket(port);
  client.send(requestText("POST /tools/tool/invoke", { body: "{}", headers: { accept } }));
  expect((await client.until((text) => text.includes("\r\n\r\n"))).toLowerCase()).toContain(`content-type: ${type}`);
  client.socket.destroy();
});

it("is read in time that grows with its length alone, whatever it contains", () => {
  const hostile = ["; ", " ;", ' ;a="', ';a="\\', ", ", "; a=b ", ",;"];
  for (const filler of hostile) {
    const before = performance.now();
    expect(acceptsStream(`text/event-stream${filler.repeat(8000)}@`)).toBe(false);
    // Tried in every way, the first two would take longer than the universe has.
    expect(performance.now() - before).toBeLessThan(5000);
  }
});
