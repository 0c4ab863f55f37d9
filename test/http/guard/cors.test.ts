import { describe, expect, it } from "vitest";
import { appOf } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { exchangeText, requestText } from "../node/raw-socket.ts";

const origins = ["https://app.example", "http://localhost:5173"];
const origin = "https://app.example";
const corsHeaders = (headers: Headers): string[] =>
  [...headers.keys()].filter((name) => name.startsWith("access-control"));

describe("a page of an allowed origin", () => {
  it.each(["/tools/tool/invoke", "/calls"])("is told by OPTIONS that it may POST to %s with a key", async (path) => {
    const { app } = appOf([{}], { origins, apiKeys: ["key"] });
    const response = await app.request(path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
    const { headers } = response;
    expect(response.status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-methods")).toContain("POST");
    const allowed = headers.get("access-control-allow-headers")?.split(", ");
    for (const name of ["authorization", "content-type", "traceparent"]) {
      expect(allowed).toContain(name);
    }
    // Calls refuse them in this version.
    for (const name of ["idempotency-key", "prefer"]) expect(allowed).not.toContain(name);
    for (const name of ["accept", "toolhost-session", "x-request-id"]) expect(allowed).toContain(name);
    expect(headers.get("access-control-max-age")).toBe("600");
    expect(headers.get("vary")).toBe("Origin");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("can read every answer, refusals included, and the headers that matter", async () => {
    const { app } = appOf([{}], { origins, apiKeys: ["key"], hosts: "loopback" });
    const authorization = "Bearer key";
    for (const [method, path, extra, status] of [
      ["GET", "/tools", { authorization }, 200],
      ["POST", "/tools/tool/invoke", { authorization }, 200],
      ["GET", "/livez", {}, 200],
      ["GET", "/tools", {}, 401],
      ["GET", "/nothing-here", { authorization }, 404],
      ["DELETE", "/tools", { authorization }, 405],
      ["GET", "/tools?limit=x", { authorization }, 400],
    ] as const) {
      const response = await app.request(path, { method, headers: { origin, host: "localhost", ...extra } });
      expect({ path, status: response.status }).toEqual({ path, status });
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
      const exposed = response.headers.get("access-control-expose-headers")?.split(", ");
      for (const name of ["toolhost-outcome", "x-request-id", "retry-after", "etag"]) {
        expect(exposed).toContain(name);
      }
      expect(response.headers.get("vary")?.split(", ")).toContain("Origin");
      expect(corsHeaders(response.headers)).toHaveLength(2);
    }
  });

  it("does not lose what an answer varies with already", async () => {
    const { app } = appOf([{}], { origins });
    const response = await app.request("/tools", { headers: { origin } });
    expect(response.headers.get("vary")).toBe("Authorization, Accept-Encoding, Origin");
  });

  it("is told so by streams and over a socket too", async () => {
    const { port } = await listenWith([{}], { origins });
    for (const accept of ["application/json", "text/event-stream"]) {
      const answer = await exchangeText(port, requestText("POST /tools/tool/invoke", { headers: { origin, accept } }));
      expect(answer.status).toBe(200);
      expect(answer.headers["access-control-allow-origin"]).toBe(origin);
    }
  });

  it.each([
    ["https://app.example", "https://app.example"],
    ["http://app.example:8080", "http://app.example:8080"],
    ["https://xn--bcher-kva.example", "https://xn--bcher-kva.example"],
    ["https://app.example", "HTTPS://app.example"],
    ["http://[::1]:5173", "http://[::1]:5173"],
    ["chrome-extension://abcdefghijklmnop", "chrome-extension://abcdefghijklmnop"],
    ["tauri://localhost", "tauri://localhost"],
  ])("%s is one at %s", async (entry, sent) => {
    const { app } = appOf([{}], { origins: [entry] });
    const response = await app.request("/tools", { headers: { origin: sent } });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe(sent);
  });
});

describe("a page of any other origin", () => {
  it.each([
    "https://evil.example",
    "http://app.example",
    "https://app.example:8443",
    "https://app.example.evil.example",
    "https://evil.app.example",
    "https://app.example/",
    "https://app.example, https://evil.example",
    "https://app.example https://evil.example",
    "https://app.example@evil.example",
    "null",
    "file://",
    "*",
    "",
  ])("is refused and told nothing: %j", async (other) => {
    const { app } = appOf([{}], { origins });
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const headers = { origin: other, host: "localhost:8080", "access-control-request-method": "POST" };
      const response = await app.request(method === "POST" ? "/calls" : "/tools", { method, headers });
      expect(response.status).toBe(403);
      expect(corsHeaders(response.headers)).toEqual([]);
    }
  });

  it("is refused where it comes by two headers", async () => {
    const { port } = await listenWith([{}], { origins });
    const request = `GET /tools HTTP/1.1\r\nHost: localhost\r\nOrigin: ${origin}\r\nOrigin: https://evil.example\r\n\r\n`;
    const answer = await exchangeText(port, request);
    expect(answer.status).toBe(403);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("what needs no CORS", () => {
  it.each([{}, { origin: "http://localhost:8080" }])("is answered without its headers: %j", async (extra) => {
    const { app } = appOf([{}], { origins });
    for (const method of ["GET", "OPTIONS"]) {
      const response = await app.request("/tools", { method, headers: { host: "localhost:8080", ...extra } });
      expect(response.ok).toBe(true);
      expect(corsHeaders(response.headers)).toEqual([]);
      expect(response.headers.get("vary") ?? "").not.toContain("Origin");
    }
  });
});

it.each([
  "*",
  "null",
  "",
  "app.example",
  "https://",
  "https://*.example",
  "https://a\\b",
  "https://app.example/",
  "https://u@a.example",
  "https://App.Example",
  "https://app.example:443",
  "https://bücher.example",
])("a service does not start with %j among its origins", (entry) => {
  expect(() => appOf([{}], { origins: [entry] })).toThrow(
    /^origins\[0\] must be an origin as a browser sends it, such as https:\/\/app\.example:8443$/,
  );
});
