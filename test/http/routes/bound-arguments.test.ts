import { describe, expect, it } from "vitest";
import { startIssuer, type TokenIssuer } from "../../access/token-issuer.ts";
import { dialectNames } from "../../../src/dialects/dialects.ts";
import { sha256 } from "../../../src/access/keys.ts";
import type { CallRecord } from "../../../src/index.ts";
import { type Answer, appOf, post, readAnswer } from "../app-in-memory.ts";

const marked = "zqTenant";
const parameters = {
  type: "object",
  properties: {
    [marked]: { type: "string", description: "Whose." },
    text: { type: "string" },
    limit: { type: "integer" },
  },
  required: [marked, "text"],
};

interface Service {
  readonly seen: unknown[];
  readonly records: CallRecord[];
  get(path: string, who?: string): Promise<{ status: number; text: string }>;
  send(path: string, body: unknown, who?: string, headers?: Record<string, string>): Promise<Answer>;
}

async function serve(issuer: TokenIssuer, claim = "sub"): Promise<Service> {
  const seen: unknown[] = [];
  const records: CallRecord[] = [];
  const access = {
    auth: { keys: [{ name: "agent", sha256: sha256("a-key"), tools: ["*"] }], jwt: issuer.options },
    apiKeys: ["an-operator"],
  };
  const { app } = appOf(
    [{ name: "mine", parameters, execute: (args) => void seen.push(args) }, { name: "open" }],
    access,
    {
      overrides: { mine: { bind: { [marked]: { claim } } } },
      observer: { onCall: (record) => records.push(record) },
    },
  );
  return {
    seen,
    records,
    async get(path, who = "an-operator") {
      const response = await app.request(path, { headers: { authorization: `Bearer ${who}` } });
      return { status: response.status, text: await response.text() };
    },
    send: (path, body, who = "an-operator", headers = {}) =>
      post(app, path, JSON.stringify(body), { authorization: `Bearer ${who}`, ...headers }),
  };
}

describe("an argument that is bound to a claim", () => {
  it("is in no list, document, search or status, and the tool is in none for a key", async () => {
    const issuer = await startIssuer();
    const { get } = await serve(issuer);
    const token = await issuer.token();
    const paths = [
      "/tools",
      "/tools?q=mine",
      "/tools/mine",
      "/openapi.json",
      "/openapi.json?only=tools",
      "/status",
      ...dialectNames.flatMap((format) => [`/tools?format=${format}`, `/tools?format=${format}&strict=true`]),
      "/tools?format=gemini&schema=openapi",
    ];
    for (const path of paths) {
      const { status, text } = await get(path, token);
      expect(status).toBe(200);
      expect(text).not.toContain(marked);
      if (path !== "/status") expect(text).toContain("mine");
      for (const key of ["a-key", "an-operator"]) {
        const own = await get(path, key);
        if (path === "/tools/mine") expect(own.status).toBe(404);
        expect(own.text).not.toMatch(path.includes("/mine") ? marked : /"mine"|zqTenant/);
      }
    }
    expect((await get(`/tools?q=${marked}`, token)).text).toBe('{"tools":[]}');
    expect((await get("/tools?q=zq", token)).text).toBe('{"tools":[]}');
    const { text } = await get("/status", token);
    expect(JSON.parse(text)).toMatchObject({ sources: [{ tools: 2 }] });
    expect(JSON.parse((await get("/status", "a-key")).text)).toMatchObject({ sources: [{ tools: 1 }] });
  });

  it("is the token's, by every door", async () => {
    const issuer = await startIssuer();
    const { seen, send } = await serve(issuer);
    const token = await issuer.token();
    expect((await send("/tools/mine/invoke", { text: "a" }, token)).body.status).toBe("ok");
    await send("/calls", { calls: [{ name: "mine", arguments: { text: "b" } }] }, token);
    await send("/calls?format=mcp", { name: "mine", arguments: { text: "c", limit: "3" } }, token);
    expect(seen).toEqual([
      { text: "a", [marked]: "agent-7" },
      { text: "b", [marked]: "agent-7" },
      { text: "c", limit: 3, [marked]: "agent-7" },
    ]);
  });

  it("cannot be sent by any door", async () => {
    const issuer = await startIssuer();
    const { seen, send, get } = await serve(issuer);
    const token = await issuer.token();
    const args = { text: "a", [marked]: "eve" };
    const invoked = await send("/tools/mine/invoke?repair=true", args, token);
    expect(invoked.body.error).toMatchObject({ code: "invalid_arguments", issues: [{ path: `/${marked}` }] });
    const replies = [
      [
        "openai",
        {
          role: "assistant",
          tool_calls: [{ id: "1", type: "function", function: { name: "mine", arguments: JSON.stringify(args) } }],
        },
      ],
      ["anthropic", { role: "assistant", content: [{ type: "tool_use", id: "1", name: "mine", input: args }] }],
      ["gemini", { candidates: [{ content: { role: "model", parts: [{ functionCall: { name: "mine", args } }] } }] }],
      ["mcp", { name: "mine", arguments: args }],
      ["mcp", { name: "mine", arguments: { text: "a", [marked]: null } }],
      ["mcp", { name: "mine", arguments: JSON.stringify(args) }],
    ] as const;
    for (const [format, reply] of replies) {
      const { body } = await send(`/calls?format=${format}`, reply, token);
      expect(body).toMatchObject({ results: [{ status: "error", error: { code: "invalid_arguments" } }] });
    }
    const batch = await send("/calls", { calls: [{ name: "mine", arguments: args }] }, token);
    expect(batch.body).toMatchObject({ results: [{ error: { code: "invalid_arguments" } }] });
    expect((await get("/tools/mine", token)).text).not.toContain(marked);
    expect(seen).toEqual([]);
  });

  it("runs nothing for a token without it, and says why in the log alone", async () => {
    const issuer = await startIssuer();
    const { seen, records, send } = await serve(issuer, "/org/id");
    for (const claims of [{}, { org: {} }, { org: { id: 5 } }]) {
      const { status, body } = await send("/tools/mine/invoke", { text: "a" }, await issuer.token(claims));
      expect(status).toBe(200);
      expect(body.error).toEqual({
        code: "unavailable",
        message: expect.any(String),
        action: "stop",
        retryable: false,
        ran: "no",
      });
      expect(JSON.stringify(body)).not.toMatch(/zqTenant|org/);
      expect(String(records.at(-1)?.cause)).toContain(marked);
    }
    expect(seen).toEqual([]);
    const good = await send("/tools/mine/invoke", { text: "a" }, await issuer.token({ org: { id: "o" } }));
    expect(good.body.status).toBe("ok");
  });

  it("makes the tool unknown to a key", async () => {
    const { send } = await serve(await startIssuer());
    for (const key of ["a-key", "an-operator"]) {
      const invoked = await send("/tools/mine/invoke", { text: "a" }, key);
      expect(invoked.status).toBe(404);
      expect(invoked.body.error?.code).toBe("unknown_tool");
      expect((await send("/tools/mime/invoke", {}, key)).body.error).not.toHaveProperty("suggestion");
      const batch = await send("/calls", { calls: [{ name: "mine", arguments: { text: "a" } }] }, key);
      expect(batch.body).toMatchObject({ results: [{ error: { code: "unknown_tool" } }] });
    }
  });
});

it("an argument that is bound to the session is the header's", async () => {
  const { app } = appOf(
    [{ name: "mine", parameters }],
    {},
    { overrides: { "m*": { bind: { [marked]: { session: true } } } } },
  );
  const answer = await post(app, "/tools/mine/invoke", '{"text":"a"}', { "toolhost-session": "s-1" });
  expect(answer.body.result).toEqual({ text: "a", [marked]: "s-1" });
  const missing = await post(app, "/tools/mine/invoke", '{"text":"a"}');
  expect(missing.body.error).toMatchObject({ code: "unavailable", action: "stop", ran: "no" });
  const twice = await readAnswer(
    await app.request("/tools/mine/invoke", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"text":"a","${marked}":"x","${marked}":"y"}`,
    }),
  );
  expect(twice.body.error?.code).toBe("bad_request");
});
