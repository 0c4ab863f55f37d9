import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readOpenAiReply } from "../../../src/dialects/openai/reply.ts";
import { StreamError } from "../../../src/dialects/streaming/accumulator.ts";
import { createOpenAiAccumulator } from "../../../src/dialects/openai/stream.ts";
import { cut, interleave, numbers } from "../streaming/cuts.ts";

interface Completion {
  readonly choices: readonly [{ readonly message: Record<string, unknown>; readonly finish_reason: unknown }];
}

const deltaChunk = (delta: unknown, finish: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const begin = (index: unknown, id: unknown, name: unknown, args: unknown = "") => ({
  index,
  id,
  type: "function",
  function: { name, arguments: args },
});
const more = (index: unknown, args: unknown) => ({ index, function: { arguments: args } });
const callOf = (id: string | undefined, name: string, args: string) => ({
  ...(id !== undefined && { id }),
  type: "function",
  function: { name, arguments: args },
});

function run(chunks: readonly unknown[]) {
  const accumulator = createOpenAiAccumulator();
  const text = chunks.map((chunk) => accumulator.add(chunk)).join("");
  return { text, reply: accumulator.end() as Completion };
}

/** The reply of deltas, between a first that tells the role and a last that tells the end. */
function replyOf(deltas: readonly unknown[], finish: string | null = "tool_calls") {
  const first = deltaChunk({ role: "assistant", content: null });
  return run([first, ...deltas.map((delta) => deltaChunk(delta)), deltaChunk({}, finish)]).reply.choices[0];
}

/** Its calls where each fragment has a chunk of its own. */
function callsOf(...fragments: unknown[]): unknown {
  return replyOf(fragments.map((fragment) => ({ tool_calls: [fragment] }))).message["tool_calls"];
}

describe("a stream of OpenAI Chat Completions", () => {
  it("comes to the completion that is answered without streaming", () => {
    const { text, reply } = run([
      deltaChunk({ role: "assistant", content: "", refusal: null }),
      deltaChunk({ content: "Hel" }),
      deltaChunk({ content: "lo" }),
      deltaChunk({}, "stop"),
    ]);
    expect(text).toBe("Hello");
    expect(reply).toEqual({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "gpt",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello", refusal: null }, finish_reason: "stop" }],
    });
  });

  it("takes the usage from a chunk without choices", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    const chunks = [
      { ...deltaChunk({ role: "assistant", content: "Hi" }), usage: null },
      deltaChunk({}, "stop"),
      { id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], usage },
    ];
    expect(run([...chunks, { choices: [], usage: null }]).reply).toMatchObject({
      usage,
      choices: [{ message: { content: "Hi" } }],
    });
  });

  it("needs no role in its first chunk", () => {
    expect(run([deltaChunk({ content: "Hi" }), deltaChunk({}, "stop")]).reply.choices[0].message).toEqual({
      role: "assistant",
      content: "Hi",
    });
  });

  it("takes a role that each chunk repeats as one", () => {
    const chunks = ["a", "b"].map((content) => deltaChunk({ role: "assistant", content }));
    expect(run([...chunks, deltaChunk({}, "stop")]).reply.choices[0].message).toEqual({
      role: "assistant",
      content: "ab",
    });
  });

  it("has content null where it holds calls alone, said or not", () => {
    const call = { tool_calls: [begin(0, "call_a", "now", "{}")] };
    expect(replyOf([call]).message["content"]).toBeNull();
    expect(run([deltaChunk(call, "tool_calls")]).reply.choices[0].message["content"]).toBeNull();
  });

  it("keeps text that a later null stands beside", () => {
    expect(replyOf([{ content: "Hi" }, { content: null }, { content: "!" }], "stop").message["content"]).toBe("Hi!");
  });

  it("keeps refusal, reasoning and other vendors' keys, and shows the user the refusal alone", () => {
    const chunks = [
      deltaChunk({ reasoning_content: "Let me ", refusal: "I can" }),
      deltaChunk({ reasoning_content: "think.", refusal: "not.", extra_content: { google: { thought: true } } }),
      deltaChunk({ extra_content: { google: { thought_signature: "c2ln" } }, annotations: [{ type: "url_citation" }] }),
      deltaChunk({ annotations: [{ type: "other" }] }, "stop"),
    ];
    const { text, reply } = run(chunks);
    expect(text).toBe("I cannot.");
    expect(reply.choices[0].message).toEqual({
      role: "assistant",
      content: null,
      reasoning_content: "Let me think.",
      refusal: "I cannot.",
      extra_content: { google: { thought: true, thought_signature: "c2ln" } },
      annotations: [{ type: "url_citation" }, { type: "other" }],
    });
  });

  it("shows the text of content that comes in parts, and not its thoughts", () => {
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "Hm." }] };
    const chunks = [
      deltaChunk({ content: [thinking] }),
      deltaChunk({ content: [{ type: "text", text: "Hi" }] }),
      deltaChunk({ content: "!" }, "stop"),
    ];
    const { text, reply } = run(chunks);
    expect(text).toBe("Hi!");
    expect(reply.choices[0].message["content"]).toEqual([
      thinking,
      { type: "text", text: "Hi" },
      { type: "text", text: "!" },
    ]);
  });

  it("keeps all choices, and streams the text of the first alone", () => {
    const chunkOf = (index: number, content: string, finish: string | null = null) => ({
      choices: [{ index, delta: { role: "assistant", content }, finish_reason: finish }],
    });
    const { text, reply } = run([chunkOf(0, "a"), chunkOf(1, "x"), chunkOf(0, "b", "stop"), chunkOf(1, "y", "stop")]);
    expect(text).toBe("ab");
    expect(reply.choices.map(({ message }) => message["content"])).toEqual(["ab", "xy"]);
    expect(run([chunkOf(1, "y"), chunkOf(0, "a", "stop")]).reply.choices[0].message["content"]).toBe("a");
  });

  it("joins the lists of log probabilities", () => {
    const chunkOf = (token: string) => ({
      choices: [{ delta: { content: token }, logprobs: { content: [{ token }] } }],
    });
    expect(run([chunkOf("a"), chunkOf("b"), deltaChunk({}, "stop")]).reply.choices[0]).toMatchObject({
      logprobs: { content: [{ token: "a" }, { token: "b" }] },
    });
  });

  it("passes over what is no chunk", () => {
    const odd = [null, "ping", [], {}, { choices: null }, { choices: [null, 1, {}] }, { choices: [{ delta: "x" }] }];
    const calls = deltaChunk({ tool_calls: [null, "x"] });
    expect(run([...odd, calls, deltaChunk({ content: "Hi" }, "stop")]).text).toBe("Hi");
  });

  it("changes no chunk that it was given", () => {
    const details = [{ type: "reasoning.text", text: "a" }];
    const extra = { extra_content: { google: { a: 1 } }, reasoning_details: details };
    const chunk = deltaChunk({ ...extra, content: "a", tool_calls: [{ ...begin(0, "a", "f"), ...extra }] });
    const copy = structuredClone(chunk);
    run([chunk, deltaChunk({ extra_content: { google: { b: 2 } } }), chunk, deltaChunk({}, "stop")]);
    expect(chunk).toEqual(copy);
  });

  it("takes keys that objects inherit as any others, and sets no prototype", () => {
    const hostile = JSON.parse('{"__proto__":{"role":"user"},"toString":["a"]}') as object;
    const { message } = run([deltaChunk({ extra: { a: 1 } }), deltaChunk({ extra: hostile }, "stop")]).reply.choices[0];
    expect(message["extra"]).toEqual({ a: 1, toString: ["a"] });
    expect(Object.getPrototypeOf(message["extra"])).toBe(Object.prototype);
  });
});

describe("the calls of a streamed chat completion", () => {
  it("are put together by their index, however their fragments interleave", () => {
    expect(
      callsOf(
        begin(0, "call_a", "f"),
        begin(1, "call_b", "g"),
        more(0, '{"x"'),
        more(1, '{"y"'),
        more(0, ":1}"),
        more(1, ":2}"),
      ),
    ).toEqual([callOf("call_a", "f", '{"x":1}'), callOf("call_b", "g", '{"y":2}')]);
  });

  it("may share a chunk", () => {
    const delta = { tool_calls: [begin(0, "call_a", "f", "{}"), begin(1, "call_b", "g", "{}")] };
    expect(replyOf([delta]).message["tool_calls"]).toEqual([callOf("call_a", "f", "{}"), callOf("call_b", "g", "{}")]);
  });

  it("have no holes where indexes are sparse or start at 1, and are in the order of these", () => {
    expect(callsOf(begin(7, "call_b", "g", "{}"), begin(1, "call_a", "f", "{}"))).toEqual([
      callOf("call_a", "f", "{}"),
      callOf("call_b", "g", "{}"),
    ]);
  });

  it("are two where one index comes with two ids", () => {
    expect(callsOf(begin(0, "call_a", "f", '{"x":1}'), begin(0, "call_b", "f", '{"x"'), more(0, ":2}"))).toEqual([
      callOf("call_a", "f", '{"x":1}'),
      callOf("call_b", "f", '{"x":2}'),
    ]);
  });

  it("are told apart by their ids where these alternate at one index", () => {
    const fragment = (id: string, args: string) => ({ index: 0, id, function: { name: "f", arguments: args } });
    expect(callsOf(fragment("a", '{"x"'), fragment("b", '{"y"'), fragment("a", ":1}"), fragment("b", ":2}"))).toEqual([
      callOf("a", "f", '{"x":1}'),
      callOf("b", "f", '{"y":2}'),
    ]);
  });

  it("are one where an id is repeated in each fragment", () => {
    expect(callsOf(begin(0, "a", "f", '{"x"'), begin(0, "a", "f", ":1}"))).toEqual([callOf("a", "f", '{"x":1}')]);
  });

  it("keep id and name where a later fragment has null or nothing in their place", () => {
    expect(callsOf(begin(0, "a", "f"), begin(0, null, null, '{"x"'), begin(0, "", "", ":1}"))).toEqual([
      callOf("a", "f", '{"x":1}'),
    ]);
  });

  it("are given their name late, or id late, and type by no one", () => {
    const named = { index: 0, function: { name: "f", arguments: "1}" } };
    expect(callsOf(more(0, '{"x":'), named, { index: 0, id: "a" })).toEqual([callOf("a", "f", '{"x":1}')]);
  });

  it("have a name that each fragment repeats once", () => {
    expect(callsOf(begin(0, "a", "get", '{"x"'), { index: 0, function: { name: "get", arguments: ":1}" } })).toEqual([
      callOf("a", "get", '{"x":1}'),
    ]);
  });

  it("without an id are left so: the reader makes one", () => {
    const { reply } = run([
      deltaChunk({ tool_calls: [begin(0, null, "f", "{}"), begin(1, undefined, "g", "{}")] }, "stop"),
    ]);
    expect(reply.choices[0].message["tool_calls"]).toEqual([
      callOf(undefined, "f", "{}"),
      callOf(undefined, "g", "{}"),
    ]);
    const read = readOpenAiReply({ text: JSON.stringify(reply), value: reply, refusals: [] });
    expect(read.calls.map(({ id, name }) => ({ id, name }))).toEqual([
      { id: "call_0", name: "f" },
      { id: "call_1", name: "g" },
    ]);
  });

  it("without an index begin with an id and go on without one", () => {
    const at = undefined;
    expect(callsOf(begin(at, "a", "f", '{"x"'), more(at, ":1}"), begin(at, "b", "g", '{"y"'), more(at, ":2}"))).toEqual(
      [callOf("a", "f", '{"x":1}'), callOf("b", "g", '{"y":2}')],
    );
  });

  it("without an index go on by an id that is known", () => {
    const fragment = (id: string, args: string) => ({ id, function: { name: "f", arguments: args } });
    expect(callsOf(fragment("a", '{"x"'), fragment("b", '{"y"'), fragment("a", ":1}"), fragment("b", ":2}"))).toEqual([
      callOf("a", "f", '{"x":1}'),
      callOf("b", "f", '{"y":2}'),
    ]);
  });

  it("with neither index nor id begin with another name, or where the last call is whole", () => {
    const whole = (name: string, args: string) => ({ function: { name, arguments: args } });
    const expected = ["f", "g", "g"].map((name, x) => callOf(undefined, name, `{"x":${x}}`));
    expect(callsOf(whole("f", '{"x":0}'), whole("g", '{"x":1}'), whole("g", '{"x"'), whole("g", ":2}"))).toEqual(
      expected,
    );
  });

  it("with neither index nor id are two where the first has no arguments", () => {
    const whole = (name: string, args: string) => ({ index: null, id: null, function: { name, arguments: args } });
    expect(callsOf(whole("now", ""), whole("f", "{}"))).toEqual([
      callOf(undefined, "now", ""),
      callOf(undefined, "f", "{}"),
    ]);
  });

  it("without an index on a fragment go on where the last fragment belonged", () => {
    const fragments = [begin(0, "a", "f"), begin(1, "b", "g", "{}"), more(0, '{"x"'), more(undefined, ":1}")];
    expect(callsOf(...fragments)).toEqual([callOf("a", "f", '{"x":1}'), callOf("b", "g", "{}")]);
  });

  it("are two where one index comes with two names and no ids", () => {
    expect(callsOf(begin(0, "", "now"), begin(0, "", "f", "{}"))).toEqual([
      callOf(undefined, "now", ""),
      callOf(undefined, "f", "{}"),
    ]);
  });

  it("are one where a whole call is followed by its name and no more", () => {
    expect(callsOf(begin(0, null, "f", "{}"), begin(0, null, "f", ""))).toEqual([callOf(undefined, "f", "{}")]);
  });

  it("are two where one index comes twice without ids, each time with a whole call", () => {
    expect(callsOf(begin(0, null, "f", '{"x":1}'), begin(0, null, "f", '{"x":2}'))).toEqual([
      callOf(undefined, "f", '{"x":1}'),
      callOf(undefined, "f", '{"x":2}'),
    ]);
  });

  it("have their arguments as text where a server sends an object", () => {
    expect(callsOf(begin(0, "a", "f", { x: 1 }))).toEqual([callOf("a", "f", '{"x":1}')]);
  });

  it('keep empty arguments as ""', () => {
    expect(callsOf(begin(0, "a", "now", ""))).toEqual([callOf("a", "now", "")]);
  });

  it("keep what vendors put beside them", () => {
    const signed = { ...begin(0, "a", "f"), extra_content: { google: { thought_signature: "c2ln" } } };
    expect(callsOf(signed, more(0, "{}"))).toEqual([
      { ...callOf("a", "f", "{}"), extra_content: { google: { thought_signature: "c2ln" } } },
    ]);
  });

  it("may be of custom tools, whose input is text", () => {
    const custom = { index: 0, id: "a", custom: { name: "sql", input: "SEL" } };
    expect(callsOf(custom, { index: 0, custom: { input: "ECT" } })).toEqual([
      { id: "a", type: "custom", custom: { name: "sql", input: "SELECT" } },
    ]);
  });

  it('are kept where the reason to finish is "stop"', () => {
    const { message, finish_reason } = replyOf([{ tool_calls: [begin(0, "a", "f", "{}")] }], "stop");
    expect({ calls: message["tool_calls"], finish_reason }).toEqual({
      calls: [callOf("a", "f", "{}")],
      finish_reason: "stop",
    });
  });

  it("may be of the old kind, one a message", () => {
    const deltas = [{ function_call: { name: "f", arguments: "" } }, { function_call: { arguments: '{"x"' } }];
    expect(replyOf([...deltas, { function_call: { name: "f", arguments: ":1}" } }], "function_call").message).toEqual({
      role: "assistant",
      content: null,
      function_call: { name: "f", arguments: '{"x":1}' },
    });
  });
});

describe("a service that sends whole messages in its stream of OpenAI Chat Completions", () => {
  const call = { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } };
  const other = { id: "b", type: "function", function: { name: "g", arguments: "{}" } };
  const whole = (message: object) => ({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  const message = { role: "assistant", content: "Hi", tool_calls: [call] };

  it("loses nothing of a message that comes alone", () => {
    expect(run([whole(message)])).toMatchObject({ reply: { choices: [{ message }] }, text: "Hi" });
  });

  it("joins messages that are pieces", () => {
    const pieces = ["H", "i"].map((content) => ({ choices: [{ index: 0, message: { role: "assistant", content } }] }));
    const { reply, text } = run([...pieces, whole({ content: null, tool_calls: [call] })]);
    expect([reply, text]).toMatchObject([{ choices: [{ message }] }, "Hi"]);
  });

  it("takes what was streamed once, and the rest from the message at its end", () => {
    const deltas = [{ content: "Hi" }, { tool_calls: [{ index: 0, ...call }] }].map((delta) => deltaChunk(delta));
    const last = whole({ ...message, tool_calls: [{ ...call, id: "z" }, other] });
    const { reply, text } = run([...deltas, last]);
    expect([reply, text]).toMatchObject([
      { choices: [{ message: { content: "Hi", tool_calls: [call, other] } }] },
      "Hi",
    ]);
  });

  it("may write a call without a list around it", () => {
    expect(replyOf([{ tool_calls: { index: 0, ...call } }])).toMatchObject({ message: { tool_calls: [call] } });
  });
});

describe("a stream of OpenAI Chat Completions that breaks off", () => {
  it("throws what the provider says in the middle", () => {
    const accumulator = createOpenAiAccumulator();
    expect(() => accumulator.add({ error: { message: "Overloaded.", code: "server_error" } })).toThrow(
      new StreamError("Overloaded. (server_error)"),
    );
    expect(() => accumulator.add({ error: "gone" })).toThrow(new StreamError("gone"));
  });

  it("throws at its end where nothing came", () => {
    for (const chunks of [[], [{ choices: [] }], [deltaChunk({ role: "assistant", content: "" })]]) {
      expect(() => run(chunks)).toThrow(StreamError);
    }
  });

  it("throws at its end where a call was cut off, and no reason to finish was told", () => {
    const cutOffs = [{ tool_calls: [begin(0, "a", "f", '{"x"')] }, { function_call: { name: "f", arguments: '{"x' } }];
    for (const delta of cutOffs) {
      for (const none of [null, ""]) {
        const chunks = [deltaChunk(delta, none)];
        expect(() => run(chunks)).toThrow(new StreamError("The stream ended in the middle of a call."));
      }
    }
  });

  it("is a reply without a reason to finish where the tokens were counted at the end", () => {
    const counted = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };
    expect(run([deltaChunk({ content: "Hi" }), counted]).reply.choices[0].finish_reason).toBeNull();
    const { message } = run([deltaChunk({ tool_calls: [begin(0, "a", "f", "{}")] }), counted]).reply.choices[0];
    expect(message["tool_calls"]).toEqual([callOf("a", "f", "{}")]);
  });

  it("throws at its end where neither a reason to finish was told nor the tokens were counted", () => {
    for (const delta of [{ content: "Hi" }, { refusal: "No" }, { tool_calls: [begin(0, "a", "f", "{}")] }]) {
      expect(() => run([deltaChunk(delta), { choices: [], usage: null }])).toThrow(
        new StreamError("The stream ended before the reply was complete."),
      );
    }
  });

  it("keeps a call that the length limit cut off: the reply says so itself", () => {
    const { message, finish_reason } = replyOf([{ tool_calls: [begin(0, "a", "f", '{"x"')] }], "length");
    expect(finish_reason).toBe("length");
    expect(message["tool_calls"]).toEqual([callOf("a", "f", '{"x"')]);
  });
});

describe("any chat completion", () => {
  const words = fc.string({ unit: "grapheme", maxLength: 20 });
  const names = fc.string({ minLength: 1, maxLength: 8 });
  const args = fc
    .dictionary(words, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
    .map((value) => JSON.stringify(value));
  const calls = fc.uniqueArray(fc.record({ id: names, name: names, args }), { maxLength: 4, selector: ({ id }) => id });

  it("comes out of its chunks as it went in, wherever it is cut and whatever interleaves", () => {
    const message = fc.record({ content: fc.option(words), reasoning_content: words });
    fc.assert(
      fc.property(message, calls, numbers, numbers, fc.boolean(), (said, made, sizes, picks, isRepeated) => {
        const texts = Object.entries(said).map(([key, text]) =>
          text === null ? [] : cut(text, sizes).map((piece) => ({ [key]: piece })),
        );
        const fragments = made.map(({ id, name, args: text }, index) =>
          cut(text, sizes).map((piece, place) => ({
            tool_calls: [place === 0 || isRepeated ? begin(index, id, name, piece) : more(index, piece)],
          })),
        );
        const deltas = interleave<unknown>([...texts, ...fragments], picks);
        expect(replyOf(deltas, "stop")).toEqual({
          index: 0,
          finish_reason: "stop",
          message: {
            role: "assistant",
            ...said,
            ...(made.length > 0 && { tool_calls: made.map((call) => callOf(call.id, call.name, call.args)) }),
          },
        });
      }),
    );
  });

  it("comes out the same where its calls follow one another without an index, or all at index 0", () => {
    fc.assert(
      fc.property(calls, numbers, fc.constantFrom(undefined, 0), (made, sizes, index) => {
        const fragments = made.flatMap(({ id, name, args: text }) =>
          cut(text, sizes).map((piece, place) => (place === 0 ? begin(index, id, name, piece) : more(index, piece))),
        );
        expect(callsOf(...fragments) ?? []).toEqual(made.map((call) => callOf(call.id, call.name, call.args)));
      }),
    );
  });
});
