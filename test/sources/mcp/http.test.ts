import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createOutboundFetch } from "../../../src/egress/fetch.ts";
import type { McpSetting } from "../../../src/sources/mcp/setting.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";
import { type Hosted, hostSetting, namesOf } from "./scripted.ts";
import { sizeOf } from "../../runs.ts";

const soon = { timeout: 60_000, interval: 10 };
const fetch = createOutboundFetch({ allow: ["127.0.0.1"] });

function hostUrl({ url }: HttpServer, setting: Partial<McpSetting> = {}): Promise<Hosted> {
  return hostSetting({ mcp: { url }, ...setting }, 30_000, fetch);
}

test("both eras, as JSON and as events: lists the tools, calls them, passes progress", async () => {
  for (const era of ["legacy", "modern"] as const) {
    for (const streams of [false, true]) {
      const server = await startHttpServer({ era, streams });
      const hosted = await hostUrl(server);
      expect(namesOf(hosted)).toEqual(["s_one"]);
      const progress: unknown[] = [];
      const listener = { onProgress: (each: unknown) => void progress.push(each) };
      expect(await hosted.call("one", {}, { listener })).toMatchObject({ result: { name: "one" } });
      expect(progress).toEqual(streams ? [{ progress: 1 }] : []);
    }
  }
});

test("many calls at once get their own answers, over two sources of one server", async () => {
  const server = await startHttpServer({ call: ({ arguments: args }) => ({ content: [], structuredContent: args }) });
  const hosts = [await hostUrl(server), await hostUrl(server)];
  const outcomes = await Promise.all(
    Array.from({ length: sizeOf(200, 50) }, (_, n) => hosts[n % 2]!.call("one", { n, of: n % 2 })),
  );
  outcomes.forEach((outcome, n) => expect(outcome).toMatchObject({ result: { n, of: n % 2 } }));
});

test.each([true, false])("an integer that would be rounded is invalid_result (events: %s)", async (streams) => {
  const server = await startHttpServer({
    streams,
    call: ({ arguments: args }) => ({
      content: [],
      structuredContent: { id: (args as { text: string }).text, a: "ü" },
    }),
    wire: (json) => json.replace(/"<(.*)>"/, (_, number: string) => `\n${number}`),
  });
  const hosted = await hostUrl(server);
  const answer = (text: string) => hosted.call("one", { text });
  for (const number of ["12345678901234567890", "1234567890123456789012", `-${"123".repeat(20)}`, "1e999"]) {
    expect(await answer(`<${number}>`), number).toMatchObject({ error: { code: "invalid_result" } });
  }
  for (const number of ["1e22", "1.5e300", "9007199254740991", "0.1234567890123456789012345"]) {
    expect(await answer(`<${number}>`), number).toMatchObject({ result: { id: Number(number), a: "ü" } });
  }
  const digits = ",1234567890123456789012, ";
  expect(await answer(digits)).toMatchObject({ result: { id: digits, a: "ü" } });
});

test("a bound of many digits in a schema skips no tool", async () => {
  const bounded = {
    name: "one",
    inputSchema: { type: "object", properties: { n: { type: "integer", maximum: "<>" } } },
  };
  const wire = (json: string) => json.replace('"<>"', "340282366920938463463374607431768211455");
  const hosted = await hostUrl(await startHttpServer({ tools: [bounded], wire }));
  expect(namesOf(hosted)).toEqual(["s_one"]);
});

test("auth and headers go with every request; no header of the protocol is replaced", async () => {
  const server = await startHttpServer();
  await hostUrl(server, {
    auth: { bearer: "secret-token" },
    headers: { "X-Team": "tools", Authorization: "never", "Mcp-Method": "never", Accept: "never" },
  });
  for (const { headers, method } of server.seen) {
    expect(headers).toMatchObject({ authorization: "Bearer secret-token", "x-team": "tools" });
    expect(JSON.stringify(headers)).not.toContain("never");
    if (method === "POST") expect(headers.accept).toContain("application/json");
  }
  expect(server.seen.length).toBeGreaterThan(2);
});

test("an API key goes into the query or a cookie", async () => {
  const server = await startHttpServer();
  await hostUrl(server, { auth: { apiKey: { in: "query", name: "key", value: "a b" } } });
  expect(server.seen.at(-1)?.url).toBe("/mcp?key=a%20b");
  await hostUrl(server, { auth: { apiKey: { in: "cookie", name: "key", value: "v" } } });
  expect(server.seen.at(-1)?.headers.cookie).toBe("key=v");
});

test("an access token is renewed after a 401, and a call is not repeated because of it", async () => {
  let tokens = 0;
  const issuer = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ access_token: `token-${++tokens}`, token_type: "Bearer", expires_in: 3600 }));
  });
  await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void issuer.close());
  const tokenUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/token`;
  const server = await startHttpServer({
    refuse: ({ headers, message }) =>
      headers.authorization === `Bearer token-${message.method === "tools/call" ? 3 : 2}` ? undefined : 401,
  });
  const hosted = await hostUrl(server, { auth: { oauth2: { tokenUrl, clientId: "id", clientSecret: "s" } } });
  expect(namesOf(hosted)).toEqual(["s_one"]);
  expect(await hosted.call("one")).toMatchObject({ error: { code: "upstream_failed", upstream: { status: 401 } } });
  expect(await hosted.call("one")).toMatchObject({ status: "ok" });
  expect(server.seen.filter(({ message }) => message.method === "tools/call")).toHaveLength(2);
});

test.each([
  [500, { retryable: true, action: "retry" }],
  [503, { retryable: true, action: "retry_later" }],
  [400, { retryable: false, ran: "no" }],
  [403, { retryable: false, ran: "no" }],
])("a call that is answered with status %d is upstream_failed", async (status, expected) => {
  const tools = [{ name: "one", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }];
  const server = await startHttpServer({
    tools,
    refuse: ({ message }) => (message.method === "tools/call" ? status : undefined),
  });
  const hosted = await hostUrl(server, { trustAnnotations: true });
  const outcome = await hosted.call("one");
  expect(outcome).toMatchObject({ error: { code: "upstream_failed", upstream: { status }, ...expected } });
  expect(JSON.stringify(outcome)).not.toContain("refused");
});

test.each([429, 503])("the Retry-After of a call with status %i is passed on", async (status) => {
  const server = await startHttpServer({
    refuse: ({ message }) => (message.method === "tools/call" ? status : undefined),
    refusalHeaders: { "retry-after": "7" },
  });
  const hosted = await hostUrl(server);
  expect(await hosted.call("one")).toMatchObject({
    error: {
      code: "upstream_failed",
      message: expect.stringContaining(`the HTTP status ${status}`) as string,
      retryAfterMs: 7000,
    },
  });
});

test("a session that the server forgot is begun again", async () => {
  const server = await startHttpServer({ session: "first" });
  const hosted = await hostUrl(server);
  expect(await hosted.call("one")).toMatchObject({ status: "ok" });
  server.session = "second";
  expect(await hosted.call("one")).toMatchObject({ error: { code: "unavailable", ran: "no", retryable: true } });
  await vi.waitFor(async () => expect(await hosted.call("one")).toMatchObject({ status: "ok" }), soon);
  await hosted.sources.close(5000);
  expect(server.seen.at(-1)).toMatchObject({ method: "DELETE", headers: { "mcp-session-id": "second" } });
});

test("a server that is gone is read again until it is back, and its calls are unavailable meanwhile", async () => {
  const server = await startHttpServer();
  const hosted = await hostUrl(server);
  await server.stop();
  expect(await hosted.call("one")).toMatchObject({ error: { code: "upstream_failed" } });
  await vi.waitFor(
    async () => expect(await hosted.call("one")).toMatchObject({ error: { code: "unavailable" } }),
    soon,
  );
  expect(namesOf(hosted)).toEqual(["s_one"]);
});

test("both eras: a call that ends early ends its request, and the server is told", async () => {
  for (const era of ["legacy", "modern"] as const) {
    const server = await startHttpServer({ era, streams: true, call: () => undefined });
    const hosted = await hostUrl(server, { timeoutMs: 200 });
    expect(await hosted.call("one")).toMatchObject({ error: { code: "timeout", ran: "unknown" } });
    await vi.waitFor(() => expect(server.left).toHaveLength(1), soon);
    if (era === "legacy") {
      await vi.waitFor(
        () => expect(server.seen.map(({ message }) => message.method)).toContain("notifications/cancelled"),
        soon,
      );
    }
  }
});

test("arguments that the server wants in headers are sent there, and faulty annotations skip the tool alone", async () => {
  const properties = { region: { type: "string", "x-mcp-header": "Region" }, size: { type: "integer" } };
  const faulty = { region: { type: "array", "x-mcp-header": "Region" } };
  const tools = [
    { name: "one", inputSchema: { type: "object", properties } },
    { name: "faulty", inputSchema: { type: "object", properties: faulty } },
  ];
  const server = await startHttpServer({ era: "modern", tools });
  const hosted = await hostUrl(server);
  expect(namesOf(hosted)).toEqual(["s_one"]);
  expect(hosted.status().skipped).toEqual([{ name: "s_faulty", reason: "its x-mcp-header annotations are not valid" }]);
  await hosted.call("one", { region: "Köln", size: 1 });
  expect(server.seen.at(-1)?.headers).toMatchObject({
    "mcp-method": "tools/call",
    "mcp-name": "one",
    "mcp-param-region": `=?base64?${Buffer.from("Köln").toString("base64")}?=`,
  });
});

test("an address that the egress rules forbid is a reason for operators, and nothing is sent", async () => {
  const server = await startHttpServer();
  const hosted = await hostSetting({ mcp: { url: server.url } }, 30_000, createOutboundFetch());
  expect(hosted.status()).toMatchObject({ state: "failed", reason: expect.stringContaining("127.0.0.1") as string });
  expect(server.seen).toEqual([]);
});

test("a redirect to another origin gets neither credentials nor arguments", async () => {
  const other = await startHttpServer();
  const redirecting = createServer((_, response) => response.writeHead(307, { location: other.url }).end());
  await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void redirecting.close());
  const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/mcp`;
  const hosted = await hostSetting({ mcp: { url }, auth: { bearer: "secret-token" } }, 30_000, fetch);
  expect(hosted.status().state).toBe("failed");
  expect(other.seen).toEqual([]);
});
