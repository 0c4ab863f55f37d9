import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StreamError } from "../../../src/dialects/streaming/accumulator.ts";
import { createOpenAiResponsesAccumulator } from "../../../src/dialects/openai-responses/stream.ts";
import { cut, interleave, numbers } from "../streaming/cuts.ts";

type Item = Record<string, unknown>;

const responseOf = (status: string, output: readonly unknown[] = []) => ({
  id: "resp_1",
  object: "response",
  status,
  output,
});
const created = { type: "response.created", response: responseOf("in_progress") };
const endOf = (status: string, output?: readonly unknown[]) => ({
  type: `response.${status}`,
  response: responseOf(status, output),
});
const added = (output_index: number | undefined, item: Item) => ({
  type: "response.output_item.added",
  output_index,
  item,
});
const done = (output_index: number | undefined, item: Item) => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const argsDelta = (output_index: number | undefined, delta: string, item_id?: string) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  item_id,
  delta,
});
const callOf = (id: string | undefined, call_id: string, name: string, args: string, more: Item = {}) => ({
  type: "function_call",
  ...(id !== undefined && { id }),
  call_id,
  name,
  arguments: args,
  ...more,
});

function run(events: readonly unknown[]) {
  const accumulator = createOpenAiResponsesAccumulator();
  const text = events.map((event) => accumulator.add(event)).join("");
  return { text, reply: accumulator.end() as Item };
}

/** The output of events between the first and a last one that repeats none of it. */
const outputOf = (...events: unknown[]) => run([created, ...events, endOf("completed", [])]).reply["output"];

describe("an output_index that counts something other than items", () => {
  const first = callOf("fc_1", "call_a", "f", '{"city":"Oslo"}');
  const second = callOf("fc_2", "call_b", "g", '{"days":3}');
  const pieces = (call: Item): string[] => String(call["arguments"]).match(/.{1,4}/g) ?? [];
  const argsDone = (output_index: number, call: Item) => ({
    type: "response.function_call_arguments.done",
    output_index,
    arguments: call["arguments"],
  });
  /** What each delta and done event has for an index, from the place of its item, its own and the number before. */
  const counts: Readonly<Record<string, (place: number, piece: number, before: number) => number>> = {
    "all pieces": (_place, _piece, before) => before,
    "the pieces of each item": (_place, piece) => piece,
    "on from the item's place": (place, piece) => place + piece,
    "the calls alone": (place) => place - 1,
    "from one": (place) => place + 1,
  };
  const ends: Readonly<Record<string, (call: Item, place: number, index: number) => unknown[]>> = {
    nothing: () => [],
    "the arguments": (call, _place, index) => [argsDone(index, call)],
    "the item": (call, place) => [done(place, call)],
    "both, counted": (call, _place, index) => [argsDone(index, call), done(index + 1, call)],
  };
  const cases = Object.keys(counts).flatMap((count) => Object.keys(ends).map((end) => [count, end] as const));

  it.each(cases)("%s: each call has its own text, ended by %s", (count, end) => {
    const message = { type: "message", id: "msg_1", role: "assistant", content: [] };
    let before = 0;
    const events = [first, second].flatMap((call, at) => {
      const place = at + 1;
      const deltas = pieces(call).map((delta, piece) => argsDelta(counts[count]!(place, piece, before++), delta));
      const index = counts[count]!(place, deltas.length, before++);
      return [added(place, { ...call, arguments: "" }), ...deltas, ...ends[end]!(call, place, index)];
    });
    const output = outputOf(added(0, message), done(0, message), ...events);
    expect(output).toEqual([message, first, second]);
  });

  it("is not assumed where a call came in whole and another as text alone", () => {
    const events = [added(0, { ...first, arguments: "" }), ...pieces(first).map((piece) => argsDelta(0, piece))];
    const others = pieces(second).map((piece) => argsDelta(1, piece));
    const { reply } = run([created, ...events, ...others, endOf("completed", [first, second])]);
    expect((reply["output"] as unknown[]).slice(0, 2)).toEqual([first, second]);
  });
});

describe("a stream of OpenAI Responses", () => {
  it("comes to the response that its last event holds", () => {
    const message = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hi" }] };
    const usage = { input_tokens: 1, output_tokens: 2 };
    const last = { type: "response.completed", response: { ...responseOf("completed", [message]), usage } };
    expect(run([created, { type: "response.in_progress", response: responseOf("in_progress") }, last]).reply).toEqual({
      ...responseOf("completed", [message]),
      usage,
    });
  });

  it("takes the last event's output where nothing was told done", () => {
    const call = callOf("fc_1", "call_a", "f", '{"x":1}');
    const { reply } = run([created, added(0, { ...call, arguments: "" }), endOf("completed", [call])]);
    expect(reply["output"]).toEqual([call]);
  });

  it("takes what was streamed where the last event's output is empty or absent", () => {
    const call = callOf("fc_1", "call_a", "f", '{"x":1}');
    const events = [created, added(0, { ...call, arguments: "" }), done(0, call)];
    expect(run([...events, endOf("completed", [])]).reply).toEqual(responseOf("completed", [call]));
    const bare = { type: "response.completed", response: { id: "resp_1" } };
    expect(run([...events, bare]).reply).toEqual(responseOf("completed", [call]));
    expect(run([...events, { type: "response.completed" }]).reply).toEqual(responseOf("completed", [call]));
  });

  it("writes text for the user as it comes, a refusal too, and no reasoning or arguments", () => {
    const at = { output_index: 0, item_id: "msg_1", content_index: 0 };
    const { text, reply } = run([
      created,
      { type: "response.reasoning_summary_text.delta", output_index: 1, summary_index: 0, delta: "Hm." },
      { type: "response.reasoning_text.delta", output_index: 1, content_index: 0, delta: "So." },
      { type: "response.output_text.delta", ...at, delta: "Hel" },
      { type: "response.output_text.delta", ...at, delta: "lo" },
      { type: "response.output_text.done", ...at, text: "Hello" },
      { type: "response.refusal.delta", ...at, content_index: 1, delta: "No" },
      argsDelta(2, "{}"),
      endOf("completed"),
    ]);
    expect(text).toBe("HelloNo");
    expect(reply["output"]).toEqual([
      {
        type: "message",
        role: "assistant",
        content: [
          { type: "output_text", text: "Hello" },
          { type: "refusal", refusal: "No" },
        ],
      },
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Hm." }],
        content: [{ type: "reasoning_text", text: "So." }],
      },
      { type: "function_call", arguments: "{}" },
    ]);
  });

  it("writes text at the end where no part of it came before", () => {
    const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] };
    expect(run([created, endOf("completed", [message])]).text).toBe("Hello");
    expect(run([created, done(0, message), endOf("completed")]).text).toBe("Hello");
  });

  it("keeps encrypted reasoning as it is when the item is done", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
    expect(
      outputOf(
        added(0, { ...reasoning, encrypted_content: "early" }),
        done(0, { ...reasoning, encrypted_content: "late" }),
      ),
    ).toEqual([{ ...reasoning, encrypted_content: "late" }]);
  });

  it("keeps namespace, caller and status of a call", () => {
    const more = { namespace: "crm", caller: { type: "program", caller_id: "prog_1" }, status: "completed" };
    const call = callOf("fc_1", "call_a", "f", "{}", more);
    expect(outputOf(added(0, { ...call, status: "in_progress" }), done(0, call))).toEqual([call]);
    expect(run([created, endOf("completed", [call])]).reply["output"]).toEqual([call]);
  });

  it("keeps items of the provider's own tools", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } };
    const searching = { type: "response.web_search_call.searching", output_index: 0, item_id: "ws_1" };
    expect(outputOf(added(0, { type: "web_search_call", id: "ws_1" }), searching, done(0, search))).toEqual([search]);
  });

  it("keeps the parts of a message with their annotations", () => {
    const part = { type: "output_text", text: "Hi", annotations: [{ type: "url_citation", url: "https://a.example" }] };
    const at = { output_index: 0, content_index: 0 };
    expect(
      outputOf(
        added(0, { type: "message", role: "assistant", content: [] }),
        { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
        { type: "response.output_text.delta", ...at, delta: "Hi" },
        { type: "response.content_part.done", ...at, part },
      ),
    ).toEqual([{ type: "message", role: "assistant", content: [part] }]);
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "finds no place for the event %s.delta",
    (name) => {
      const call = callOf("fc_1", "call_a", "f", "{}");
      const events = ["delta", "done"].map((end) => ({
        type: `${name}.${end}`,
        output_index: 0,
        delta: "x",
        text: "x",
      }));
      expect(outputOf(...events)).toEqual([]);
      expect(outputOf(added(0, call), ...events)).toEqual([call]);
    },
  );

  it("has lists without holes and parts that stay apart, whatever their indexes", () => {
    const indexes = [2 ** 31, -1, Number.NaN, 0.5, 1e300, 0, "x"];
    const deltas = indexes.flatMap((content_index, place) =>
      ["a", "b"].map((letter) => ({
        type: "response.output_text.delta",
        output_index: 0,
        content_index,
        delta: `${letter}${place}`,
      })),
    );
    const [message] = outputOf(added(0, { type: "message", content: [] }), ...deltas) as [{ content: Item[] }];
    expect(Object.keys(message.content)).toEqual(["0", "1", "2", "3", "4", "5"]);
    expect(message.content.map(({ text }) => text)).toEqual(
      expect.arrayContaining(["a0b0", "a1b1", "a2b2a6b6", "a3b3", "a4b4", "a5b5"]),
    );
    const items = indexes.map((index) => added(index as number, { type: "message", content: [] }));
    expect(outputOf(...items)).toHaveLength(indexes.length);
  });

  it("has parts in the order of their indexes, whichever came first", () => {
    const deltaAt = (content_index: number, delta: string) => ({
      type: "response.output_text.delta",
      output_index: 0,
      content_index,
      delta,
    });
    expect(outputOf(deltaAt(1, "c"), deltaAt(0, "a"), deltaAt(1, "d"), deltaAt(0, "b"))).toMatchObject([
      { content: [{ text: "ab" }, { text: "cd" }] },
    ]);
  });

  it("leaves a call in progress whose arguments are not all there: whoever reads it can refuse it", () => {
    const call = callOf("fc_1", "call_a", "f", "", { status: "in_progress" });
    expect(outputOf(added(0, call), argsDelta(0, '{"a"'))).toEqual([{ ...call, arguments: '{"a"' }]);
    const { reply } = run([created, added(0, call), argsDelta(0, "{}"), endOf("incomplete", [])]);
    expect(reply["output"]).toEqual([{ ...call, arguments: "{}" }]);
  });

  it("changes no event, which others may hold too", () => {
    const at = { output_index: 0, content_index: 0 };
    const text = { type: "output_text", text: "" };
    const events = [
      created,
      added(0, { type: "message", content: [text] }),
      { type: "response.output_text.delta", ...at, delta: "a" },
      { type: "response.content_part.added", ...at, content_index: 1, part: text },
      { type: "response.output_text.delta", ...at, content_index: 1, delta: "b" },
      added(1, callOf("fc_1", "call_a", "f", "")),
      argsDelta(1, "{}"),
      { type: "response.in_progress", response: { metadata: {} } },
      endOf("completed"),
    ];
    const before = structuredClone(events);
    run(events);
    expect(events).toEqual(before);
  });

  it("passes over what is no event, and what comes after its end", () => {
    const odd = [
      null,
      "x",
      [],
      {},
      { type: 1 },
      { type: "keepalive" },
      { type: "response.output_text.delta", delta: 1 },
    ];
    const { text, reply } = run([
      ...odd,
      created,
      endOf("completed"),
      { type: "response.output_text.delta", delta: "x" },
    ]);
    expect({ text, reply }).toEqual({ text: "", reply: responseOf("completed", []) });
  });
});

describe("the calls of a streamed response", () => {
  const first = callOf("fc_1", "call_a", "f", "");
  const second = callOf("fc_2", "call_b", "g", "");

  it("are put together by output_index, however their deltas interleave", () => {
    expect(
      outputOf(
        added(1, second),
        added(0, first),
        argsDelta(0, '{"x"'),
        argsDelta(1, '{"y"'),
        argsDelta(0, ":1}"),
        argsDelta(1, ":2}"),
      ),
    ).toEqual([
      { ...first, arguments: '{"x":1}' },
      { ...second, arguments: '{"y":2}' },
    ]);
  });

  it("are one where the item's id changes between added, deltas and done", () => {
    const whole = { ...first, id: "fc_done", arguments: '{"x":1}' };
    expect(outputOf(added(0, first), argsDelta(0, '{"x":1}', "fc_delta"), done(0, whole))).toEqual([whole]);
  });

  it("take their arguments from .done, whatever the deltas came to", () => {
    const event = { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"x":1}' };
    expect(outputOf(added(0, first), argsDelta(0, '{"x"'), event)).toEqual([{ ...first, arguments: '{"x":1}' }]);
  });

  it("take all from output_item.done, and nothing that comes for it later", () => {
    const whole = { ...first, arguments: '{"x":1}', status: "completed" };
    expect(outputOf(added(0, first), done(0, whole), argsDelta(0, "?"), added(0, first))).toEqual([whole]);
  });

  it("are one where a call_id begins as one item and ends as another", () => {
    const whole = { ...first, id: "fc_9", arguments: "{}" };
    const other = { ...second, arguments: "{}" };
    expect(outputOf(added(0, first), done(1, whole), done(2, other))).toEqual([whole, other]);
  });

  it("are two where a call_id ends twice: whoever reads them says so, and runs one", () => {
    const whole = { ...first, arguments: "{}" };
    expect(outputOf(done(1, whole), done(2, whole))).toEqual([whole, whole]);
    expect(run([created, endOf("completed", [whole, whole])]).reply["output"]).toEqual([whole, whole]);
  });

  describe("that share one output_index", () => {
    const [one, two] = [
      { ...first, arguments: '{"x":1}' },
      { ...second, name: "f", arguments: '{"x":2}' },
    ];
    const [begun, begunToo] = [one, two].map((call) => ({ ...call, arguments: "" }));
    const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" };

    it.each<[string, readonly unknown[]]>([
      ["each done", [added(0, begun!), argsDelta(0, '{"x":1}'), done(0, one), added(0, begunToo!), done(0, two)]],
      ["only told done", [done(0, one), done(0, two)]],
      ["never told done", [added(0, begun!), argsDelta(0, '{"x":1}'), added(0, begunToo!), argsDelta(0, '{"x":2}')]],
      [
        "side by side",
        [added(0, begun!), added(0, begunToo!), argsDelta(0, '{"x":2}', "fc_2"), argsDelta(0, '{"x":1}', "fc_1")],
      ],
    ])("are all kept: %s", (_how, events) => {
      expect(outputOf(...events)).toEqual([one, two]);
    });

    it("are kept beside what else is there, in its place", () => {
      expect(outputOf(done(0, thought), done(0, one), done(1, two))).toEqual([thought, one, two]);
    });
  });

  it("may be told by their call_id, or by an index that is text at first", () => {
    const whole = { ...first, arguments: '{"x":1}' };
    expect(outputOf(added(undefined, first), argsDelta(undefined, '{"x":1}', "call_a"))).toEqual([whole]);
    expect(outputOf({ ...added(0, first), output_index: "0" }, argsDelta(0, '{"x":1}'))).toEqual([whole]);
  });

  it("are those of the last event if that tells them by other ids, in whatever order and without the reasoning", () => {
    const [one, two] = [
      { ...first, arguments: '{"x":1}' },
      { ...second, arguments: '{"y": 2}' },
    ];
    const last = [callOf("fc_8", "call_y", "g", '{"y":2}'), callOf("fc_9", "call_x", "f", '{"x":1}')];
    const events = [done(0, { type: "reasoning", id: "rs_1", summary: [] }), done(1, one), done(2, two)];
    expect(run([created, ...events, endOf("completed", last)]).reply["output"]).toEqual(last);
  });

  it("are refused if they were told with other arguments, however often one of these comes again", () => {
    const [one, two] = [1, 2].map((x) => ({ ...first, arguments: `{"x":${x}}` }));
    const argumentsDone = { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"x":1}' };
    const { reply } = run([created, added(0, first), argumentsDone, done(0, two!), endOf("completed", [one])]);
    expect(reply["output"]).toEqual([{ ...first, arguments: '{"x":1}{"x":2}' }]);
  });

  it("stay two where they have no item id", () => {
    const [one, two] = [callOf(undefined, "call_a", "f", "{}"), callOf(undefined, "call_b", "g", "{}")];
    expect(outputOf(added(0, one), done(0, one), added(1, two), done(1, two))).toEqual([one, two]);
  });

  it("are put together by what there is where a gateway tells no output_index", () => {
    const at = undefined;
    const byItem = [
      added(at, first),
      added(at, second),
      argsDelta(at, '{"y":2}', "fc_2"),
      argsDelta(at, '{"x":1}', "fc_1"),
    ];
    expect(outputOf(...byItem)).toEqual([
      { ...first, arguments: '{"x":1}' },
      { ...second, arguments: '{"y":2}' },
    ]);
    const bare = callOf(undefined, "call_a", "f", "");
    const message = { type: "message", role: "assistant", content: [] };
    expect(
      outputOf(added(at, message), done(at, message), added(at, bare), argsDelta(at, '{"x"'), argsDelta(at, ":1}")),
    ).toEqual([message, { ...bare, arguments: '{"x":1}' }]);
  });

  it("and messages without any key stay apart", () => {
    const messageOf = (text: string) => ({ type: "message", content: [{ type: "output_text", text }] });
    const [one, two, at] = [messageOf("a"), messageOf("b"), undefined];
    expect(outputOf(added(at, { type: "message" }), done(at, one), added(at, two), done(at, two))).toEqual([one, two]);
    expect(outputOf(done(at, one), done(at, two))).toEqual([one, two]);
    expect(outputOf(added(at, one), added(at, two))).toEqual([one, two]);
  });

  it("may be of custom tools, whose input is text", () => {
    const custom = { type: "custom_tool_call", id: "ctc_1", call_id: "call_a", name: "sql", input: "" };
    const delta = { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "SEL" };
    const whole = { type: "response.custom_tool_call_input.done", output_index: 0, input: "SELECT" };
    expect(outputOf(added(0, custom), delta)).toEqual([{ ...custom, input: "SEL" }]);
    expect(outputOf(added(0, custom), delta, whole)).toEqual([{ ...custom, input: "SELECT" }]);
  });
});

describe("a stream of OpenAI Responses that breaks off", () => {
  it("throws what an error event says", () => {
    const accumulator = createOpenAiResponsesAccumulator();
    const error = { message: "Overloaded.", code: "server_error" };
    expect(() => accumulator.add({ type: "error", ...error, param: null })).toThrow(
      new StreamError("Overloaded. (server_error)"),
    );
    expect(() => accumulator.add({ type: "error", error })).toThrow(new StreamError("Overloaded. (server_error)"));
  });

  it("is a reply where the provider says that the response failed or is incomplete, with what was streamed", () => {
    const call = callOf("fc_1", "call_a", "f", '{"x"');
    const failed = { ...responseOf("failed"), error: { code: "server_error", message: "Sorry." } };
    expect(run([created, added(0, call), { type: "response.failed", response: failed }]).reply).toEqual({
      ...failed,
      output: [call],
    });
    const incomplete = { ...responseOf("incomplete"), incomplete_details: { reason: "max_output_tokens" } };
    expect(run([created, added(0, call), { type: "response.incomplete", response: incomplete }]).reply).toEqual({
      ...incomplete,
      output: [call],
    });
  });

  it("believes the last event's type, not a status that was left from before", () => {
    const last = { type: "response.failed", response: responseOf("in_progress") };
    expect(run([created, last]).reply["status"]).toBe("failed");
  });

  it("throws at its end where no event ended the response", () => {
    expect(() => run([])).toThrow(StreamError);
    expect(() => run([created, done(0, callOf("fc_1", "call_a", "f", "{}"))])).toThrow(
      new StreamError("The stream ended before the response was complete."),
    );
  });
});

describe("any response", () => {
  const words = fc.string({ unit: "grapheme", maxLength: 20 });
  const texts = fc.array(words, { maxLength: 3 });
  const item = fc.oneof(
    // An object: of other texts a piece may begin with all that came before, as if the service repeated it.
    fc.record({ text: words, name: words }).map(({ text, name }) => (id: number, sizes: number[]) => {
      const args = JSON.stringify({ text });
      const empty = callOf(`fc_${id}`, `call_${id}`, name, "", { status: "completed", namespace: "crm" });
      const at = { output_index: id, item_id: empty.id };
      const events = cut(args, sizes).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...at,
        delta,
      }));
      return { empty, whole: { ...empty, arguments: args }, events };
    }),
    fc
      .record({ summary: texts, encrypted_content: words })
      .map(({ summary, ...encrypted }) => (id: number, sizes: number[]) => {
        const empty = { type: "reasoning", id: `rs_${id}`, summary: [] as unknown[], ...encrypted };
        const events = summary.map((text, summary_index) => {
          const at = { output_index: id, summary_index };
          return [
            { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
            ...cut(text, sizes).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
          ];
        });
        const whole = { ...empty, summary: summary.map((text) => ({ type: "summary_text", text })) };
        return { empty, whole, events: events.flat() };
      }),
    texts.map((contents) => (id: number, sizes: number[]) => {
      const empty = { type: "message", id: `msg_${id}`, role: "assistant", content: [] as unknown[] };
      const events = contents.map((text, content_index) => {
        const at = { output_index: id, content_index };
        return [
          { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
          ...cut(text, sizes).map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
        ];
      });
      const whole = { ...empty, content: contents.map((text) => ({ type: "output_text", text, annotations: [] })) };
      return { empty, whole, events: events.flat() };
    }),
  );

  it("comes out of its events as it went in, wherever it is cut, whatever interleaves and whichever of its ends is told", () => {
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 4 }),
        numbers,
        numbers,
        fc.constantFrom("items", "last", "none"),
        (make, sizes, picks, told) => {
          const items = make.map((one, index) => one(index, sizes));
          const lists = items.map(({ empty, whole, events }, index) => [
            added(index, empty),
            ...events,
            ...(told === "items" ? [done(index, whole)] : []),
          ]);
          const output = items.map(({ whole }) => whole);
          const last = endOf("completed", told === "last" ? output : []);
          expect(run([created, ...interleave<unknown>(lists, picks), last]).reply).toEqual(
            responseOf("completed", output),
          );
        },
      ),
    );
  });
});
