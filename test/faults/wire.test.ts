import { expect, vi } from "vitest";
import { answersIn, exchangeText, openSocket, requestText } from "../http/node/raw-socket.ts";
import { fault } from "./fault.ts";
import { ask, call, counters, expectAlive, get, type Service, sharedService } from "./service.ts";

const service = sharedService();

const head = "POST /tools/typed/invoke HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
const held = (ms: number, headers: Record<string, string> = {}): string =>
  requestText("POST /tools/hold/invoke", { body: JSON.stringify({ ms }), headers });

/** Waits until so many more calls of `hold` were started and aborted than before. */
async function becomes(
  target: Service,
  before: Readonly<Record<string, number>>,
  started: number,
  aborted: number,
): Promise<void> {
  await vi.waitFor(
    async () => {
      const now = await counters(target);
      expect([now["started"]! - before["started"]!, now["aborted"]! - before["aborted"]!]).toEqual([started, aborted]);
    },
    { timeout: 5000, interval: 10 },
  );
}

fault(
  "H5",
  "a client that ends its side waits for its answer, and gets it; one that left aborts its call",
  async () => {
    const before = await counters(service());
    const raw = await openSocket(service().port);
    raw.socket.end(held(500));
    expect(await raw.closed(5000)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    await becomes(service(), before, 1, 0);
    const leaving = await openSocket(service().port);
    leaving.send(held(30_000));
    await becomes(service(), before, 2, 0);
    leaving.socket.destroy();
    await becomes(service(), before, 2, 1);
    await expectAlive(service());
  },
);

fault("H6", "a client that leaves in the middle of a call aborts it at once, and the log says cancelled", async () => {
  const before = await counters(service());
  const raws = await Promise.all(Array.from({ length: 50 }, () => openSocket(service().port)));
  raws.forEach((raw, index) => raw.send(held(30_000, index % 2 === 0 ? {} : { accept: "text/event-stream" })));
  await becomes(service(), before, 50, 0);
  const start = performance.now();
  for (const raw of raws) raw.socket.destroy();
  await becomes(service(), before, 50, 50);
  expect(performance.now() - start).toBeLessThan(1000);
  const cancelled = (): number =>
    service().entries.filter(({ tool, code }) => tool === "hold" && code === "cancelled").length;
  await vi.waitFor(() => expect(cancelled()).toBeGreaterThanOrEqual(50));
  await expectAlive(service());
});

fault(
  "H7",
  "of many requests on one socket 8 run at once, all are answered in order, and all end with the socket",
  async () => {
    const before = await counters(service());
    const polite = await openSocket(service().port);
    const asked = Array.from({ length: 40 }, (_, index) => 60 + (index % 3));
    polite.send(asked.map((ms) => held(ms)).join(""));
    await polite.until((text) => answersIn(text).length === 40, 10_000);
    const waited = answersIn(polite.text).map(
      ({ body }) => (JSON.parse(body) as { result: { waited: number } }).result.waited,
    );
    expect(waited).toEqual(asked);
    polite.socket.destroy();
    await becomes(service(), before, 40, 0);

    const between = await counters(service());
    const rude = await openSocket(service().port);
    rude.send(held(30_000).repeat(3000));
    await becomes(service(), between, 8, 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await becomes(service(), between, 8, 0);
    rude.socket.destroy();
    await becomes(service(), between, 8, 8);
    await expectAlive(service());
  },
);

fault("H8", "what another reader may frame differently is 400, ends the connection and runs nothing", async () => {
  const { typed } = await counters(service());
  for (const [text, code] of [
    [`${head}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`, "bad_request"],
    [`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, "bad_request"],
    [`${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, "bad_request"],
    [`${head}transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n`, "bad_request"],
    [`${head}transfer-encoding: identity\r\n\r\n{}`, "bad_request"],
    [`${head}transfer-encoding : chunked\r\n\r\n0\r\n\r\n`, "bad_request"],
    [`${head}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`, "bad_request"],
    [`${head.replaceAll("\r\n", "\n")}content-length: 2\n\n{}`, "bad_request"],
    [`${head}content-length: +2\r\n\r\n{}`, "bad_request"],
    [`${head}content-length: 0x2\r\n\r\n{}`, "bad_request"],
    [`${head}transfer-encoding: chunked\r\n\r\n2;\n{}\r\n0\r\n\r\n`, "bad_request"],
    [`${head} folded: x\r\ncontent-length: 2\r\n\r\n{}`, "bad_request"],
  ] as const) {
    const raw = await openSocket(service().port);
    raw.send(text);
    await raw.closed();
    const answers = answersIn(raw.text);
    expect({ text, statuses: answers.map(({ status }) => status) }).toEqual({ text, statuses: [400] });
    expect(JSON.parse(answers[0]!.body)).toMatchObject({ error: { code } });
    raw.socket.destroy();
  }
  // A transfer-encoding that the parser takes because it ends with chunked, and that we do not.
  expect((await ask(service(), `${head}transfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)).status).toBe(
    415,
  );
  expect((await counters(service()))["typed"]).toBe(typed);

  // What comes before the broken request is answered, and what is hidden behind it never is.
  const raw = await openSocket(service().port);
  raw.send(
    `${requestText("POST /tools/echo/invoke", { body: '{"n":1}' })}${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}${requestText("POST /tools/typed/invoke", { body: "{}" })}`,
  );
  await raw.closed();
  expect(answersIn(raw.text).map(({ status }) => status)).toEqual([200, 400]);
  expect((await counters(service()))["typed"]).toBe(typed);
  raw.socket.destroy();
});

fault("H9", "two Hosts are 400, and a URL in the request line gets round no Host rule", async () => {
  expect(await ask(service(), "GET /tools HTTP/1.1\r\nhost: localhost\r\nHost: localhost\r\n\r\n")).toMatchObject({
    status: 400,
    code: "bad_request",
  });
  const absolute = (authority: string, host: string): string =>
    `GET http://${authority}/tools HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
  for (const [authority, host, code] of [
    ["localhost", "evil.example", "bad_request"],
    ["evil.example", "localhost", "bad_request"],
    ["evil.example", "evil.example", "forbidden"],
  ] as const) {
    const answer = await ask(service(), absolute(authority, host));
    expect({ authority, host, code: answer.code }).toEqual({ authority, host, code });
  }
  expect((await exchangeText(service().port, absolute("localhost", "localhost"))).status).toBe(200);
});

fault("H10", "over 100 headers or 16 KiB of them are 431, and none is dropped in silence", async () => {
  const many = (count: number): string => Array.from({ length: count }, (_, index) => `x-${index}: 1\r\n`).join("");
  for (const count of [99, 1500]) {
    expect(
      await ask(service(), `GET /livez HTTP/1.1\r\n${many(count)}host: localhost\r\nexpect-nothing: 1\r\n\r\n`),
    ).toMatchObject({ status: 431, code: "headers_too_large" });
  }
  expect((await exchangeText(service().port, `GET /livez HTTP/1.1\r\n${many(99)}host: localhost\r\n\r\n`)).status).toBe(
    200,
  );
  for (const bytes of [17_000, 100_000]) {
    expect(
      await ask(service(), `GET /livez HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(bytes)}\r\n\r\n`),
    ).toMatchObject({ status: 431, code: "headers_too_large" });
  }
  expect(
    (await exchangeText(service().port, `GET /livez HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(16_000)}\r\n\r\n`))
      .status,
  ).toBe(200);
});

fault("H11", "two Authorization headers are 400, and so are two sessions", async () => {
  for (const name of ["authorization", "toolhost-session"]) {
    const text = `${head}${name}: Bearer a\r\n${name}: Bearer b\r\ncontent-length: 2\r\n\r\n{}`;
    expect({ name, ...(await ask(service(), text)) }).toMatchObject({ name, status: 400, code: "bad_request" });
  }
});

fault("H12", "Expect: 100-continue is met, and anything else expected is refused without a run", async () => {
  const raw = await openSocket(service().port);
  raw.send(`${head}content-length: 7\r\nexpect: 100-continue\r\n\r\n`);
  await raw.until((text) => text.startsWith("HTTP/1.1 100 Continue\r\n\r\n"));
  raw.send('{"a":1}');
  await raw.until((text) => text.includes('"result":{"a":1}'));
  raw.socket.destroy();
  const { typed } = await counters(service());
  expect(await ask(service(), `${head}expect: a-miracle\r\ncontent-length: 2\r\n\r\n{}`)).toMatchObject({
    status: 400,
    code: "bad_request",
  });
  expect((await counters(service()))["typed"]).toBe(typed);
});

fault("H13", "a wrong method is 405 with Allow, HEAD of a call starts nothing, and CONNECT is answered", async () => {
  const before = await counters(service());
  for (const [line, allow] of [
    ["GET /tools/hold/invoke", "POST"],
    ["PUT /tools", "GET"],
    ["DELETE /calls", "POST"],
    ["TRACE /livez", "GET"],
    ["PATCH /metrics", "GET"],
  ] as const) {
    const answer = await ask(service(), requestText(line, { headers: { accept: "text/event-stream" } }));
    expect({ line, status: answer.status, code: answer.code }).toEqual({
      line,
      status: 405,
      code: "method_not_allowed",
    });
    expect(answer.headers["allow"]).toContain(allow);
  }
  const raw = await openSocket(service().port);
  raw.send(requestText("HEAD /tools/hold/invoke", { headers: { accept: "text/event-stream" } }));
  expect(await raw.until((text) => text.includes("\r\n\r\n"))).toMatch(/^HTTP\/1\.1 405 /);
  raw.socket.destroy();
  const options = await exchangeText(service().port, requestText("OPTIONS /tools/hold/invoke"));
  expect([options.status, options.headers["allow"]]).toEqual([204, "POST, OPTIONS"]);
  expect(
    await ask(service(), "CONNECT internal.example:443 HTTP/1.1\r\nhost: internal.example:443\r\n\r\n"),
  ).toMatchObject({ status: 405, code: "method_not_allowed" });
  await becomes(service(), before, 0, 0);

  for (const protocol of ["websocket", "h2c"]) {
    const headers = {
      connection: "upgrade",
      upgrade: protocol,
      "sec-websocket-key": "eA==",
      "sec-websocket-version": "13",
    };
    const answer = await ask(service(), requestText("POST /tools/echo/invoke", { headers, body: '{"n":1}' }));
    expect(answer).toMatchObject({ status: 200, body: { result: { n: 1 } } });
  }
  await expectAlive(service());
});

fault("H14", "nothing that a stranger sends can write a header of an answer", async () => {
  for (const id of ["a\tb", "\u2603", "x".repeat(5000), "a b", "%0d%0aset-cookie:x"]) {
    const answer = await call(service(), "echo", "{}", { "x-request-id": Buffer.from(id).toString("latin1") });
    expect(answer.status).toBe(200);
    expect(answer.headers["x-request-id"]).toMatch(/^[\x21-\x7e]{1,200}$/);
    expect(answer.headers).not.toHaveProperty("set-cookie");
  }
  const answer = await call(service(), "echo%0d%0aset-cookie:x");
  expect([400, 404]).toContain(answer.status);
  expect(answer.headers).not.toHaveProperty("set-cookie");
});

fault(
  "H15",
  "an answer that comes before the body is whole, and the next request on the socket is answered right or not at all",
  async () => {
    const body = `{"a":"${"x".repeat(200_000)}"}`;
    const refused = requestText("POST /tools/none/invoke", { body });
    const raw = await openSocket(service().port);
    raw.send(refused + requestText("POST /tools/echo/invoke", { body: '{"second":true}' }));
    await raw.until((text) => answersIn(text).length === 2, 5000);
    const [first, second] = answersIn(raw.text);
    expect([first?.status, second?.body.includes('"second":true')]).toEqual([404, true]);
    raw.socket.destroy();

    const slow = await openSocket(service().port);
    slow.send(`${head}content-encoding: gzip\r\ncontent-length: 100000\r\n\r\n{`);
    await slow.closed(5000);
    expect(answersIn(slow.text).map(({ status }) => status)).toEqual([415]);
    slow.socket.destroy();
    expect((await get(service(), "/livez")).status).toBe(200);
  },
);
