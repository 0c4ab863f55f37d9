import { describe, expect, it, vi } from "vitest";
import { createHash } from "node:crypto";
import { startIssuer } from "../../access/token-issuer.ts";
import type { Refusal } from "../../../src/http/guard/refusal.ts";
import { createRefusalLog } from "../../../src/http/guard/refusal-log.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { appOf, post } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { exchangeText, requestText } from "../node/raw-socket.ts";

const limited = {
  name: "limited",
  sha256: createHash("sha256").update("limited").digest("hex"),
  callsPerMinute: 1,
};

function refusing(options: object = {}) {
  const refusals: Refusal[] = [];
  const onRefused = (refusal: Refusal): void => void refusals.push(refusal);
  const { app } = appOf([{ name: "tool" }], { onRefused, ...options });
  return { app, refusals };
}

describe("a refused request", () => {
  it("to the metrics is reported with its caller, which is not an operator", async () => {
    const { app, refusals } = refusing({ auth: { keys: [{ ...limited, tools: ["*"] }] }, metrics: () => "" });
    await app.request("/metrics", { headers: { authorization: "Bearer limited" } });
    const [refusal] = refusals;
    expect(refusal).toMatchObject({
      code: "not_found",
      route: "/metrics",
      reason: 'the caller "limited" is not an operator',
    });
  });

  it("is told of with its route, and nothing that it contains", async () => {
    const { app, refusals } = refusing({
      apiKeys: ["key"],
      auth: { keys: [limited] },
      hosts: ["a.example"],
      maxBodyBytes: 20,
    });
    const open = { authorization: "Bearer key", host: "a.example", "x-request-id": "r" };
    await post(app, "/tools/tool/invoke?timeoutMs=s3cr3t", "{}", open);
    await post(app, "/tools/tool/invoke", '{"s3cr3t', open);
    await app.request("/tools?s3cr3t=1", { headers: { host: "a.example" } });
    await app.request("/tools", { headers: { ...open, authorization: "Bearer s3cr3t" } });
    await app.request("/tools", { headers: { ...open, host: "s3cr3t.example" } });
    await app.request("/tools", { headers: { ...open, origin: "https://s3cr3t.example" } });
    await post(app, "/tools/s3cr3t/invoke", "{}", open);
    await app.request("/s3cr3t", { headers: open });
    await post(app, "/tools/tool/invoke", JSON.stringify({ s3cr3t: "x".repeat(20) }), open);
    for (let call = 0; call < 2; call++) {
      await post(app, "/tools/tool/invoke", "{}", { ...open, authorization: "Bearer limited" });
    }
    await app.request("/livez", { headers: { ...open, origin: "https://s3cr3t.example" } });
    const invoke = { method: "POST", route: "/tools/:name/invoke", requestId: "r" };
    const list = { method: "GET", route: "/tools" };
    expect(refusals).toEqual([
      { code: "bad_request", status: 400, ...invoke },
      { code: "bad_request", status: 400, ...invoke },
      { code: "unauthorized", status: 401, ...list, requestId: expect.any(String) },
      { code: "unauthorized", status: 401, ...list, requestId: "r", reason: "the key is unknown" },
      { code: "forbidden", status: 403, ...list, requestId: "r" },
      { code: "forbidden", status: 403, ...list, requestId: "r" },
      { code: "unknown_tool", status: 404, ...invoke },
      { code: "not_found", status: 404, method: "GET", requestId: "r" },
      { code: "body_too_large", status: 413, ...invoke },
      { code: "rate_limited", status: 429, ...invoke },
    ]);
    expect(JSON.stringify(refusals)).not.toContain("s3cr3t");
  });

  it.each<[string, Record<string, unknown> | undefined]>([
    ["the token has expired", { exp: 1000 }],
    ['the claim "exp" is missing', { exp: undefined }],
    ['the value of the claim "aud" is not accepted', { aud: "s3cr3t" }],
    ['the value of the claim "iss" is not accepted', { iss: "s3cr3t" }],
    ['the value of the claim "nbf" is not accepted', { nbf: 4_000_000_000 }],
    ['the value of the claim "sub" is not accepted', { sub: "s3cr3t\n" }],
    ["the claim with the tools is missing or malformed", { tools: undefined }],
    ["the signature is wrong", undefined],
  ])("with a token says to the log alone that %s", async (reason, claims) => {
    const issuer = await startIssuer();
    const { app, refusals } = refusing({ auth: { jwt: { ...issuer.options, toolsClaim: "tools" } } });
    const token = await issuer.token({
      tools: "*",
      ...claims,
    });
    const other = await issuer.token({ tools: "*", jti: "other" });
    const sent =
      claims === undefined ? `${token.slice(0, token.lastIndexOf("."))}${other.slice(other.lastIndexOf("."))}` : token;
    const answer = await app.request("/tools", { headers: { authorization: `Bearer ${sent}` } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="toolhost", error="invalid_token"');
    expect(await answer.text()).toContain("The key or token is not valid.");
    expect(refusals).toMatchObject([{ code: "unauthorized", reason }]);
  });

  it("is told of where Node's parser refuses it too, with the address that it came from", async () => {
    const refusals: Refusal[] = [];
    const { port } = await listenWith([{}], { onRefused: (refusal) => void refusals.push(refusal) });
    await exchangeText(port, "NOT HTTP\r\n\r\n");
    await exchangeText(port, requestText("GET /nowhere"));
    expect(refusals).toEqual([
      { code: "bad_request", status: 400, requestId: expect.any(String), remote: "127.0.0.1" },
      { code: "not_found", status: 404, method: "GET", requestId: expect.any(String), remote: "127.0.0.1" },
    ]);
  });

  it.each([
    [
      "an Expect that is not understood",
      requestText("GET /tools", { headers: { expect: "s3cr3t", "x-request-id": "r" } }),
    ],
    ["a malformed target", requestText("GET http://[s3cr3t/", { headers: { "x-request-id": "r" } })],
    ["a malformed Host", requestText("GET /tools/tool", { headers: { host: "s3cr3t s3cr3t", "x-request-id": "r" } })],
    ["a target that is no path", requestText("GET *", { headers: { "x-request-id": "r" } })],
  ])("is told of once where the server refuses it: %s", async (_what, text) => {
    const refusals: Refusal[] = [];
    const { port } = await listenWith([{}], { onRefused: (refusal) => void refusals.push(refusal) });
    const { headers, body } = await exchangeText(port, text);
    const told = { method: "GET", requestId: "r", remote: "127.0.0.1" };
    expect(refusals).toEqual([{ code: "bad_request", status: 400, ...told }]);
    expect(headers["x-request-id"]).toBe("r");
    expect(JSON.parse(body)).toMatchObject({ error: { code: "bad_request" } });
  });
});

describe("the log of refused requests", () => {
  it("has ten lines a second, and one for the rest, at the end too", () => {
    vi.useFakeTimers();
    const lines: Array<Record<string, unknown>> = [];
    const { add: refuse, end } = createRefusalLog(
      createLogger("warn", (line) => void lines.push(JSON.parse(line) as never)),
    );
    for (let second = 0; second < 3; second++) {
      const count = [50, 10, 3][second]!;
      for (let index = 0; index < count; index++) refuse({ code: "unauthorized", status: 401, requestId: `${index}` });
      vi.advanceTimersByTime(1000);
    }
    for (let index = 0; index < 12; index++) refuse({ code: "unauthorized", status: 401, requestId: `${index}` });
    end();
    vi.useRealTimers();
    expect(lines.map(({ msg, requests }) => requests ?? msg)).toEqual([
      ...Array.from({ length: 10 }, () => "request refused"),
      40,
      ...Array.from({ length: 13 + 10 }, () => "request refused"),
      2,
    ]);
    expect(lines[0]).toMatchObject({ level: "warn", code: "unauthorized", status: 401, requestId: "0" });
  });
});

it("refused requests are counted by code, and no other series appears", async () => {
  const metrics = createMetrics(() => 0);
  const { app } = appOf([{ name: "tool" }], { onRefused: metrics.onRefused });
  const series = metrics.text().split("\n").length;
  for (let index = 0; index < 3; index++) await app.request(`/nowhere-${index}`);
  await post(app, "/tools/tool/invoke", "{");
  expect(metrics.text()).toContain('toolhost_requests_refused_total{code="not_found"} 3\n');
  expect(metrics.text()).toContain('toolhost_requests_refused_total{code="bad_request"} 1\n');
  expect(metrics.text()).toContain('toolhost_requests_refused_total{code="unauthorized"} 0\n');
  expect(metrics.text().split("\n")).toHaveLength(series);
});
