import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { requestText } from "../http/node/raw-socket.ts";
import { fault } from "./fault.ts";
import { type Answer, ask, call, expectAlive, ownService, residentBytes } from "./service.ts";

fault("O1", "a caller's calls are counted by its key, whatever else it changes, and a batch counts each", async () => {
  const keys = ["key-one", "key-two"].map((name) => ({
    name,
    sha256: createHash("sha256").update(name).digest("hex"),
    callsPerMinute: 20,
  }));
  const service = await ownService({ config: { auth: { keys } } });
  const as = (token: string, index = 0): Record<string, string> => ({
    authorization: `Bearer ${token}`,
    "x-forwarded-for": `10.0.0.${index}`,
    forwarded: `for=10.0.0.${index}`,
    "x-real-ip": `10.0.0.${index}`,
    "toolhost-session": `s${index}`,
  });
  const calls = Array(15).fill({ name: "echo" });
  const batch = await ask(
    service,
    requestText("POST /calls", { headers: as("key-one"), body: JSON.stringify({ calls }) }),
  );
  expect(JSON.stringify(batch.body).match(/"status":"ok"/g)?.length).toBe(15);
  const answers: Answer[] = [];
  for (let index = 0; index < 30; index++) answers.push(await call(service, "echo", {}, as("key-one", index)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(5);
  expect(answers.length - refused.length).toBeLessThanOrEqual(8); // A few come back while the test runs.
  for (const { code, headers, body } of refused) {
    expect(code).toBe("rate_limited");
    expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(body.error).toMatchObject({ retryable: true, ran: "no", action: "retry_later" });
  }
  const more = await ask(
    service,
    requestText("POST /calls", { headers: as("key-one"), body: JSON.stringify({ calls }) }),
  );
  expect(more.status).toBe(200);
  expect(JSON.stringify(more.body)).toContain('"code":"rate_limited"');
  expect((await call(service, "echo", {}, as("key-two"))).code).toBe("ok");
});

fault(
  "O2",
  "five times what it can do leaves it doing what it can, refuses the rest at once, and is soon forgotten",
  async () => {
    const service = await ownService({ config: { limits: { callsInFlight: 20 } } });
    const goodput = async (
      clients: number,
      forMs: number,
    ): Promise<{ perSecond: number; refused: Array<{ answer: Answer; ms: number }> }> => {
      const until = performance.now() + forMs;
      const refused: Array<{ answer: Answer; ms: number }> = [];
      let done = 0;
      const client = async (): Promise<void> => {
        while (performance.now() < until) {
          const start = performance.now();
          const answer = await call(service, "steady");
          if (answer.code === "ok") done++;
          else {
            refused.push({ answer, ms: performance.now() - start });
            await new Promise((resolve) => setTimeout(resolve, 40));
          }
        }
      };
      const start = performance.now();
      await Promise.all(Array.from({ length: clients }, client));
      return { perSecond: (done / (performance.now() - start)) * 1000, refused };
    };
    const peak = await goodput(20, 1500);
    const before = await residentBytes(service); // Grown as far as it grows without overload.
    const { perSecond, refused } = await goodput(100, 2500);
    expect(perSecond).toBeGreaterThan(peak.perSecond * 0.8);
    expect(refused.length).toBeGreaterThan(50);
    for (const { answer } of refused) {
      expect([answer.status, answer.code]).toEqual([503, "overloaded"]);
      expect(answer.body.error).toMatchObject({ retryable: true, ran: "no" });
    }
    const waits = refused.map(({ answer }) => answer.body.error?.retryAfterMs ?? Number(answer.headers["retry-after"]));
    expect(refused.every(({ answer }) => /^[1-9]\d*$/.test(answer.headers["retry-after"] ?? ""))).toBe(true);
    expect(new Set(waits).size).toBeGreaterThan(1);
    const times = refused.map(({ ms }) => ms).sort((a, b) => a - b);
    expect(times[times.length >> 1]).toBeLessThan(100);
    expect((await call(service, "steady")).code).toBe("ok");
    expect((await residentBytes(service)) - before).toBeLessThan(80_000_000);
    await expectAlive(service);
  },
  30_000,
);

fault("O3", "an upstream that fails is asked once a call at most, and then left alone for a while", async () => {
  let hits = 0;
  const upstream = createServer((_incoming, outgoing) => {
    hits++;
    outgoing.writeHead(500).end();
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void (upstream.closeAllConnections(), upstream.close()));
  const { port } = upstream.address() as AddressInfo;
  const service = await ownService({ config: { egress: { allow: [`127.0.0.1:${port}`] } } });
  const codes = new Map<string, number>();
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call(service, "reach", { url: `http://127.0.0.1:${port}/` })),
    );
    for (const { code } of answers) codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  expect(hits).toBeLessThan(100);
  expect(hits + (codes.get("unavailable") ?? 0)).toBe(200);
  const refused = await call(service, "reach", { url: `http://127.0.0.1:${port}/` });
  expect(refused.body.error).toMatchObject({
    code: "unavailable",
    ran: "no",
    retryable: true,
    retryAfterMs: expect.any(Number),
  });
  expect((await call(service, "echo")).code).toBe("ok");
});
