import { describe, expect, it } from "vitest";
import { ask, askText, codesOf, refusalOf, weatherTools } from "../reply-answer.ts";

const callOf = (id: unknown, name: unknown, args?: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const messageOf = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls });
const completionOf = (message: unknown, finish_reason = "tool_calls") => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [{ index: 0, message, finish_reason }],
});
const oslo = callOf("call_a", "get_weather", '{"location":"Oslo"}');
const now = callOf("call_b", "now", "{}");

describe("a reply of OpenAI Chat Completions", () => {
  it("is answered with one tool message a call, in call order", async () => {
    const { messages, results, done, warnings } = await ask("openai", completionOf(messageOf(oslo, now)));
    expect(messages).toEqual([
      { role: "tool", tool_call_id: "call_a", content: '{"location":"Oslo","temperature":12}' },
      { role: "tool", tool_call_id: "call_b", content: "noon" },
    ]);
    expect(results.map(({ id, name, status }) => ({ id, name, status }))).toEqual([
      { id: "call_a", name: "get_weather", status: "ok" },
      { id: "call_b", name: "now", status: "ok" },
    ]);
    expect({ done, warnings }).toEqual({ done: false, warnings: [] });
  });

  it("keeps the order of the calls whatever order their tools end in", async () => {
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, ms));
    const tools = [{ name: "wait", execute: ({ ms }: Record<string, unknown>) => wait(Number(ms)) }];
    const calls = [40, 1, 20].map((ms, index) => callOf(`c${index}`, "wait", JSON.stringify({ ms })));
    const { messages } = await ask("openai", messageOf(...calls), { tools });
    expect(messages.map(({ content }) => content)).toEqual(["40", "1", "20"]);
  });

  it("is taken as a whole or as the message alone, with keys of other vendors", async () => {
    const message = { ...messageOf(oslo), reasoning_content: "hm", annotations: [] };
    const whole = { ...completionOf(message), service_tier: null, x_vendor: { a: 1 } };
    expect((await ask("openai", message)).messages).toEqual((await ask("openai", whole)).messages);
    expect(codesOf(await ask("openai", { tool_calls: [oslo] }))).toEqual(["ok"]);
  });

  it("may call by function_call, as services did before there were several calls", async () => {
    const call = { name: "get_weather", arguments: '{"location":"Oslo"}' };
    const { messages, done, warnings } = await ask("openai", { role: "assistant", content: null, function_call: call });
    expect(messages).toEqual([
      { role: "function", name: "get_weather", content: '{"location":"Oslo","temperature":12}' },
    ]);
    expect({ done, warnings }).toEqual({ done: false, warnings: [] });
  });

  it("ends the loop where it calls nothing, whatever its reason says", async () => {
    for (const message of [
      { role: "assistant", content: "Hi" },
      messageOf(),
      { role: "assistant", content: null, tool_calls: null },
    ]) {
      for (const reason of ["stop", "tool_calls", "content_filter"]) {
        const { messages, results, done, resume } = await ask("openai", completionOf(message, reason));
        expect({ messages, results, done, resume }).toEqual({
          messages: [],
          results: [],
          done: true,
          resume: undefined,
        });
      }
    }
  });

  it("bug 34: runs calls where the finish reason is stop", async () => {
    expect(await ask("openai", completionOf(messageOf(oslo), "stop"))).toMatchObject({
      done: false,
      results: [{ status: "ok" }],
    });
  });

  it("runs none of the calls of a turn that was cut off, and answers each", async () => {
    let runs = 0;
    const tools = [{ name: "now", execute: () => ++runs }];
    const reply = completionOf(messageOf(now, callOf("call_c", "now", '{"a":"he')), "length");
    const answer = await ask("openai", reply, { tools });
    expect({ runs, codes: codesOf(answer), done: answer.done }).toEqual({
      runs: 0,
      codes: ["invalid_arguments", "invalid_arguments"],
      done: false,
    });
    expect(answer.messages.map((message) => message["tool_call_id"])).toEqual(["call_b", "call_c"]);
    expect(answer.messages[0]?.["content"]).toMatch(/"ran":"no"/);
    expect(answer.messages[0]?.["content"]).toMatch(/cut off/);
    expect(answer.warnings).toHaveLength(1);
  });

  it("tells what there is to say of a reply without calls", async () => {
    const refused = await ask("openai", completionOf({ role: "assistant", content: null, refusal: "No." }, "stop"));
    expect(refused).toMatchObject({
      done: true,
      warnings: [{ call: null, message: expect.stringMatching(/refused/) }],
    });
    const none = await ask("openai", { choices: [] });
    expect(none).toMatchObject({ done: true, warnings: [{ call: null }] });
    const cut = await ask("openai", completionOf({ role: "assistant", content: "Once upon" }, "length"));
    expect(cut).toMatchObject({ done: true, warnings: [{ call: null, message: expect.stringMatching(/cut off/) }] });
  });

  it("takes the first of several choices, and says so", async () => {
    const reply = { choices: [...completionOf(messageOf(oslo)).choices, ...completionOf(messageOf(now)).choices] };
    const { messages, warnings } = await ask("openai", reply);
    expect(messages).toHaveLength(1);
    expect(warnings).toEqual([{ call: null, message: expect.stringContaining("2 choices") }]);
  });

  it.each([
    [{ error: { message: "Rate limit reached", code: 429 } }],
    [{}],
    [[]],
    [null],
    ["5"],
    [{ choices: {} }],
    [{ choices: [{}] }],
    [{ choices: [null] }],
    [{ choices: [{ message: "hi" }] }],
    [{ choices: [{ message: { role: "user", content: "hi" } }] }],
    [{ role: "user", content: "hi" }],
    [{ role: "model", parts: [] }],
    [{ type: "message", role: "assistant", content: [], stop_reason: "end_turn" }],
    [{ role: "assistant", content: [{ type: "tool_use", id: "t", name: "now", input: {} }] }],
    [{ object: "response", output: [] }],
    [{ calls: [] }],
  ])("is not what %j is", async (body) => {
    expect(await refusalOf("openai", body)).toMatch(/chat completion/);
  });
});

it("an error of the provider is called so", async () => {
  expect(await refusalOf("openai", { error: { message: "Rate limit reached" } })).toMatch(/an error, not a reply/);
});

describe("arguments as text", () => {
  const codeOf = async (args: unknown, name = "echo") =>
    codesOf(await ask("openai", messageOf(callOf("a", name, args))));

  it.each(["", "  ", "\n\t", "{}", undefined])("bug 20, B14: %j is a call without arguments", async (args) => {
    const { results } = await ask("openai", messageOf(callOf("a", "echo", args)));
    expect(results).toMatchObject([{ status: "ok", result: {} }]);
  });

  it.each([
    "null",
    "[]",
    "{bad",
    '{"q"',
    '{"a":1}{"b":2}',
    "5",
    '"text"',
    '""',
    "true",
    "[1",
    `{"a":${"[".repeat(70)}${"]".repeat(70)}}`,
  ])("B14: %j is refused, and the tool is not run", async (args) => {
    let runs = 0;
    const tools = [{ name: "echo", execute: () => ++runs }];
    const answer = await ask("openai", messageOf(callOf("a", "echo", args), callOf("b", "echo", "{}")), { tools });
    expect({ codes: codesOf(answer), runs }).toEqual({ codes: ["invalid_arguments", "ok"], runs: 1 });
    expect(answer.results[0]?.error?.ran).toBe("no");
  });

  it("B14: JSON that was encoded twice is unwrapped, with a warning and a repair", async () => {
    const twice = JSON.stringify(JSON.stringify({ location: "Oslo" }));
    const { results, warnings } = await ask("openai", messageOf(callOf("a", "get_weather", twice)));
    expect(results).toMatchObject([{ status: "ok", repairs: [{ path: "", kind: "parsed_json" }] }]);
    expect(warnings).toEqual([{ call: 0, message: expect.stringContaining("twice") }]);
  });

  it("that were unwrapped may need more mending, which is told after it", async () => {
    const twice = JSON.stringify(JSON.stringify({ limit: "5" }));
    const { results } = await ask("openai", messageOf(callOf("a", "echo", twice), callOf("b", "get_weather", twice)));
    const first = { path: "", kind: "parsed_json" };
    expect(results).toMatchObject([
      { result: { limit: 5 }, repairs: [first, { path: "/limit", kind: "parsed_json" }] },
      { error: { code: "invalid_arguments" }, repairs: [first] },
    ]);
  });

  it("that would lose something in silence fail their own call, wherever they are in the reply", async () => {
    const bad = ['{"limit":9007199254740993}', '{"limit":1,"limit":2}', '{"limit":1e999}', '{"__proto__":1}'];
    const answer = await ask("openai", messageOf(...bad.map((args, index) => callOf(`c${index}`, "echo", args)), now));
    expect(codesOf(answer)).toEqual([...bad.map(() => "invalid_arguments"), "ok"]);
    expect(answer.results[0]?.error?.issues).toMatchObject([{ path: "/limit", keyword: "json" }]);
  });

  it("as an object are taken from services that send them so, strictly where they are", async () => {
    expect(await codeOf({ limit: 1 })).toEqual(["ok"]);
    expect(await codeOf([])).toEqual(["invalid_arguments"]);
    expect(await codeOf(null)).toEqual(["ok"]);
    expect(await codeOf(5)).toEqual(["invalid_arguments"]);
    const call = (args: string) => `{"id":"a","function":{"name":"echo","arguments":${args}}}`;
    const text = `{"x":1e999,"x":1,"role":"assistant","tool_calls":[${['{"limit":9007199254740993}', '{"limit":7}', '{"limit":1,"limit":1}'].map(call).join(" , ")}]}`;
    const answer = await ask("openai", text);
    expect(codesOf(answer)).toEqual(["invalid_arguments", "ok", "invalid_arguments"]);
    expect(answer.results[1]?.result).toEqual({ limit: 7 });
  });

  it("are repaired, and B15: a null for an optional property is left out and told of", async () => {
    const { results } = await ask(
      "openai",
      messageOf(callOf("a", "echo", '{"limit":"5"}'), callOf("b", "echo", '{"limit":null}')),
    );
    expect(results).toMatchObject([
      { result: { limit: 5 }, repairs: [{ path: "/limit", kind: "parsed_json" }] },
      { result: {}, repairs: [{ path: "/limit", kind: "dropped_null" }] },
    ]);
  });

  it("are not repaired where the operator has forbidden it", async () => {
    const registry = { overrides: { echo: { repair: false } } };
    expect(codesOf(await ask("openai", messageOf(callOf("a", "echo", '{"limit":"5"}')), { registry }))).toEqual([
      "invalid_arguments",
    ]);
  });
});

describe("what is wrong with a call", () => {
  it("comes back as its result, and the others run", async () => {
    const calls = [
      callOf("a", "nothing", "{}"),
      callOf("b", "get_weather", '{"place":"Oslo"}'),
      callOf("c", "fail", "{}"),
      now,
    ];
    const answer = await ask("openai", messageOf(...calls));
    expect(codesOf(answer)).toEqual(["unknown_tool", "invalid_arguments", "tool_failed", "ok"]);
    const errors = answer.messages
      .slice(0, 3)
      .map(({ content }) => JSON.parse(content as string) as { error: unknown });
    expect(errors.map(({ error }) => error)).toEqual(answer.results.slice(0, 3).map(({ error }) => error));
    expect(JSON.stringify(answer)).not.toContain("secret");
  });

  it.each([
    null,
    5,
    "x",
    [[]],
    {},
    { id: "a" },
    { id: "a", function: null },
    callOf("a", null, "{}"),
    callOf("a", 5),
    callOf("a", ""),
  ])("%j is answered as a call that names no tool", async (call) => {
    const answer = await ask("openai", messageOf(call, now));
    expect(codesOf(answer)).toEqual(["invalid_arguments", "ok"]);
    expect(answer.messages).toHaveLength(2);
  });

  it("bug 23: a call whose id and name are null takes nothing from the one before", async () => {
    const answer = await ask("openai", messageOf(oslo, callOf(null, null, "{}")));
    expect(codesOf(answer)).toEqual(["ok", "invalid_arguments"]);
    expect(answer.results).toMatchObject([
      { id: "call_a", name: "get_weather" },
      { id: "call_1", name: null },
    ]);
  });

  it("fields that a service writes as null are as good as absent", async () => {
    const call = { ...now, custom: null, index: null };
    expect(codesOf(await ask("openai", { ...messageOf(call), refusal: null, function_call: null }))).toEqual(["ok"]);
  });

  it("custom tools are answered in their own form: there is none here", async () => {
    const answer = await ask("openai", messageOf({ id: "a", type: "custom", custom: { name: "now", input: "x" } }));
    expect(codesOf(answer)).toEqual(["unknown_tool"]);
    expect(answer.messages).toMatchObject([
      { role: "tool", tool_call_id: "a", content: expect.stringContaining("custom") },
    ]);
  });

  it.each([undefined, null, "", 5])("the id %j is made up, with a warning, and meets no other", async (id) => {
    const { messages, results, warnings } = await ask(
      "openai",
      messageOf(callOf(id, "now", ""), callOf("call_0", "now", "")),
    );
    expect(messages.map((message) => message["tool_call_id"])).toEqual(["call_0_", "call_0"]);
    expect(results.map((result) => result.id)).toEqual(["call_0_", "call_0"]);
    expect(warnings).toEqual([{ call: 0, message: expect.stringContaining("call_0_") }]);
  });

  it("bug 21: two calls with one id are two calls, answered in order, with a warning", async () => {
    const calls = ["Oslo", "Bergen"].map((location) => callOf("a", "get_weather", JSON.stringify({ location })));
    const { messages, warnings } = await ask("openai", messageOf(...calls));
    expect(messages.map(({ content }) => (JSON.parse(content as string) as { location: string }).location)).toEqual([
      "Oslo",
      "Bergen",
    ]);
    expect(warnings).toEqual([{ call: 1, message: expect.stringContaining("same id") }]);
  });
});

describe("names that models make up", () => {
  it.each([
    "functions.now",
    "default_api.now",
    "default_api:now",
    " now",
    "now\n\n",
    "now<|channel|>commentary",
    "functions.now<|constrain|>json",
    "functions.now ",
  ])("%j is the tool without what was added to its name", async (name) => {
    const { results, messages } = await ask("openai", messageOf(callOf("a", name, "")));
    expect(results).toMatchObject([{ name: "now", status: "ok" }]);
    expect(messages).toMatchObject([{ content: "noon" }]);
  });

  it("are left alone where the rest is unknown too", async () => {
    expect((await ask("openai", messageOf(callOf("a", "functions.nothing", "")))).results).toMatchObject([
      { name: "functions.nothing", error: { code: "unknown_tool" } },
    ]);
  });

  const uses = [
    { recipient_name: "functions.now", parameters: {} },
    { recipient_name: "get_weather", parameters: '{"location":"Oslo"}' },
    { recipient_name: "functions.nothing", parameters: {} },
    { recipient_name: 5 },
    null,
  ];
  const wrapped = (name: string) => messageOf(callOf("a", name, JSON.stringify({ tool_uses: uses })));

  it.each(["parallel", "multi_tool_use.parallel"])("%s runs what is in it, under ONE id", async (name) => {
    const answer = await ask("openai", wrapped(name));
    expect(codesOf(answer)).toEqual(["ok", "ok", "unknown_tool", "invalid_arguments", "invalid_arguments"]);
    expect(answer.results.map(({ id }) => id)).toEqual(["a", "a", "a", "a", "a"]);
    expect(answer.messages).toHaveLength(1);
    const [first, second, ...errors] = JSON.parse(answer.messages[0]?.["content"] as string) as unknown[];
    expect([first, second]).toEqual(["noon", { location: "Oslo", temperature: 12 }]);
    expect(errors).toEqual(answer.results.slice(2).map(({ error }) => ({ error })));
  });

  it("a wrapper's name is a tool's where there is such a tool", async () => {
    const tools = [...weatherTools, { name: "parallel", execute: () => "mine" }];
    expect((await ask("openai", wrapped("parallel"), { tools })).messages).toMatchObject([{ content: "mine" }]);
  });

  it("a wrapper without its list is an unknown tool", async () => {
    expect(codesOf(await ask("openai", messageOf(callOf("a", "parallel", "{}"))))).toEqual(["unknown_tool"]);
  });
});

describe("echo=true", () => {
  const message =
    '{ "role":"assistant", "content" : "\\u00e9", "n": 1.0, "big":9007199254740993, "tool_calls":[{"id":"a","type":"function","function":{"name":"now","arguments":""}}],\n "extra_content":{"google":{"thought_signature":"c2ln=="}}}';

  it.each([message, `{"choices" : [ {"index":0,"message": ${message} ,"finish_reason":"tool_calls"}]}`])(
    "puts the message first, byte for byte: %s",
    async (text) => {
      const answer = await askText("openai", text, { query: "&echo=true" });
      expect(
        answer.startsWith(`{"messages":[${message},{"role":"tool","tool_call_id":"a","content":"noon"}],"results":`),
      ).toBe(true);
    },
  );

  it("bug 44: keeps what it does not know, and echoes a reply without calls too", async () => {
    const reply = { role: "assistant", content: "Hi", namespace: { a: ["b"] } };
    expect((await ask("openai", reply, { query: "&echo=true" })).messages).toEqual([reply]);
    expect((await ask("openai", { choices: [] }, { query: "&echo=true" })).messages).toEqual([]);
    expect((await ask("openai", reply, { query: "&echo=false" })).messages).toEqual([]);
  });

  it("is the last of a key that stands twice, as JSON.parse has it", async () => {
    const text = '{"choices":[],"choices":[{"message":{"role":"user"},"message":{"role":"assistant","content":"b"}}]}';
    expect(await askText("openai", text, { query: "&echo=true" })).toContain(
      '"messages":[{"role":"assistant","content":"b"}]',
    );
  });
});
