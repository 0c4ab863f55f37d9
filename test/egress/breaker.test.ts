import { expect, it, vi } from "vitest";
import { createBreakers } from "../../src/egress/breaker.ts";
import { failureOf, fetchFor, startServer } from "./servers.ts";

const origin = "https://internal.example";

function open(breakers = createBreakers(), name = origin) {
  for (let count = 0; count < 10; count++) breakers.leave(name, "failed", breakers.enter(name));
  return breakers;
}

it("ten failures in a row open it, and the model is told when to come back but not where it was going", async () => {
  const breakers = createBreakers();
  for (let count = 0; count < 9; count++) breakers.leave(origin, "failed", breakers.enter(origin));
  expect(breakers.enter(origin)).toBe(false);
  breakers.leave(origin, "failed", false);
  const failure = await failureOf((async () => breakers.enter(origin))());
  expect(failure).toMatchObject({
    name: "CallError",
    code: "unavailable",
    message: expect.stringMatching(/Try again in \d+ s/),
  });
  expect(failure["message"]).not.toContain("internal.example");
  const { retryAfterMs } = failure["extras"] as { retryAfterMs: number };
  expect(retryAfterMs).toBeGreaterThan(9000);
  expect(retryAfterMs).toBeLessThanOrEqual(12_501);
  expect(breakers.enter("https://other.example")).toBe(false);
});

it("what answers well between, or says nothing, does not add up", () => {
  const breakers = createBreakers();
  for (let count = 0; count < 30; count++)
    breakers.leave(origin, count % 9 === 8 ? "well" : "failed", breakers.enter(origin));
  for (let count = 0; count < 30; count++) breakers.leave(origin, "unknown", breakers.enter(origin));
  expect(breakers.enter(origin)).toBe(false);
});

it("once its time has passed one request tries: it closes, opens again, or lets the next one try", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const breakers = open();
    vi.advanceTimersByTime(9999);
    expect(() => breakers.enter(origin)).toThrow("not called for some time");
    vi.advanceTimersByTime(1);
    expect(breakers.enter(origin)).toBe(true);
    expect(() => breakers.enter(origin)).toThrow("not called for some time");
    breakers.leave(origin, "unknown", true);
    expect(breakers.enter(origin)).toBe(true);
    breakers.leave(origin, "failed", true);
    expect(() => breakers.enter(origin)).toThrow("not called for some time");
    // One that was under way all the time neither prolongs it nor ends another's trial.
    vi.advanceTimersByTime(9000);
    breakers.leave(origin, "failed", false);
    vi.advanceTimersByTime(1000);
    expect(breakers.enter(origin)).toBe(true);
    breakers.leave(origin, "failed", false);
    expect(() => breakers.enter(origin)).toThrow("not called for some time");
    breakers.leave(origin, "well", true);
    expect(breakers.enter(origin)).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

it("a stranger who names many origins makes it remember no more than a thousand", () => {
  const breakers = open();
  for (let count = 0; count < 999; count++) breakers.leave(`https://${count}.example`, "failed", false);
  expect(() => breakers.enter(origin)).toThrow("not called for some time");
  breakers.leave("https://one-more.example", "failed", false);
  expect(breakers.enter(origin)).toBe(false);
});

it("5xx and faults of the network open it, and the origin is left alone until it has recovered", async () => {
  let status = 503;
  let asked = 0;
  const server = await startServer((incoming, outgoing) => {
    asked++;
    if (status === 0) incoming.socket.destroy();
    else outgoing.writeHead(status).end();
  });
  const fetch = fetchFor([server], { breaker: { openMs: 300 } });
  for (let count = 0; count < 5; count++) expect((await fetch(server.url)).status).toBe(503);
  status = 0;
  for (let count = 0; count < 5; count++)
    expect(await failureOf(fetch(server.url))).toMatchObject({ name: "UpstreamError" });
  const flood = await Promise.all(Array.from({ length: 100 }, () => failureOf(fetch(server.url))));
  for (const failure of flood) expect(failure).toMatchObject({ code: "unavailable" });
  expect(asked).toBe(10);
  status = 200;
  await expect
    .poll(() =>
      fetch(server.url).then(
        (response) => response.status,
        () => 0,
      ),
    )
    .toBe(200);
  expect((await Promise.all([fetch(server.url), fetch(server.url)])).map((response) => response.status)).toEqual([
    200, 200,
  ]);
});

it("4xx, refusals, impatient callers and those who leave do not open it", async () => {
  const server = await startServer((incoming, outgoing) => {
    if (incoming.url === "/4xx") outgoing.writeHead(429).end();
    if (incoming.url === "/well") outgoing.end();
  });
  const fetch = fetchFor([server]);
  for (let count = 0; count < 11; count++) {
    await fetch(`${server.url}/4xx`);
    expect(await failureOf(fetch("http://10.0.0.1/"))).toMatchObject({ code: "egress_blocked" });
    await failureOf(fetch(server.url, { signal: AbortSignal.timeout(10) }));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    await failureOf(fetch(server.url, { signal: controller.signal }));
  }
  expect((await fetch(`${server.url}/well`)).status).toBe(200);
});

it("an origin that answers nobody in time is left alone", async () => {
  let asked = 0;
  const server = await startServer(() => void asked++);
  const fetch = fetchFor([server]);
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const impatient = new AbortController();
    const failures = Array.from({ length: 10 }, () => failureOf(fetch(server.url, { signal: impatient.signal })));
    await vi.waitFor(() => expect(asked).toBe(10), { timeout: 20_000 });
    vi.advanceTimersByTime(2100);
    impatient.abort(new DOMException("The time limit has passed.", "TimeoutError"));
    await Promise.all(failures);
    expect(await failureOf(fetch(server.url))).toMatchObject({ code: "unavailable" });
  } finally {
    vi.useRealTimers();
  }
});
