import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { said } from "../conversation/said.ts";
import { createAnthropicAccumulator } from "../../../src/dialects/anthropic/stream.ts";
import { readAnthropicReply } from "../../../src/dialects/anthropic/reply.ts";
import { recordedNames, recordedTurn } from "../recorded/recorded-turn.ts";
import { accumulate } from "../streaming/whole-reply.ts";
import { toAnthropicEvents } from "./events.ts";
import { runs } from "../../runs.ts";

const head = { id: "msg_1", type: "message", role: "assistant", model: "claude", stop_sequence: null };
const start = {
  type: "message_start",
  message: { ...head, content: [], stop_reason: null, usage: { input_tokens: 10, output_tokens: 1 } },
};
const stop = { type: "message_stop" };
const ping = { type: "ping" };
const open = (index: number, block: object) => ({ type: "content_block_start", index, content_block: block });
const delta = (index: number, change: object) => ({ type: "content_block_delta", index, delta: change });
const close = (index: number) => ({ type: "content_block_stop", index });
const json = (index: number, text: string) => delta(index, { type: "input_json_delta", partial_json: text });
const words = (index: number, text: string) => delta(index, { type: "text_delta", text });
const ended = (reason: string, more: object = {}) => ({
  type: "message_delta",
  delta: { stop_reason: reason, stop_sequence: null },
  usage: { output_tokens: 20 },
  ...more,
});
const tool = (id = "toolu_1", more: object = {}) => ({ type: "tool_use", id, name: "weather", input: {}, ...more });

function run(...events: object[]): { reply: Record<string, unknown>; content: unknown; text: string } {
  const { reply, text } = accumulate(createAnthropicAccumulator(), events);
  const whole = reply as Record<string, unknown>;
  return { reply: whole, content: whole["content"], text };
}

function callsOf(reply: unknown) {
  const text = JSON.stringify(reply);
  return readAnthropicReply({ value: JSON.parse(text), text, refusals: [] }).calls;
}

describe("a streamed reply of Anthropic", () => {
  it("is the message that would have come whole", () => {
    const { reply, text } = run(
      start,
      open(0, { type: "text", text: "" }),
      words(0, "Hel"),
      words(0, "lo"),
      close(0),
      ended("end_turn"),
      stop,
    );
    expect(text).toBe("Hello");
    expect(reply).toEqual({
      ...head,
      content: [{ type: "text", text: "Hello" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 10, output_tokens: 20 },
    });
  });

  it("keeps blocks by their index, however they interleave and wherever a ping comes", () => {
    const { content, text } = run(
      ping,
      start,
      ping,
      open(1, tool()),
      open(0, { type: "text", text: "" }),
      json(1, '{"city":'),
      words(0, "a"),
      ping,
      json(1, '"Oslo"}'),
      words(0, "b"),
      close(1),
      close(0),
      ended("tool_use"),
      ping,
      stop,
    );
    expect(text).toBe("ab");
    expect(content).toEqual([{ type: "text", text: "ab" }, tool("toolu_1", { input: { city: "Oslo" } })]);
  });

  it("begins once where message_start comes twice", () => {
    const { content, reply } = run(
      start,
      open(0, { type: "text", text: "a" }),
      start,
      words(0, "b"),
      close(0),
      ended("end_turn"),
      stop,
    );
    expect(content).toEqual([{ type: "text", text: "ab" }]);
    expect(reply["usage"]).toEqual({ input_tokens: 10, output_tokens: 20 });
  });

  it("holds what message_start held already", () => {
    const given = [
      { type: "code_execution_tool_result", tool_use_id: "s1", content: {} },
      tool("toolu_9", { input: { id: "c1" } }),
    ];
    const message = { ...head, content: given, stop_reason: "tool_use", container: { id: "c" }, usage: {} };
    expect(run({ type: "message_start", message }, stop).reply).toEqual(message);
  });

  it.each([
    ["one empty delta", [json(0, "")]],
    ["none", []],
  ])("has a call without arguments: %s", (_name, deltas) => {
    const { reply, content } = run(start, open(0, tool()), ...deltas, close(0), ended("tool_use"), stop);
    expect(content).toEqual([tool()]);
    expect(callsOf(reply)[0]).toMatchObject({ arguments: {}, refusal: undefined });
  });

  it("keeps an input that the block started with, where no delta follows", () => {
    const block = tool("toolu_1", { input: { city: "Oslo" }, caller: { type: "direct" } });
    expect(run(start, open(0, block), close(0), ended("tool_use"), stop).content).toEqual([block]);
  });

  it.each(["I think", ""])("keeps a thought %j with its signature", (thinking) => {
    const thoughts =
      thinking === ""
        ? []
        : [
            delta(0, { type: "thinking_delta", thinking: "I " }),
            delta(0, { type: "thinking_delta", thinking: "think" }),
          ];
    const { content, text } = run(
      start,
      open(0, { type: "thinking", thinking: "", signature: "" }),
      ...thoughts,
      delta(0, { type: "signature_delta", signature: "c2ln" }),
      close(0),
      ended("end_turn"),
      stop,
    );
    expect(content).toEqual([{ type: "thinking", thinking, signature: "c2ln" }]);
    expect(text).toBe("");
  });

  it("keeps whole what comes whole: redacted thoughts, results of the server's tools, blocks nobody knows yet", () => {
    const blocks = [
      { type: "redacted_thinking", data: "xyz" },
      { type: "web_search_tool_result", tool_use_id: "srv_1", content: [{ type: "web_search_result", url: "u" }] },
      { type: "fallback", from: { model: "a" }, to: { model: "b" } },
    ];
    const events = blocks.flatMap((block, index) => [open(index, block), close(index)]);
    expect(run(start, ...events, ended("end_turn"), stop).content).toEqual(blocks);
  });

  it("collects citations", () => {
    const { content } = run(
      start,
      open(0, { type: "text", text: "", citations: [] }),
      delta(0, { type: "citations_delta", citation: { n: 1 } }),
      words(0, "a"),
      delta(0, { type: "citations_delta", citation: { n: 2 } }),
      close(0),
      ended("end_turn"),
      stop,
    );
    expect(content).toEqual([{ type: "text", text: "a", citations: [{ n: 1 }, { n: 2 }] }]);
  });

  it("takes a compaction from the delta that brings it", () => {
    const { content } = run(
      start,
      open(0, { type: "compaction", content: null }),
      delta(0, { type: "compaction_delta", content: "short", encrypted_content: "e" }),
      close(0),
      ended("end_turn"),
      stop,
    );
    expect(content).toEqual([{ type: "compaction", content: "short", encrypted_content: "e" }]);
  });

  it("has a server tool's input, which streams as any other, and makes no call of it", () => {
    const server = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };
    const { content, reply } = run(
      start,
      open(0, server),
      json(0, '{"query"'),
      json(0, ':"x"}'),
      close(0),
      ended("pause_turn"),
      stop,
    );
    expect(content).toEqual([{ ...server, input: { query: "x" } }]);
    expect(callsOf(reply)).toEqual([]);
  });

  it.each(['{"city":"Os', '{"a":1}{"a":2}', "not json", '{"a":1,"a":2}'])(
    "makes no call of input that is no JSON without loss: %s",
    (input) => {
      const { reply } = run(start, open(0, tool()), json(0, input), close(0), ended("tool_use"), stop);
      const [call] = callsOf(reply);
      expect(call).toMatchObject({ id: "toolu_1", name: "weather", arguments: undefined });
      expect(call?.refusal).toMatchObject({ code: "invalid_arguments" });
    },
  );

  it("is a truncated turn at max_tokens: no call of it runs", () => {
    const { reply } = run(start, open(0, tool()), json(0, '{"city":"Os'), close(0), ended("max_tokens"), stop);
    expect(callsOf(reply)[0]?.refusal?.message).toContain("cut off");
    expect(said("anthropic", reply).finish).toBe("length");
  });

  it("merges the usage at its end over that of its start, where null says nothing", () => {
    const usage = { input_tokens: null, cache_read_input_tokens: 5, output_tokens: 9 };
    const { reply } = run(start, ended("end_turn", { usage }), stop);
    expect(reply["usage"]).toEqual({ input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 9 });
  });

  it("keeps the container, context_management and fields nobody knows yet", () => {
    const { reply } = run(
      start,
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", container: { id: "c" }, stop_details: null },
        context_management: { applied_edits: [] },
        news: 1,
        usage: {},
      },
      stop,
    );
    expect(reply).toMatchObject({
      type: "message",
      container: { id: "c" },
      context_management: { applied_edits: [] },
      news: 1,
      stop_details: null,
    });
  });

  it("throws what the provider says in the middle", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(() => run(start, error)).toThrow(
      expect.objectContaining({
        name: "StreamError",
        message: expect.stringContaining("Overloaded (overloaded_error)"),
      }),
    );
  });

  it.each([
    ["before anything came", []],
    ["before its message_stop", [start, open(0, { type: "text", text: "a" }), close(0), ended("end_turn")]],
    ["with a block that never began", [start, words(3, "a"), stop]],
  ])("is a StreamError where it ends %s", (_name, events) => {
    expect(() => run(...events)).toThrow(expect.objectContaining({ name: "StreamError" }));
  });

  it("passes over what is no event", () => {
    const accumulator = createAnthropicAccumulator();
    expect([null, 1, "x", [], {}, { type: "news" }].map((event) => accumulator.add(event)).join("")).toBe("");
  });

  it("changes no event, which others may hold too", () => {
    const events = [start, open(0, tool()), json(0, "{}"), close(0), ended("tool_use"), stop];
    const before = structuredClone(events);
    run(...events);
    expect(events).toEqual(before);
  });

  it.each(recordedNames("anthropic"))("equals the recorded turn %s, however it is cut", (name) => {
    const whole = recordedTurn("anthropic", name);
    fc.assert(
      fc.property(toAnthropicEvents(whole), (events) => {
        const { reply, text } = accumulate(createAnthropicAccumulator(), events);
        expect(reply).toEqual(whole);
        expect(text).toBe(said("anthropic", whole).text);
      }),
      { numRuns: runs(50) },
    );
  });

  it("equals any reply that is cut into events in any legal way", () => {
    const input = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
      .filter((value) => !JSON.stringify(value).includes("__proto__") && !/\d{16}|e\+/.test(JSON.stringify(value)))
      // JSON has no -0.
      .map((value): unknown => JSON.parse(JSON.stringify(value)));
    const text = fc.string({ unit: "grapheme" });
    const block = fc.oneof(
      fc.record({ type: fc.constant("text"), text }),
      fc.record({
        type: fc.constant("text"),
        text,
        citations: fc.array(fc.record({ type: fc.constant("page"), n: fc.nat() }), { minLength: 1 }),
      }),
      fc.record({ type: fc.constant("thinking"), thinking: text, signature: fc.base64String() }),
      fc.record({ type: fc.constant("redacted_thinking"), data: fc.base64String() }),
      fc.record({ type: fc.constantFrom("tool_use", "server_tool_use"), id: fc.uuid(), name: fc.constant("t"), input }),
    );
    const message = fc.record({
      id: fc.uuid(),
      type: fc.constant("message"),
      role: fc.constant("assistant"),
      content: fc.array(block, { maxLength: 5 }),
      stop_reason: fc.constantFrom("end_turn", "tool_use", "max_tokens"),
      usage: fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat() }),
    });
    fc.assert(
      fc.property(
        message.chain((whole) => toAnthropicEvents(whole).map((events) => ({ whole, events }))),
        ({ whole, events }) => {
          expect(accumulate(createAnthropicAccumulator(), events).reply).toEqual(whole);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

describe("blocks that begin at one index", () => {
  const signed = { type: "thinking", thinking: "Hm.", signature: "SIG" };
  const use = tool("toolu_2", { input: { city: "Oslo" } });

  it("are all kept, and deltas find theirs by what they bring", () => {
    const { content, text } = run(
      start,
      open(0, { type: "thinking", thinking: "", signature: "" }),
      open(0, { type: "text", text: "" }),
      delta(0, { type: "thinking_delta", thinking: "Hm." }),
      words(0, "Hello"),
      delta(0, { type: "signature_delta", signature: "SIG" }),
      open(0, tool("toolu_2")),
      json(0, '{"city":'),
      json(0, '"Oslo"}'),
      open(0, tool("toolu_3")),
      json(0, "{}"),
      ended("tool_use"),
      stop,
    );
    expect(content).toEqual([signed, { type: "text", text: "Hello" }, use, tool("toolu_3")]);
    expect(text).toBe("Hello");
  });

  it("are all kept if each has ended before the next", () => {
    const { content } = run(
      start,
      open(0, tool("a")),
      close(0),
      open(0, tool("b")),
      json(0, "{}"),
      ended("tool_use"),
      stop,
    );
    expect(content).toEqual([tool("a"), tool("b")]);
  });

  it("are an error if the input of a call may still come: it could be run with that of another", () => {
    expect(() => run(start, open(0, tool("a")), open(0, tool("b")), json(0, "{}"))).toThrow(
      /before the end of the first block/,
    );
    expect(() => run(start, open(0, tool("a")), json(0, '{"city"'), open(0, { type: "text", text: "" }))).toThrow(
      /before the end of the first block/,
    );
  });

  const input = json(0, '{"x":1}');
  it.each<[string, readonly object[]]>([
    ["behind its input", [open(0, tool()), input, open(0, tool()), close(0)]],
    ["behind its end", [open(0, tool()), close(0), open(0, tool()), input, close(0)]],
    ["with its input", [open(0, tool()), input, open(0, tool("toolu_1", { input: { x: 1 } })), close(0)]],
    ["with all that follows", [open(0, tool()), input, close(0), open(0, tool()), input, close(0)]],
    ["by message_start", [open(0, tool("toolu_1", { input: { x: 1 } })), open(0, tool()), input, close(0)]],
  ])("are one call if it is told again %s", (_when, events) => {
    const { reply } = run(start, ...events, ended("tool_use"), stop);
    expect(callsOf(reply)).toMatchObject([{ id: "toolu_1", arguments: { x: 1 }, refusal: undefined }]);
  });

  it("are one call, which is refused, if it is told again with another input", () => {
    const again = [open(0, tool("toolu_1", { input: { x: 1 } })), open(0, tool("toolu_1", { input: { x: 2 } }))];
    const { reply } = run(start, ...again, open(0, tool("toolu_1", { input: { x: 1 } })), ended("tool_use"), stop);
    expect(callsOf(reply)).toMatchObject([{ refusal: { code: "invalid_arguments" } }]);
  });

  it("are one thought if its beginning is told twice", () => {
    const thought = { type: "thinking", thinking: "", signature: "" };
    const pieces = [
      delta(0, { type: "thinking_delta", thinking: "Hm" }),
      delta(0, { type: "signature_delta", signature: "S" }),
    ];
    const { content } = run(start, open(0, thought), open(0, thought), ...pieces, close(0), ended("end_turn"), stop);
    expect(content).toEqual([{ type: "thinking", thinking: "Hm", signature: "S" }]);
  });

  it("are one if a call's beginning is told twice", () => {
    const { content } = run(start, open(0, tool()), open(0, tool()), json(0, "{}"), close(0), ended("tool_use"), stop);
    expect(content).toEqual([tool()]);
  });
});

describe("deltas of loose services", () => {
  it("take no signature away if they are empty", () => {
    const signed = ["S", ""].map((signature) => delta(0, { type: "signature_delta", signature }));
    const thought = open(0, { type: "thinking", thinking: "Hm" });
    const { content } = run(start, thought, ...signed, close(0), ended("end_turn"), stop);
    expect(content).toEqual([{ type: "thinking", thinking: "Hm", signature: "S" }]);
  });

  it("take no reason to stop away if it is empty", () => {
    expect(run(start, ended("max_tokens"), ended(""), stop).reply["stop_reason"]).toBe("max_tokens");
  });

  it("have a block of their own if the one of their index is of another type", () => {
    const thought = [
      delta(0, { type: "thinking_delta", thinking: "Hm" }),
      delta(0, { type: "signature_delta", signature: "S" }),
    ];
    const said = [open(0, { type: "text", text: "" }), ...thought, words(0, "Hi"), close(0)];
    const called = [open(1, tool()), words(1, "So"), json(1, '{"x":1}'), close(1)];
    expect(run(start, ...said, ...called, ended("tool_use"), stop).content).toEqual([
      { type: "thinking", thinking: "Hm", signature: "S" },
      { type: "text", text: "Hi" },
      tool("toolu_1", { input: { x: 1 } }),
      { type: "text", text: "So" },
    ]);
  });

  it("are an error if they bring the input of a call that never began", () => {
    const events = [start, open(0, { type: "text", text: "" }), words(0, "Hi"), json(0, '{"x":1}')];
    expect(() => run(...events, close(0), ended("tool_use"), stop)).toThrow("a call that never started");
  });

  it("may bring the input as an object", () => {
    const { content } = run(
      start,
      open(0, tool()),
      delta(0, { type: "input_json_delta", partial_json: { x: 1 } }),
      stop,
    );
    expect(content).toEqual([tool("toolu_1", { input: { x: 1 } })]);
  });
});

describe("an input that is told more than once", () => {
  const end = [close(0), ended("tool_use"), stop];
  const oslo = { city: "Oslo" };
  const written = JSON.stringify(oslo);

  it.each<[string, object, readonly string[]]>([
    ["in pieces and as a whole", {}, ['{"city":', '"Oslo"}', written]],
    ["with all that came before in each piece", {}, ['{"city"', '{"city":"Os', written]],
    ["at the beginning and in pieces", oslo, ['{"city":', '"Oslo"}']],
    ["behind an empty one", {}, ["{}", written]],
  ])("is read once: %s", (_, input, pieces) => {
    const { reply } = run(start, open(0, tool("a", { input })), ...pieces.map((piece) => json(0, piece)), ...end);
    expect(callsOf(reply)).toMatchObject([{ arguments: oslo, refusal: undefined }]);
  });

  it("is refused if it differs", () => {
    for (const input of [{}, { city: "Lima" }]) {
      const pieces = [...(input.city === undefined ? ['{"city":"Lima"}'] : []), written];
      const { reply } = run(start, open(0, tool("a", { input })), ...pieces.map((piece) => json(0, piece)), ...end);
      expect(callsOf(reply)).toMatchObject([{ refusal: { code: "invalid_arguments" } }]);
    }
  });
});
