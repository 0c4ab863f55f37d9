import { describe, expect, it } from "vitest";
import { dialects } from "../../../src/dialects/dialects.ts";
import { ask, codesOf } from "../../dialects/reply-answer.ts";
import { appOf, post } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { cpuMs } from "../../cpu-time.ts";
import { sizeOf } from "../../runs.ts";

const callOf = (id: unknown, name: unknown, args: unknown = "") => ({ id, function: { name, arguments: args } });
const messageOf = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls });
const json = JSON.stringify;
const withoutIds = (body: unknown) => JSON.parse(json(body).replaceAll(/"callId":"[^"]*"/g, '"callId":""')) as unknown;
/** A reply of each provider that calls `tool`. */
const replies: Readonly<Record<string, unknown>> = {
  openai: messageOf(callOf("a", "tool")),
  "openai-responses": [{ type: "function_call", call_id: "a", name: "tool", arguments: "{}" }],
  anthropic: { role: "assistant", content: [{ type: "tool_use", id: "a", name: "tool", input: {} }] },
  gemini: { role: "model", parts: [{ functionCall: { name: "tool", args: {} } }] },
  ollama: messageOf(callOf("a", "tool", {})),
  mcp: { name: "tool", arguments: {} },
};

describe("POST /calls?format=", () => {
  it.each(["", "?format=toolhost", "?format=toolhost&names=tool"])(
    "%s takes calls of the service's own",
    async (query) => {
      const { body } = await post(appOf([{}]).app, `/calls${query}`, '{"calls":[{"name":"tool"}]}');
      expect(body).toMatchObject({ results: [{ status: "ok" }] });
    },
  );

  it.each([
    "format=claude",
    "format=OpenAI",
    "format=__proto__",
    "format=toString",
    "format=",
    "format=openai&format=gemini",
    "format=openai&echo=1",
    "format=openai&echo=",
    "format=openai&repair=true",
    "format=openai&names=",
    "echo=true",
    "format=toolhost&echo=true",
  ])("400 for the query %s", async (query) => {
    const { status, body } = await post(appOf([{}]).app, `/calls?${query}`, json(messageOf()));
    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: "bad_request" });
  });

  it.each(Object.keys(dialects))("format=%s accepts the query of the list, which changes nothing", async (format) => {
    const { body, status } = await post(appOf([{}]).app, `/calls?format=${format}`, json(replies[format]));
    const query = "names=tool&source=local&q=none&limit=1&strict=true&schema=openapi";
    const same = await post(appOf([{}]).app, `/calls?format=${format}&${query}`, json(replies[format]));
    expect({ status, same: same.status }).toEqual({ status: 200, same: 200 });
    expect(withoutIds(same.body)).toEqual(withoutIds(body));
  });

  it.each(["strict=yes", "schema=xml", "limit=0", "limit=x", "limit=1&limit=2"])(
    "400 for %s, as in the list",
    async (query) => {
      const { status, body } = await post(appOf([{}]).app, `/calls?format=gemini&${query}`, json({ parts: [] }));
      expect({ status, code: body.error?.code }).toEqual({ status: 400, code: "bad_request" });
    },
  );

  it("names all formats where it knows one not", async () => {
    const { body } = await post(appOf([{}]).app, "/calls?format=x", "{}");
    for (const name of ["toolhost", ...Object.keys(dialects)]) expect(body.error?.message).toContain(name);
  });

  it.each(Object.keys(dialects))("format=%s refuses what is no JSON, no reply, or nothing", async (format) => {
    for (const text of [undefined, "", "{", "nul", "[", "{}", "null", '"a"', "[5]x", "[".repeat(65) + "]".repeat(65)]) {
      const { status, body } = await post(appOf([{}]).app, `/calls?format=${format}`, text);
      expect({ text, status, code: body.error?.code }).toEqual({ text, status: 400, code: "bad_request" });
    }
  });

  it("takes bodies of up to 16 MiB, whatever limit other calls have", async () => {
    const { app } = appOf([{}], { maxBodyBytes: 100 });
    const text = json({ ...messageOf(callOf("a", "tool")), reasoning: "x".repeat(1000) });
    expect((await post(app, "/calls?format=openai", text)).status).toBe(200);
    expect((await post(app, "/calls?format=openai", text.padEnd(16 * 1_048_576))).status).toBe(200);
    expect((await post(app, "/calls?format=openai", text.padEnd(16 * 1_048_576 + 1))).status).toBe(413);
  });

  it("calls only what names, tags and source leave", async () => {
    const tools = [
      { name: "get_a", tags: ["read"] },
      { name: "set_a", tags: ["write"] },
      { name: "parallel", tags: ["write"] },
    ];
    const wrapped = callOf(
      "c",
      "parallel",
      json({ tool_uses: [{ recipient_name: "get_a" }, { recipient_name: "set_a" }] }),
    );
    const reply = messageOf(callOf("a", "get_a"), callOf("b", "set_a"), wrapped);
    expect(codesOf(await ask("openai", reply, { tools, query: "&tags=read" }))).toEqual([
      "ok",
      "unknown_tool",
      "ok",
      "unknown_tool",
    ]);
    expect(codesOf(await ask("openai", reply, { tools, query: "&names=set_a,parallel" }))).toEqual([
      "unknown_tool",
      "ok",
      "ok",
    ]);
    expect(codesOf(await ask("openai", reply, { tools, query: "&source=elsewhere" }))).toEqual(
      Array(4).fill("unknown_tool"),
    );
  });

  it("hands the session and the trace to the tools", async () => {
    const { app } = appOf([{ execute: (_, { session }) => session }]);
    const { body } = await post(app, "/calls?format=openai", json(messageOf(callOf("a", "tool"))), {
      "toolhost-session": "s1",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    });
    expect(body).toMatchObject({ results: [{ result: "s1" }] });
  });

  it("runs the calls side by side", async () => {
    const tools = [{ execute: () => new Promise((resolve) => setTimeout(resolve, 60, 1)) }];
    const start = cpuMs();
    await ask("openai", messageOf(...Array.from({ length: 20 }, (_, index) => callOf(`c${index}`, "tool"))), { tools });
    expect(cpuMs() - start).toBeLessThan(1800);
  });

  it("keeps a null that the tool takes, and drops one that it refuses", async () => {
    const parameters = {
      type: "object",
      properties: { mode: { enum: ["x", "y"] }, value: { type: ["string", "null"] }, note: { type: "string" } },
      minProperties: 1,
      if: { properties: { mode: { const: "x" } }, required: ["mode"] },
      then: { properties: { value: { type: "string" } } },
    };
    const tools = [{ parameters, execute: (args: unknown) => args }];
    const resultsOf = async (...args: unknown[]) =>
      (await ask("openai", messageOf(...args.map((each, at) => callOf(`c${at}`, "tool", json(each)))), { tools }))
        .results;
    const answers = await resultsOf({ mode: "y", value: null }, { value: null }, { mode: "x", value: null });
    expect(answers.map(({ result }) => result)).toEqual([{ mode: "y", value: null }, { value: null }, { mode: "x" }]);
    const [refused] = await resultsOf({ note: null });
    expect(refused?.error?.code).toBe("invalid_arguments");
  });

  it("stops the calls when the client leaves", async () => {
    let stopped = 0;
    const execute = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error(String(++stopped)))),
      );
    const { app } = appOf([{ execute }]);
    const controller = new AbortController();
    const headers = { "content-type": "application/json" };
    const body = json(messageOf(callOf("a", "tool"), callOf("b", "tool")));
    const answer = Promise.resolve(
      app.request("/calls?format=openai", { method: "POST", headers, body, signal: controller.signal }),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    await answer.catch(() => undefined);
    expect(stopped).toBe(2);
  });
});

describe("a hostile reply", () => {
  it("of more than 128 calls has those beyond answered, and not run", async () => {
    let runs = 0;
    const tools = [{ execute: () => ++runs }];
    const calls = Array.from({ length: 131 }, (_, index) => callOf(`c${index}`, "tool"));
    const answer = await ask("openai", messageOf(...calls), { tools });
    expect({ runs, messages: answer.messages.length }).toEqual({ runs: 128, messages: 131 });
    expect(codesOf(answer).slice(127)).toEqual(["ok", "overloaded", "overloaded", "overloaded"]);
    expect(answer.results[130]?.error).toMatchObject({ ran: "no", message: expect.stringContaining("128") });
  });

  it("with a wrapper that goes beyond has it answered as a whole, and what still fits run", async () => {
    const wrapper = (id: string, count: number) =>
      callOf(id, "parallel", json({ tool_uses: Array(count).fill({ recipient_name: "tool" }) }));
    const answer = await ask("openai", messageOf(wrapper("a", 100), wrapper("b", 100), callOf("c", "tool")), {
      tools: [{}],
    });
    expect(answer.messages).toHaveLength(3);
    expect(codesOf(answer).slice(99)).toEqual(["ok", "overloaded", "ok"]);
  });

  it("of a million calls is refused at no great cost", async () => {
    const text = `{"role":"assistant","tool_calls":[${"{},".repeat(1_000_000)}{}]}`;
    const start = cpuMs();
    const { status } = await post(appOf([{}]).app, "/calls?format=openai", text);
    expect(status).toBe(413);
    expect(cpuMs() - start).toBeLessThan(9000);
  });

  it("of many calls with refused arguments is read in time that grows with its size alone", async () => {
    const call = `{"function":{"name":"tool","arguments":{"a":1,"a":"${"x".repeat(3000)}"}}}`;
    const text = `{"message":{"role":"assistant","content":"","tool_calls":[${Array(sizeOf(4000, 1000)).fill(call).join(",")}]}}`;
    const start = cpuMs();
    const { status } = await post(appOf([{}]).app, "/calls?format=ollama", text);
    expect(status).toBe(200);
    expect(cpuMs() - start).toBeLessThan(15000);
  });

  it("of many calls with many nulls shares one budget for undoing them", async () => {
    const item = { type: "object", properties: { v: { type: "string" } } };
    const tools = [{ parameters: { type: "object", properties: { list: { type: "array", items: item } } } }];
    const args = json({ list: Array(9000).fill({ v: null }) });
    const start = cpuMs();
    const length = sizeOf(100, 30);
    const calls = Array.from({ length }, (_, place) => callOf(`call_${place}`, "tool", args));
    const { results } = await ask("openai", messageOf(...calls), {
      tools: tools.map((tool) => ({ ...tool, execute: () => 1 })),
      registry: { overrides: { tool: { repair: false } } },
    });
    expect(cpuMs() - start).toBeLessThan(12000);
    expect(results[0]?.status).toBe("ok");
    expect(results.at(-1)?.error?.code).toBe("invalid_arguments");
  });

  it("with keys of Object.prototype finds no call in them, and harms nobody", async () => {
    for (const key of ["__proto__", "constructor", "prototype"]) {
      const text = `{"${key}":{"tool_calls":[{"id":"a","function":{"name":"tool","arguments":""}}]},"role":"assistant","content":"hi"}`;
      expect(await ask("openai", text, { tools: [{}] })).toMatchObject({ done: true, results: [] });
    }
    const answer = await ask(
      "openai",
      messageOf(callOf("a", "__proto__"), callOf("b", "constructor"), callOf("c", "toString")),
    );
    expect(codesOf(answer)).toEqual(Array(3).fill("unknown_tool"));
    expect(Object.prototype).not.toHaveProperty("tool_calls");
  });

  it("with an endless id has a short one made up", async () => {
    const answer = await ask("openai", messageOf(callOf("x".repeat(100_000), "now")));
    expect(answer.results[0]?.id).toBe("call_0");
    expect(answer.warnings).toHaveLength(1);
  });

  it("with arguments nested too deeply fails their call alone", async () => {
    const args = `${'{"a":'.repeat(100)}1${"}".repeat(100)}`;
    expect(codesOf(await ask("openai", messageOf(callOf("a", "echo", args), callOf("b", "now"))))).toEqual([
      "invalid_arguments",
      "ok",
    ]);
  });
});

it("works over a socket", async () => {
  const { port } = await listenWith([{ execute: () => "done" }]);
  const reply = json({ role: "model", parts: [{ functionCall: { name: "tool" } }] });
  const answer = await fetch(`http://127.0.0.1:${port}/calls?format=gemini&echo=true`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: reply,
  });
  expect(await answer.json()).toMatchObject({
    messages: [
      JSON.parse(reply),
      { role: "user", parts: [{ functionResponse: { name: "tool", response: { output: "done" } } }] },
    ],
  });
});
