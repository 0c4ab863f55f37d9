import { expect, vi } from "vitest";
import { exchangeText, requestText } from "../http/node/raw-socket.ts";
import { fault } from "./fault.ts";
import { call, get, ownService, sharedService } from "./service.ts";

const key = "canary-key";
const service = sharedService({
  env: { TOOLHOST_API_KEYS: key, LOG_LEVEL: "trace", SOME_SECRET: "canary-environment" },
});
const open = { authorization: `Bearer ${key}` };

fault("L1", "no canary comes out of answers, log or metrics, whatever it went in by", async () => {
  const told: string[] = [];
  const tell = async (answer: Promise<{ headers: object; body: object }>): Promise<void> => {
    const { headers, body } = await answer;
    told.push(JSON.stringify([headers, body]));
  };
  await tell(call(service(), "typed", { count: "canary-argument", name: "canary-longer-than-ten" }, open));
  await tell(call(service(), "typed", '{"a":canary-broken}', open));
  await tell(
    call(service(), "typed", '{"canary-key-name":1,"canary-key-name":2}', open).then(({ headers }) => ({
      headers,
      body: {},
    })),
  );
  await tell(call(service(), "throws", { what: "secret" }, open));
  await tell(call(service(), "throws", { what: "object" }, open));
  await tell(call(service(), "wrong_result", {}, open));
  for (const what of ["map", "error", "symbol", "throwing toJSON"])
    await tell(call(service(), "returns", { what }, open));
  await tell(call(service(), "canary-tool", {}, open));
  await tell(call(service(), "echo", {}, { authorization: "Bearer canary-wrong" }));
  await tell(call(service(), "echo", {}, { ...open, origin: "http://canary.example" }));
  await tell(call(service(), "echo", {}, { ...open, "content-type": "canary/type" }));
  await tell(
    call(service(), "echo", {}, { ...open, "toolhost-session": "canary-session", traceparent: "canary-trace" }).then(
      ({ headers }) => ({ headers, body: {} }),
    ),
  );
  for (const path of [
    "/metrics",
    "/status",
    "/tools",
    "/openapi.json",
    "/canary-path",
    "/tools?limit=canary-query",
    "/tools?canary+query=1",
  ]) {
    told.push(await (await get(service(), path, open)).text());
  }
  expect(told.join("\n")).not.toContain("canary");
  await new Promise((resolve) => setTimeout(resolve, 300));
  // A tool's own words of its failure are for the log; nothing else is.
  const lines = service()
    .log.split("\n")
    .filter((line) => !/"tool":"(?:throws|returns)"/.test(line));
  expect(lines.join("\n")).not.toContain("canary");
});

fault("L2", "one line of the log is one object, whatever a caller or a tool puts in it", async () => {
  const own = await ownService({ env: { LOG_LEVEL: "trace" } });
  for (const text of [
    'x\n{"level":"info","msg":"forged"}',
    "\u001b[31mred\u001b[0m",
    "a\u2028b\u2029c",
    "\r\n\r\n",
    "\0",
    '"}',
    "\ud800",
    "x".repeat(100_000),
  ]) {
    expect((await call(own, "speak", JSON.stringify({ text }))).code).toBe("ok");
    await call(own, encodeURIComponent(Buffer.from(text.slice(0, 200)).toString()));
    await exchangeText(
      own.port,
      requestText("GET /tools", { headers: { "user-agent": text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 1000) } }),
    );
  }
  await vi.waitFor(
    () => expect(own.entries.filter(({ tool, msg }) => tool === "speak" && msg !== "call").length).toBe(8),
    { timeout: 3000 },
  );
  const lines = own.log.split("\n").filter((line) => line !== "");
  expect(own.entries.length).toBe(lines.length);
  expect(own.entries.some(({ msg }) => msg === "forged")).toBe(false);
  const isControl = (character: string): boolean => character < " " && character !== "\n";
  expect([...own.log].filter(isControl)).toEqual([]);
});

fault("L3", "names that are made up add no series to the metrics", async () => {
  const series = async (): Promise<number> =>
    (await (await get(service(), "/metrics", open)).text()).split("\n").length;
  await call(service(), "made-up", {}, open);
  const before = await series();
  const names = Array.from({ length: 128 }, (_, index) => ({ name: `made_up_${index}` }));
  for (let round = 0; round < 40; round++) {
    const calls = names.map(({ name }) => ({ name: `${name}_${round}` }));
    await exchangeText(service().port, requestText("POST /calls", { headers: open, body: JSON.stringify({ calls }) }));
  }
  for (let index = 0; index < 100; index++) {
    await call(service(), `made-up-${index}`, {}, open);
    await get(service(), `/made-up-${index}`, open);
  }
  expect(await series()).toBe(before);
});
