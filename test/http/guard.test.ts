import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type AnswerBody, appOf, readAnswer } from "./app-in-memory.ts";
import { listenWith } from "./listening-app.ts";
import { exchangeText, openSocket, answersIn, requestText } from "./raw-socket.ts";

const apiKeys = ["first-key", "second-key"];
const metrics = () => "";

/** Every route that needs a key, and one that is no route. */
const closedRoutes = [
  ["GET", "/tools"],
  ["GET", "/tools/tool"],
  ["POST", "/tools/tool/invoke"],
  ["POST", "/calls"],
  ["GET", "/status"],
  ["GET", "/openapi.json"],
  ["GET", "/metrics"],
  ["GET", "/nothing-here"],
  ["DELETE", "/tools"],
] as const;

describe("a service with keys", () => {
  it.each(closedRoutes)("does not answer %s %s without one, nor tell whether it is there", async (method, path) => {
    const { app } = appOf([{}], { apiKeys, metrics });
    const { status, headers, body } = await readAnswer(await app.request(path, { method }));
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toBe('Bearer realm="toolhost"');
    expect(headers.get("toolhost-outcome")).toBe("unauthorized");
    expect(headers.get("content-type")).toBe("application/json");
    expect(body).toEqual({
      status: "error",
      error: { code: "unauthorized", message: expect.any(String), action: "stop", retryable: false, ran: "no" },
    });
  });

  it.each(closedRoutes)("answers %s %s with one of them", async (method, path) => {
    const { app } = appOf([{}], { apiKeys, metrics });
    for (const key of apiKeys) {
      const response = await app.request(path, { method, headers: { authorization: `Bearer ${key}` } });
      expect(response.status).not.toBe(401);
    }
  });

  it.each(["/livez", "/readyz", "/healthz"])("answers %s without one", async (path) => {
    const { app } = appOf([{}], { apiKeys, metrics });
    expect((await app.request(path)).status).toBe(200);
    expect((await app.request(path, { headers: { authorization: "Bearer wrong" } })).status).toBe(200);
  });

  it("answers OPTIONS without one", async () => {
    const { app } = appOf([{}], { apiKeys, metrics });
    for (const path of ["/tools", "/tools/tool/invoke", "/calls", "/status"]) {
      expect((await app.request(path, { method: "OPTIONS" })).status).toBe(204);
    }
  });

  it.each([
    ["a wrong key", "Bearer third-key"],
    ["a key that begins alike", "Bearer first-ke"],
    ["a key with more behind it", "Bearer first-key1"],
    ["both keys with a comma", "Bearer first-key,second-key"],
    ["two credentials in one header", "Bearer first-key, Bearer second-key"],
    ["a key in another case", "Bearer FIRST-KEY"],
    ["a key alone", "first-key"],
    ["the scheme alone", "Bearer"],
    ["the scheme and a space", "Bearer "],
    ["Basic", `Basic ${btoa("first-key:")}`],
    ["another scheme with the key", "Token first-key"],
    ["no space", "Bearerfirst-key"],
    ["a tab for the space", "Bearer\tfirst-key"],
    ["a space behind the scheme's first letter", "B earer first-key"],
    ["quotes", 'Bearer "first-key"'],
    ["8 KB", `Bearer ${"x".repeat(8192)}`],
    ["the hash of the key", `Bearer ${createHash("sha256").update("first-key").digest("hex")}`],
    ["bytes that are no ASCII", "Bearer first-key\u00e9"],
  ])("does not take %s", async (_title, authorization) => {
    const { app } = appOf([{}], { apiKeys });
    const { status, headers, body } = await readAnswer(await app.request("/tools", { headers: { authorization } }));
    expect({ status, code: body.error?.code }).toEqual({ status: 401, code: "unauthorized" });
    expect(headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(JSON.stringify(body)).not.toContain("first-key");
  });

  it.each(["Bearer first-key", "bearer first-key", "BEARER second-key", "Bearer  first-key"])(
    "takes %j, as RFC 9110 has it",
    async (authorization) => {
      const { app } = appOf([{}], { apiKeys });
      expect((await app.request("/tools", { headers: { authorization } })).status).toBe(200);
    },
  );

  it("does not take a key that stands anywhere else", async () => {
    const { app } = appOf([{}], { apiKeys });
    for (const name of ["x-api-key", "api-key", "proxy-authorization", "cookie"]) {
      expect((await app.request("/tools", { headers: { [name]: "first-key" } })).status).toBe(401);
    }
    for (const query of [
      "key=first-key",
      "api_key=first-key",
      "access_token=first-key",
      "authorization=Bearer%20first-key",
    ]) {
      expect((await app.request(`/tools?${query}`)).status).toBe(401);
    }
  });

  it("does not wait for the body of a call without one", async () => {
    let runs = 0;
    const { port } = await listenWith([{ execute: () => ++runs }], { apiKeys });
    for (const path of ["/tools/tool/invoke", "/calls"]) {
      const text = requestText(`POST ${path}`, {
        headers: { "content-type": "application/json", "content-length": "500" },
      });
      const start = performance.now();
      expect((await exchangeText(port, text)).status).toBe(401);
      expect(performance.now() - start).toBeLessThan(300);
    }
    expect(runs).toBe(0);
  });

  it("needs none where none is set", async () => {
    const { app } = appOf([{}]);
    expect((await app.request("/tools")).status).toBe(200);
    expect((await app.request("/tools", { headers: { authorization: "Bearer whatever" } })).status).toBe(200);
  });
});

describe("a service bound to a loopback address", () => {
  const statusFor = async (headers: Record<string, string>, path = "/tools"): Promise<number> =>
    (await appOf([{}], { hosts: "loopback" }).app.request(path, { headers })).status;

  it.each([
    "localhost",
    "localhost:8080",
    "LOCALHOST",
    "localhost.",
    "app.localhost:1",
    "127.0.0.1",
    "127.0.0.1:8080",
    "127.9.9.9",
    "[::1]",
    "[::1]:65535",
  ])("answers to the Host %s", async (host) => expect(await statusFor({ host })).toBe(200));

  it.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example:80",
    "evil-localhost",
    "localhost:80:80",
    "localhost@evil.example",
    "0.0.0.0",
    "[::2]",
    "128.0.0.1",
    "localhost evil",
    "localhost:123456",
  ])("does not answer to the Host %s, but for its health", async (host) => {
    expect(await statusFor({ host })).toBe(403);
    expect(await statusFor({ host }, "/livez")).toBe(200);
    expect(await statusFor({ host }, "/readyz")).toBe(200);
  });

  it("says so before it asks for a key", async () => {
    const { app } = appOf([{}], { hosts: "loopback", apiKeys });
    const { status, body } = await readAnswer(await app.request("/tools", { headers: { host: "evil.example" } }));
    expect({ status, code: body.error?.code }).toEqual({ status: 403, code: "forbidden" });
  });
});

describe("a page of a browser", () => {
  const answerTo = (origin: string, host = "localhost:8080") =>
    appOf([{}]).app.request("/tools/tool/invoke", { method: "POST", headers: { origin, host } });

  it.each(["http://localhost:8080", "https://localhost:8080"])(
    "may call from the service's own origin %s",
    async (origin) => {
      expect((await answerTo(origin)).status).toBe(200);
    },
  );

  it.each([
    "http://evil.example",
    "null",
    "http://localhost",
    "http://localhost:8081",
    "http://localhost:8080.evil.example",
    "file://",
    "http://localhost:8080/",
    "",
  ])("may not call from the origin %j", async (origin) => {
    const { status, headers, body } = await readAnswer(await answerTo(origin));
    expect({ status, code: body.error?.code }).toEqual({ status: 403, code: "forbidden" });
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("is told of no CORS by OPTIONS", async () => {
    const { app } = appOf([{}]);
    const headers = { origin: "http://evil.example", "access-control-request-method": "POST" };
    const response = await app.request("/tools/tool/invoke", { method: "OPTIONS", headers });
    expect(response.status).toBe(204);
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("the headers of a request", () => {
  const request = (fields: readonly string[], line = "GET /tools") =>
    `${line} HTTP/1.1\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
  const host = "Host: localhost";

  it.each([
    ["two Hosts (H9)", [host, "Host: evil.example"]],
    ["two equal Hosts", [host, "hOST: localhost"]],
    ["no Host", []],
    ["two Authorizations (H11)", [host, "Authorization: Bearer first-key", "authorization: Bearer first-key"]],
    ["two kinds of Authorization", [host, "Authorization: Basic eA==", "Authorization: Bearer first-key"]],
  ])("are 400 with %s, on open routes and calls too", async (_title, fields) => {
    const { port } = await listenWith([{}], { apiKeys });
    for (const line of ["GET /tools", "GET /livez", "POST /tools/tool/invoke", "POST /calls"]) {
      const answer = await exchangeText(port, request(fields, line));
      expect({ line, status: answer.status }).toEqual({ line, status: 400 });
      expect((JSON.parse(answer.body) as AnswerBody).error?.code).toBe("bad_request");
    }
  });

  it("may be 100 and no more, and none is lost without a word (H10)", async () => {
    const { port } = await listenWith([{}], { apiKeys });
    const fields = Array.from({ length: 98 }, (_, index) => `x-${index}: 1`);
    const key = "Authorization: Bearer first-key";
    for (const line of ["GET /tools", "POST /tools/tool/invoke"]) {
      expect((await exchangeText(port, request([host, ...fields, key], line))).status).toBe(200);
      const answer = await exchangeText(port, request([host, ...fields, "x-last: 1", key], line));
      expect(answer.status).toBe(431);
      expect((JSON.parse(answer.body) as AnswerBody).error?.code).toBe("headers_too_large");
    }
    const short = Array.from({ length: 1500 }, () => "a:b");
    expect((await exchangeText(port, request([host, ...short, key]))).status).toBe(431);
  });

  it("may be 16 KiB and no more", async () => {
    const { port } = await listenWith([{}]);
    expect((await exchangeText(port, request([host, `x: ${"x".repeat(15_000)}`]))).status).toBe(200);
    for (const field of [`x: ${"x".repeat(17_000)}`, `${"x".repeat(17_000)}: x`]) {
      const answer = await exchangeText(port, request([host, field]));
      expect(answer.status).toBe(431);
      expect(JSON.parse(answer.body)).toMatchObject({
        status: "error",
        error: { code: "headers_too_large", ran: "no" },
      });
    }
    expect((await exchangeText(port, `GET /${"x".repeat(17_000)} HTTP/1.1\r\n\r\n`)).status).toBe(431);
  });

  it("leave the next request on the connection alone where they were refused", async () => {
    const { port } = await listenWith([{}], { apiKeys });
    const raw = await openSocket(port);
    raw.send(request([host]) + request([host, "Authorization: Bearer first-key"]));
    await raw.until((text) => answersIn(text).length === 2);
    expect(answersIn(raw.text).map(({ status }) => status)).toEqual([401, 200]);
    raw.socket.destroy();
  });
});
