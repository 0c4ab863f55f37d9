import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { appOf, post } from "../app-in-memory.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

const { app } = appOf(
  [
    { name: "get_weather", annotations: { readOnly: true } },
    { name: "get_secret" },
    { name: "send_mail", tags: ["mail"] },
    { name: "get_gone", requires: ["NOT_SET"] },
    { name: "send_gone", requires: ["NOT_SET"] },
  ],
  {
    apiKeys: ["all"],
    auth: {
      keys: [
        { name: "getter", sha256: sha256("getter"), tools: ["get_*"] },
        { name: "reader", sha256: sha256("reader"), readOnly: true },
        { name: "slow", sha256: sha256("slow"), callsPerMinute: 3 },
      ],
    },
  },
);

async function bodyOf(path: string, key: string, headers: Record<string, string> = {}) {
  const response = await app.request(path, { headers: { ...bearer(key), ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const namesIn = (text: string): string[] =>
  (JSON.parse(text) as { tools: { name: string }[] }).tools.map(({ name }) => name);

describe("a key with rights to some tools", () => {
  it("lists those, and no other by any query", async () => {
    expect(namesIn((await bodyOf("/tools", "all")).text)).toEqual(["get_secret", "get_weather", "send_mail"]);
    expect(namesIn((await bodyOf("/tools", "getter")).text)).toEqual(["get_secret", "get_weather"]);
    expect(namesIn((await bodyOf("/tools", "reader")).text)).toEqual(["get_weather"]);
    for (const query of ["names=send_mail", "tags=mail", "q=mail"]) {
      expect(namesIn((await bodyOf(`/tools?${query}`, "getter")).text)).not.toContain("send_mail");
    }
  });

  it("is not told by another key's ETag that nothing has changed", async () => {
    const etag = (await bodyOf("/tools", "all")).headers.get("etag") ?? "";
    expect((await bodyOf("/tools", "getter", { "if-none-match": etag })).status).toBe(200);
    expect((await bodyOf("/tools", "all", { "if-none-match": etag })).status).toBe(304);
  });

  it.each([
    ["its declaration", async () => (await bodyOf("/tools/send_mail", "getter")).text],
    ["one that cannot run", async () => (await bodyOf("/tools/send_gone", "getter")).text],
    ["a call", async () => JSON.stringify((await post(app, "/tools/send_mail/invoke", "{}", bearer("getter"))).body)],
    [
      "a call with a body that is refused",
      async () => JSON.stringify((await post(app, "/tools/send_mail/invoke", "{", bearer("getter"))).body),
    ],
    [
      "a stream",
      async () =>
        JSON.stringify(
          (await post(app, "/tools/send_mail/invoke", "{}", { ...bearer("getter"), accept: "text/event-stream" })).body,
        ),
    ],
    [
      "a batch",
      async () =>
        JSON.stringify((await post(app, "/calls", '{"calls":[{"name":"send_mail"}]}', bearer("getter"))).body),
    ],
    [
      "a batch of those with its tag",
      async () =>
        JSON.stringify(
          (await post(app, "/calls?tags=mail", '{"calls":[{"name":"send_mail"}]}', bearer("getter"))).body,
        ),
    ],
  ])("finds no other by %s", async (_door, ask) => {
    const text = await ask();
    expect(text).toContain('"unknown_tool"');
    expect(text).not.toMatch(/"suggestion"|"result":/);
  });

  it("reads of no other in the status and the OpenAPI document", async () => {
    const status = (await bodyOf("/status", "getter")).text;
    expect(JSON.parse(status)).toMatchObject({ sources: [{ name: "local", tools: 2 }], unavailable: [] });
    expect(status).not.toContain("send_");
    const document = (await bodyOf("/openapi.json", "getter")).text;
    expect(document).toContain("/tools/get_secret/invoke");
    expect(document).not.toContain("send_mail");
    expect((await bodyOf("/openapi.json", "all")).text).toContain("send_mail");
  });

  it("calls what it may", async () => {
    const { body } = await post(app, "/tools/get_weather/invoke", "{}", bearer("reader"));
    expect(body.status).toBe("ok");
  });
});

describe("a key with an allowance", () => {
  it("is limited over all doors together, each call of a batch counted", async () => {
    const { body } = await post(
      app,
      "/calls",
      JSON.stringify({ calls: Array(4).fill({ name: "get_weather" }) }),
      bearer("slow"),
    );
    const codes = (body as unknown as { results: { status: string; error?: { code: string } }[] }).results.map(
      ({ status, error }) => error?.code ?? status,
    );
    expect(codes).toEqual(["ok", "ok", "ok", "rate_limited"]);
    const { status, headers, body: refused } = await post(app, "/tools/get_weather/invoke", "{}", bearer("slow"));
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(refused).toMatchObject({ status: "error", error: { code: "rate_limited", retryable: true, ran: "no" } });
    expect((await bodyOf("/tools", "slow")).status).toBe(200);
  });
});
