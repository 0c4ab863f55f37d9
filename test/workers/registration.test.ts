import { describe, expect, test } from "vitest";
import { sha256 } from "../../src/access/keys.ts";
import { declarationOf, register } from "./scripted-worker.ts";
import { startWorkerService, token } from "./worker-service.ts";

interface Refused {
  readonly error: { readonly code: string; readonly message: string; readonly retryAfterMs?: number };
}

describe("a registration", () => {
  test.each<[string, unknown, number]>([
    ["is no object", [], 400],
    ["has no name", { tools: [] }, 400],
    ["has an empty name", { name: "", tools: [] }, 400],
    ["has a name with a space", { name: "a b", tools: [] }, 400],
    ["has a name with a dot", { name: "../x", tools: [] }, 400],
    ["has a name of 65 characters", { name: "x".repeat(65), tools: [] }, 400],
    ["has the name of a source", { name: "pets", tools: [] }, 400],
    ["has no tools", { name: "a" }, 400],
    ["has tools that are no list", { name: "a", tools: {} }, 400],
    ["has a concurrency of 0", { name: "a", tools: [], concurrency: 0 }, 400],
    ["has a concurrency that is a text", { name: "a", tools: [], concurrency: "4" }, 400],
    ["has a key twice", '{"name":"a","name":"b","tools":[]}', 400],
    ["is not JSON", "{", 400],
    ["has too many tools", { name: "a", tools: Array.from({ length: 513 }, (_, at) => declarationOf(`t${at}`)) }, 413],
  ])("is refused if it %s", async (_what, body, expected) => {
    const service = await startWorkerService();
    const { status, body: answer } = await service.ask<Refused>("POST", "/workers", body);
    expect([status, answer.error.message.length > 10]).toEqual([expected, true]);
    expect(JSON.stringify(answer)).not.toContain("../x");
    expect(service.workers.status()).toEqual([]);
  });

  test("may have null for the concurrency, as for every field without a value", async () => {
    const service = await startWorkerService();
    const { status } = await service.ask("POST", "/workers", { name: "a", tools: [], concurrency: null });
    expect(status).toBe(201);
  });

  test("is refused with a query, without a token, and with another token", async () => {
    const service = await startWorkerService();
    const body = { name: "a", tools: [] };
    expect((await service.ask("POST", "/workers?name=b", body)).status).toBe(400);
    expect((await service.ask("POST", "/workers", body, { token: "another" })).status).toBe(401);
    const bare = await fetch(`${service.url}/workers`, { method: "POST", body: "{}" });
    expect([bare.status, bare.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="toolhost"']);
  });

  test("refuses each tool that cannot be offered, with the reason, and takes the others", async () => {
    const service = await startWorkerService({ tools: [{ name: "local_tool" }] });
    const faulty: readonly [unknown, string, RegExp][] = [
      [7, "tools[0]", /not an object/],
      [{ description: "x" }, "tools[1]", /no name/],
      [declarationOf("9lives"), "9lives", /name must/],
      [declarationOf("<script>"), "tools[3]", /name must/],
      [{ name: "bare", parameters: { type: "object" } }, "bare", /no description/],
      [{ name: "blank", description: " ", parameters: { type: "object" } }, "blank", /no description/],
      [{ name: "open", description: "x" }, "open", /^"parameters" is missing$/],
      [declarationOf("text", { parameters: { type: "string" } }), "text", /type "object"/],
      [declarationOf("array", { parameters: [] }), "array", /parameters/],
      [
        declarationOf("wrong", { parameters: { type: "object", properties: { a: { type: "strin" } } } }),
        "wrong",
        /type/,
      ],
      [declarationOf("result", { response: { type: "nothing" } }), "result", /response/],
      [declarationOf("never", { timeoutMs: 0 }), "never", /timeoutMs/],
      [declarationOf("long", { timeoutMs: 900_001 }), "long", /timeoutMs/],
      [declarationOf("half", { timeoutMs: 1.5 }), "half", /timeoutMs/],
      [declarationOf("limit", { timeoutMs: "sent" }), "limit", /^"timeoutMs" .*, got a value of type string$/],
      [declarationOf("slots", { concurrency: 0 }), "slots", /concurrency/],
      [declarationOf("object", { concurrency: { toString: 1 } }), "object", /, got a value of type object$/],
      [declarationOf("size", { resultBytes: -1 }), "size", /resultBytes/],
      [declarationOf("strict", { strict: "yes" }), "strict", /strict/],
      [declarationOf("blocks", { contentBlocks: 1 }), "blocks", /contentBlocks/],
      [declarationOf("notes", { annotations: { readOnly: "yes" } }), "notes", /annotations/],
      [declarationOf("tags", { tags: [1] }), "tags", /tags/],
      [declarationOf("title", { title: 5 }), "title", /title/],
      [declarationOf("local_tool"), "local_tool", /taken by the source "local"/],
      [declarationOf("words", { description: "x".repeat(16_385) }), "words", /description/],
      [declarationOf("good"), "good", /another tool with this name/],
    ];
    const tools = [...faulty.slice(0, -1).map(([tool]) => tool), declarationOf("good"), faulty.at(-1)![0]];
    const { registered } = await register(service, tools);
    expect(registered.tools.filter(({ state }) => state !== "refused")).toEqual([{ name: "good", state: "added" }]);
    const refused = registered.tools.filter(({ state }) => state === "refused");
    expect(refused.map(({ name }) => name)).toEqual(faulty.map(([, name]) => name));
    for (const [index, [, , reason]] of faulty.entries()) expect(refused[index]!.reason).toMatch(reason);
    await register(service, tools);
    // Once, however many workers have the fault.
    expect(service.workers.status()[0]?.skipped).toHaveLength(faulty.length);
    expect(service.registry.list().map(({ tool }) => tool.name)).toEqual(["good", "local_tool"]);
  });

  test("names the fields of a tool that are unknown, and adds the tool", async () => {
    const service = await startWorkerService();
    const { registered } = await register(service, [
      declarationOf("one", { timeout: 5, retries: 3 }),
      declarationOf("two", { "a secret value": 1 }),
      declarationOf("three", { title: null }),
    ]);
    expect(registered.tools).toEqual([
      { name: "one", state: "added", reason: expect.stringContaining('did you mean "timeoutMs"?') as string },
      { name: "two", state: "added", reason: "a field is unknown" },
      { name: "three", state: "added" },
    ]);
    expect(service.workers.status()[0]?.warnings).toMatchObject([{ name: "one" }, { name: "two" }]);
    expect(service.registry.find("one")?.retries).toBe(0);
  });

  test("offers only the tools that its token may register", async () => {
    const service = await startWorkerService({ tokens: { [token]: { tools: ["billing_*"] } } });
    const { registered } = await register(service, [declarationOf("billing_charge"), declarationOf("mail_send")]);
    expect(registered.tools).toMatchObject([
      { name: "billing_charge", state: "added" },
      { name: "mail_send", state: "refused", reason: expect.stringContaining("token") as string },
    ]);
    expect(service.registry.find("mail_send")).toBeUndefined();
  });

  test("shows the tool in the list with the worker's name as its source", async () => {
    const service = await startWorkerService();
    await register(service, [
      declarationOf("charge", { title: "Charge", tags: ["money"], timeoutMs: 7, annotations: { idempotent: true } }),
    ]);
    const listed = await fetch(`${service.url}/tools?source=billing`);
    expect(await listed.json()).toEqual({
      tools: [
        {
          name: "charge",
          title: "Charge",
          description: "The tool charge.",
          parameters: { type: "object" },
          response: expect.anything() as unknown,
          tags: ["money"],
          timeoutMs: 7,
          annotations: { idempotent: true },
          source: "billing",
          hash: expect.stringMatching(/^sha256:/) as string,
        },
      ],
    });
  });
});

describe("a worker's name", () => {
  test("belongs to the token that registered it first, while a worker of it lives", async () => {
    const service = await startWorkerService({ tokens: { one: {}, two: {} } });
    const first = await register(service, [declarationOf("charge")], { token: "one" });
    const again = await service.ask<Refused>("POST", "/workers", { name: "billing", tools: [] }, { token: "two" });
    expect([again.status, again.body.error.code]).toEqual([403, "forbidden"]);
    const sibling = await register(service, [declarationOf("charge")], { token: "one" });
    await first.leave();
    expect((await service.ask("POST", "/workers", { name: "billing", tools: [] }, { token: "two" })).status).toBe(403);
    await sibling.leave();
    const second = await register(service, [declarationOf("charge", { title: "Mine" })], { token: "two" });
    expect(second.registered.tools).toEqual([{ name: "charge", state: "added" }]);
  });

  test("does not give a token the workers of another", async () => {
    const service = await startWorkerService({ tokens: { one: {}, two: {} } });
    const { registered } = await register(service, [declarationOf("charge")], { token: "one" });
    const path = `/workers/${registered.workerId}`;
    for (const [method, rest, body] of [
      ["POST", "/poll?waitMs=0", undefined],
      ["POST", "/calls/x", { result: 1 }],
      ["POST", "/calls", { answers: [] }],
      ["DELETE", "", undefined],
    ] as const) {
      const answer = await service.ask<Refused>(method, path + rest, body, { token: "two" });
      expect([rest, answer.status, answer.body.error.code]).toEqual([rest, 404, "not_found"]);
    }
    expect((await service.ask("POST", `${path}/poll?waitMs=0`, undefined, { token: "one" })).status).toBe(200);
  });
});

describe("a worker's token", () => {
  test("is no API key, and no API key is a worker's token", async () => {
    const service = await startWorkerService({ app: { apiKeys: ["the-key"] } });
    await register(service, [declarationOf("charge")]);
    const asWorker = { authorization: `Bearer ${token}` };
    for (const path of ["/tools", "/status", "/openapi.json"]) {
      expect((await fetch(service.url + path, { headers: asWorker })).status).toBe(401);
      expect((await fetch(service.url + path, { headers: { authorization: "Bearer the-key" } })).status).toBe(200);
    }
    const answer = await service.call("charge", {}, asWorker);
    expect(answer.error?.code).toBe("unauthorized");
    const body = { name: "a", tools: [] };
    const refused = await service.ask<Refused>("POST", "/workers", body, { token: "the-key" });
    expect([refused.status, refused.body.error.code]).toEqual([401, "unauthorized"]);
    expect(refused.body.error.message).toBe("The worker token is not valid.");
    const bare = await fetch(`${service.url}/workers`, { method: "POST" });
    expect(await bare.text()).toContain("Send a worker token as Authorization: Bearer <worker token>.");
    expect((await service.ask("GET", "/workers", undefined)).status).toBe(405);
  });

  test("may have a bounded number of workers, which its leases free", async () => {
    const service = await startWorkerService({ leaseMs: 60_000 });
    const body = { name: "a", tools: [] };
    const registered: string[] = [];
    for (let count = 0; count < 256; count++) {
      registered.push((await service.workers.register(sha256(token), body)).workerId);
    }
    const refused = await service.ask<Refused>("POST", "/workers", body);
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    await service.ask("DELETE", `/workers/${registered[0]}`);
    expect((await service.ask("POST", "/workers", body)).status).toBe(201);
  });

  test("may register a bounded number of times in a minute", async () => {
    const service = await startWorkerService();
    const id = sha256(token);
    const again = async (): Promise<void> => {
      const { workerId } = await service.workers.register(id, { name: "a", tools: [] });
      service.workers.leave(service.workers.find(id, workerId));
    };
    for (let count = 0; count < 600; count++) await again();
    // Some are allowed again while the test runs.
    const more = async (): Promise<void> => {
      for (let count = 0; count < 600; count++) await again();
    };
    await expect(more()).rejects.toMatchObject({ code: "rate_limited" });
  });
});
