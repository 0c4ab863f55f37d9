import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../../src/tool/tool.ts";
import type { Hosts } from "../../../src/http/guard/hosts.ts";
import { startIssuer } from "../../access/token-issuer.ts";
import { type AnswerBody, appOf, readAnswer } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { exchangeText, openSocket, answersIn, requestText } from "../node/raw-socket.ts";

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

const request = (fields: readonly string[], line = "GET /tools") =>
  `${line} HTTP/1.1\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
const host = "Host: localhost";

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

  const jwt = { issuer: "https://issuer.example", audience: "tools", jwksUrl: "https://issuer.example/keys" };
  it.each([
    [{ apiKeys }, "key"],
    [{ apiKeys, auth: { jwt } }, "key or token"],
  ])("says whether a credential is missing or refused, and no more (RFC 6750) %#", async (options, what) => {
    const { app } = appOf([{}], options);
    const missing = { message: `Send a ${what} as Authorization: Bearer <${what}>.`, challenge: "" };
    const refused = { message: `The ${what} is not valid.`, challenge: ', error="invalid_token"' };
    const sent: [string | undefined, typeof missing][] = [
      [undefined, missing],
      ["first-key", missing],
      ["Bearer", missing],
      [`Basic ${btoa("first-key:")}`, missing],
      ["Bearer third-key", refused],
      ["Bearer a.b.c", refused],
    ];
    for (const [authorization, { message, challenge }] of sent) {
      const init = authorization === undefined ? {} : { headers: { authorization } };
      const { headers, body } = await readAnswer(await app.request("/tools", init));
      expect([authorization, body.error?.message]).toEqual([authorization, message]);
      expect(headers.get("www-authenticate")).toBe(`Bearer realm="toolhost"${challenge}`);
    }
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
      // Nothing of the body is ever sent: who waited for it would be answered with 408 after 15 s, which is not waited for here.
      expect((await exchangeText(port, text)).status).toBe(401);
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
  const statusFor = async (headers: Record<string, string>, path = "/tools", method = "GET"): Promise<number> =>
    (await appOf([{}], { hosts: "loopback" }).app.request(path, { method, headers })).status;

  it.each([
    "localhost",
    "localhost:8080",
    "LOCALHOST",
    "localhost.",
    "app.localhost:1",
    "[0:0:0:0:0:0:0:1]",
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
    expect(await statusFor({ host }, "/tools", "OPTIONS")).toBe(403);
    expect(await statusFor({ host }, "/livez")).toBe(200);
    expect(await statusFor({ host }, "/readyz")).toBe(200);
  });

  it("says what an operator can do about it", async () => {
    const { app } = appOf([{}], { hosts: "loopback" });
    const byHost = await readAnswer(await app.request("/tools", { headers: { host: "evil.example" } }));
    expect(byHost.body.error?.message).toMatch(/hosts.*publicUrl/);
    const headers = { host: "localhost", origin: "https://evil.example" };
    const byOrigin = await readAnswer(await app.request("/tools", { headers }));
    expect(byOrigin.body.error?.message).toMatch(/add it to "origins"/);
    for (const { body } of [byHost, byOrigin]) expect(JSON.stringify(body)).not.toContain("evil");
  });

  it("says so before it asks for a key", async () => {
    const { app } = appOf([{}], { hosts: "loopback", apiKeys });
    const { status, body } = await readAnswer(await app.request("/tools", { headers: { host: "evil.example" } }));
    expect({ status, code: body.error?.code }).toEqual({ status: 403, code: "forbidden" });
  });
});

describe("a Host over a socket", () => {
  const lines = [
    "POST /tools/tool/invoke",
    "GET /tools",
    "POST /calls",
    "GET /openapi.json",
    "GET /status",
    "GET /nothing",
    "OPTIONS /tools",
    "OPTIONS *",
  ];
  const verdictsOf = async (host: string, hosts: Hosts): Promise<string[]> => {
    const { port } = await listenWith([{}], { hosts });
    const ask = async (line: string): Promise<string> => {
      const { status, body } = await exchangeText(port, requestText(line, { headers: { host }, body: '{"calls":[]}' }));
      const code = body === "" ? undefined : (JSON.parse(body) as AnswerBody).error?.code;
      if (code === "forbidden") return "refused";
      return status === 400 && code === "bad_request" ? "malformed" : "answered";
    };
    const target = requestText(`GET http://${host}/tools`, { headers: { host } });
    const targetStatus = (await exchangeText(port, target)).status;
    const byTarget = targetStatus === 400 ? "malformed" : targetStatus === 403 ? "refused" : "answered";
    return [...new Set([...(await Promise.all(lines.map(ask))), byTarget])];
  };

  it.each([
    ["localhost", "answered"],
    ["LOCALHOST.:080", "answered"],
    ["App.Localhost:1", "answered"],
    ["localhost:", "answered"],
    ["127.1", "answered"],
    ["127.0.0.1.:80", "answered"],
    ["[0:0:0:0:0:0:0:1]", "answered"],
    ["[0:0:0:0:0:0:0:1]:8080", "answered"],
    ["[::0001]", "answered"],
    ["[::ffff:127.0.0.1]:8080", "answered"],
    ["[::FFFF:7F00:1]", "answered"],
    ["[::127.0.0.1]", "refused"],
    ["[0:0:0:0:0:0:0:2]", "refused"],
    ["10.0.0.1.", "refused"],
    ["evil.example:", "refused"],
    ["127.0.0.256", "malformed"],
    ["[0:0:0:0:0:0:0:0:1]", "malformed"],
    ["localhost:99999", "malformed"],
    ["localhost:80:80", "malformed"],
    ["x@localhost", "malformed"],
    ["[::1].", "malformed"],
  ])("%s is %s by every route", async (host, verdict) => {
    expect(await verdictsOf(host, "loopback")).toEqual([verdict]);
    expect(await verdictsOf(host, "any")).toEqual([verdict === "refused" ? "answered" : verdict]);
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

  it("may not ask what it may do, nor how the service is, from another origin", async () => {
    const { app } = appOf([{}]);
    const headers = { origin: "http://evil.example", "access-control-request-method": "POST" };
    for (const [method, path] of [
      ["OPTIONS", "/tools/tool/invoke"],
      ["OPTIONS", "/livez"],
      ["GET", "/livez"],
      ["GET", "/readyz"],
    ] as const) {
      const response = await app.request(path, { method, headers });
      expect({ path, status: response.status }).toEqual({ path, status: 403 });
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });
});

describe("a service that is told its Host names", () => {
  const statusFor = async (hosts: Hosts, host: string, method = "GET", path = "/tools"): Promise<number> =>
    (await appOf([{}], { hosts }).app.request(path, { method, headers: { host } })).status;

  it.each([
    ["toolhost.internal", "toolhost.internal"],
    ["toolhost.internal", "TOOLHOST.internal."],
    ["toolhost.internal", "toolhost.internal:8080"],
    ["Toolhost.Internal", "toolhost.internal:9090"],
    ["toolhost.internal.", "toolhost.internal"],
    ["tool_host", "tool_host:80"],
    ["10.1.2.3", "10.1.2.3"],
    ["fd00::1", "[fd00::1]:8080"],
    ["[fd00:0:0::0001]", "[FD00::1]"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["loopback", "localhost:8080"],
  ])("as %s answers to %s", async (entry, host) => {
    expect(await statusFor([entry], host)).toBe(200);
    expect(await statusFor(["other.example", entry], host)).toBe(200);
  });

  it.each([
    "evil.example",
    "toolhost.internal.evil.example",
    "eviltoolhost.internal",
    "toolhost.internal@evil.example",
    "evil.example:toolhost.internal",
    "toolhost.internal:80:80",
    "toolhost.internal/",
    "toolhost..internal",
    "localhost",
    "127.0.0.1",
    "[::1",
    "[fd00::1",
    "[::gggg]",
    "[]",
    "%74oolhost.internal",
  ])("does not answer to %s, but for its health", async (host) => {
    expect(await statusFor(["toolhost.internal"], host)).toBe(403);
    expect(await statusFor(["toolhost.internal"], host, "OPTIONS")).toBe(403);
    expect(await statusFor(["toolhost.internal"], host, "GET", "/livez")).toBe(200);
  });

  it("answers to these and those of the machine itself where both are meant", async () => {
    const hosts = ["loopback", "toolhost.internal"];
    for (const host of ["toolhost.internal", "localhost:1", "127.0.0.1", "[::1]"]) {
      expect(await statusFor(hosts, host)).toBe(200);
    }
    expect(await statusFor(hosts, "evil.example")).toBe(403);
  });

  it("is not fooled by a good Host that came before", async () => {
    const { app } = appOf([{}], { hosts: ["a.example"] });
    for (const [host, status] of [
      ["a.example", 200],
      ["b.example", 403],
      ["a.example", 200],
    ] as const) {
      expect((await app.request("/tools", { headers: { host } })).status).toBe(status);
    }
  });

  it.each([
    "",
    "a b",
    "a\\b",
    "http://a.example",
    "a.example/path",
    "*.example",
    "a..b",
    "[::1",
    "user@a.example",
    "a.example:80",
    "[::1]:80",
    "127.1",
    "0x7f.1",
    "-a",
    "fe80::1%eth0",
  ])("does not start with %j among them", (entry) => {
    expect(() => appOf([{}], { hosts: [entry] })).toThrow(
      /^hosts\[0\] must be a host name or an address, without scheme and port$/,
    );
  });
});

describe("a target that names a host itself", () => {
  const statusOf = async (target: string, host: string, hosts: Hosts = "loopback", line = `GET ${target} HTTP/1.1`) => {
    const { port } = await listenWith([{}], { hosts });
    return (await exchangeText(port, `${line}\r\nHost: ${host}\r\n\r\n`)).status;
  };

  it("is answered where it is the Host", async () => {
    expect(await statusOf("http://localhost:8080/tools", "localhost:8080")).toBe(200);
    expect(await statusOf("http://LOCALHOST/tools", "localhost:80")).toBe(200);
  });

  it.each([
    ["http://evil.example/tools", "localhost", 400],
    ["http://evil.example/livez", "localhost", 400],
    ["http://localhost/tools", "evil.example", 400],
    ["http://localhost@evil.example/tools", "localhost", 400],
    ["http://localhost:80@evil.example/tools", "localhost", 400],
    ["http://evil.example#@localhost/tools", "localhost", 400],
    ["http://evil.example?@localhost/tools", "localhost", 400],
    ["http:///tools", "localhost", 400],
    ["ftp://localhost/tools", "localhost", 400],
    ["http://evil.example/tools", "evil.example", 403],
  ])("%s is not answered with the Host %s (H9)", async (target, host, status) => {
    expect(await statusOf(target, host)).toBe(status);
  });

  it("must be the Host even where any Host will do", async () => {
    expect(await statusOf("http://a.example/tools", "a.example", "any")).toBe(200);
    expect(await statusOf("http://a.example/tools", "b.example", "any")).toBe(400);
  });
});

describe("a service with tokens", () => {
  it("takes a token for a call whose body came before the token was checked, and after", async () => {
    const issuer = await startIssuer();
    const { port } = await listenWith([{}], { auth: { jwt: issuer.options } });
    const headers = { authorization: `Bearer ${await issuer.token()}` };
    const call = requestText("POST /tools/tool/invoke", { headers, body: '{"a":1}' });
    for (let round = 0; round < 3; round++) {
      const answer = await exchangeText(port, call);
      expect(JSON.parse(answer.body)).toMatchObject({ status: "ok", result: { a: 1 } });
    }
    const raw = await openSocket(port);
    raw.send(call + call + call);
    await raw.until((text) => answersIn(text).length === 3);
    expect(answersIn(raw.text).map(({ status }) => status)).toEqual([200, 200, 200]);
    raw.socket.destroy();
  });

  it("answers with 401 to none, and alike to every bad one, and does not wait for the body", async () => {
    const issuer = await startIssuer();
    const { port } = await listenWith([{}], { auth: { jwt: issuer.options } });
    const answerTo = async (headers: Record<string, string>) => {
      const text = requestText("POST /tools/tool/invoke", {
        headers: { ...headers, "content-type": "application/json", "content-length": "500" },
      });
      const answer = await exchangeText(port, text);
      const { date: _date, "x-request-id": _requestId, ...kept } = answer.headers;
      return { ...answer, headers: kept };
    };
    const none = await answerTo({});
    expect(none.status).toBe(401);
    expect(none.headers["www-authenticate"]).toBe('Bearer realm="toolhost"');
    const bad = await answerTo({ authorization: "Bearer wrong" });
    expect(bad.headers["www-authenticate"]).toBe('Bearer realm="toolhost", error="invalid_token"');
    expect(await answerTo({ authorization: `Bearer ${await issuer.token({ exp: undefined })}` })).toEqual(bad);
  });

  it("says so where a token cannot be checked, and tells nobody but the log why", async () => {
    const issuer = await startIssuer();
    issuer.answer = undefined;
    const faults: unknown[] = [];
    const { app } = appOf([{}], { auth: { jwt: issuer.options }, onFault: (error) => faults.push(error) });
    const authorization = `Bearer ${await issuer.token()}`;
    const { status, body } = await readAnswer(await app.request("/tools", { headers: { authorization } }));
    expect({ status, ...body.error }).toMatchObject({ status: 401, code: "unauthorized", action: "retry_later" });
    expect(JSON.stringify(body)).not.toContain("127.0.0.1");
    expect(faults).toHaveLength(1);
  });
});

describe("the key that a caller shows (A7)", () => {
  it("reaches no tool", async () => {
    const key = "a-key-that-no-tool-sees";
    let seen = "";
    const execute: Tool["execute"] = (args, context) => {
      const all = Object.getOwnPropertyNames(Object.getPrototypeOf(context)).concat(Object.keys(context));
      seen = inspect([args, all.map((name) => (context as unknown as Record<string, unknown>)[name])], { depth: 20 });
      return null;
    };
    const { app } = appOf([{ execute }], { apiKeys: [key] });
    const response = await app.request("/tools/tool/invoke", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "toolhost-session": "a-session" },
    });
    expect(response.status).toBe(200);
    expect(seen).toContain("a-session");
    expect(seen).not.toContain(key);
  });
});

describe("the headers of a request", () => {
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
    // Each line with its end, to the byte, in one header and in many.
    const rest = 16_384 - `${host}\r\n`.length;
    const many = Array.from({ length: 80 }, (_, index) => `x-${index}: ${"x".repeat(150)}`);
    for (const fields of [[], many]) {
      const left = rest - fields.reduce((sum, field) => sum + field.length + 2, 0) - "y: \r\n".length;
      expect((await exchangeText(port, request([host, ...fields, `y: ${"y".repeat(left)}`]))).status).toBe(200);
      expect((await exchangeText(port, request([host, ...fields, `y: ${"y".repeat(left + 1)}`]))).status).toBe(431);
    }
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

describe("a request that waits to be asked for its body", () => {
  const waiting = (lines: readonly string[]): string =>
    request([...lines, "content-type: application/json", "expect: 100-continue"], "POST /tools/tool/invoke");

  it("is refused before it is asked (H12)", async () => {
    const { port } = await listenWith([{}], { apiKeys });
    const key = "Authorization: Bearer first-key";
    for (const [lines, status] of [
      [[host, "content-length: 2"], 401],
      [[host, key, "content-length: 99999999"], 413],
      [[host, key, "content-length: 2", "origin: https://evil.example"], 403],
    ] as const) {
      expect((await exchangeText(port, waiting(lines))).status).toBe(status);
    }
  });

  it("is asked where nothing stands against it", async () => {
    const { port } = await listenWith([{}]);
    for (const path of ["/tools/tool/invoke", "/calls"]) {
      const raw = await openSocket(port);
      const body = path === "/calls" ? '{"calls":[]}' : "{}";
      raw.send(waiting([host, `content-length: ${body.length}`]).replace("/tools/tool/invoke", path));
      await raw.until((text) => text.includes("100 Continue"));
      raw.send(body);
      await raw.until((text) => text.includes("HTTP/1.1 200 OK"));
      raw.socket.destroy();
    }
  });
});

it.each(["/x/../status", "/tools/x/../tool/invoke", "/./status", "/x/%2e%2E/status", "/tools/.."])(
  "a path with dot segments is refused: %s",
  async (path) => {
    const { port } = await listenWith([{}]);
    expect((await exchangeText(port, request([host], `GET ${path}`))).status).toBe(400);
  },
);
