import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openaiResponsesConversation } from "../../../src/dialects/openai-responses/conversation.ts";
import { createOpenAiResponsesAccumulator } from "../../../src/dialects/openai-responses/stream.ts";
import { readResponsesReply } from "../../../src/dialects/openai-responses/reply.ts";
import { cut, interleave, numbers } from "../streaming/cuts.ts";
import { accumulate } from "../streaming/whole-reply.ts";
import { runs } from "../../runs.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Meant {
  readonly name: string;
  readonly args: Fields;
}

/** How a gateway tells of a call. Each text is left out, empty, or whole. */
interface Gateway {
  readonly keys: "index" | "item id" | "both" | "none";
  readonly added: "none" | "" | "{}" | "whole";
  readonly status: "in_progress" | undefined;
  readonly deltas: "none" | "pieces" | "cumulative";
  readonly argumentsDone: "none" | "" | "whole";
  readonly itemDone: "none" | "" | "whole";
  readonly isSloppy: boolean;
  readonly last: "missing" | "[]" | "an empty message" | "all" | "all, empty" | "all but some";
}

const nothing: readonly unknown[] = ["", null, undefined];

/** The events of one call, in the groups that keep their order. */
function eventsOf({ name, args }: Meant, place: number, gateway: Gateway, sizes: readonly number[], pick: number) {
  const [id, call_id, whole, empty] = [`fc_${place}`, `call_${place}`, JSON.stringify(args), nothing[pick % 3]];
  const { keys } = gateway;
  const at = {
    ...((keys === "index" || keys === "both") && { output_index: place }),
    ...((keys === "item id" || keys === "both") && { item_id: id }),
  };
  const index = "output_index" in at ? { output_index: place } : {};
  const known = { type: "function_call", ...(keys !== "none" && { id }) };
  const texts = { none: undefined, "": "", "{}": "{}", whole };
  const added = {
    type: "response.output_item.added",
    ...index,
    item: { ...known, call_id, name, arguments: texts[gateway.added], status: gateway.status },
  };
  const pieces = cut(whole, sizes);
  const written = gateway.deltas === "cumulative" ? pieces.map((_, end) => pieces.slice(0, end + 1).join("")) : pieces;
  const deltas = written.map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta }));
  const argumentsDone = {
    type: "response.function_call_arguments.done",
    ...at,
    name: empty,
    arguments: texts[gateway.argumentsDone],
  };
  const isEmpty = gateway.itemDone === "" && gateway.added !== "none";
  const itemDone = {
    type: "response.output_item.done",
    ...index,
    item: {
      ...known,
      call_id: isEmpty ? empty : call_id,
      name: isEmpty ? empty : name,
      arguments: texts[gateway.itemDone],
      status: "completed",
    },
  };
  const groups = [
    gateway.added === "none" ? [] : [added],
    gateway.deltas === "none" ? [] : deltas,
    gateway.argumentsDone === "none" ? [] : [argumentsDone],
    gateway.itemDone === "none" ? [] : [itemDone],
  ];
  return groups;
}

function listed(meant: readonly Meant[], { last, keys }: Gateway, pick: number): unknown[] | undefined {
  const message = { type: "message", id: "msg_1", role: "assistant", content: [] };
  const calls = meant.map(({ name, args }, place) => ({
    type: "function_call",
    ...(keys !== "none" && { id: `fc_${place}` }),
    call_id: `call_${place}`,
    name,
    arguments: JSON.stringify(args),
    status: "completed",
  }));
  switch (last) {
    case "missing":
      return undefined;
    case "[]":
      return [];
    case "an empty message":
      return [message];
    case "all":
      return calls;
    case "all, empty":
      return calls.map((call) => ({ ...call, name: nothing[pick % 3], arguments: nothing[pick % 3] }));
    case "all but some":
      return [message, ...calls.filter((_, place) => (place + pick) % 2 === 0)];
  }
}

/** Whether the gateway tells all of a call somewhere: else no call can come of it. */
function tellsAll({ keys, added, deltas, argumentsDone, itemDone, last, isSloppy }: Gateway): boolean {
  const isNamed = added !== "none" || itemDone === "whole" || last === "all";
  const isWritten =
    deltas !== "none" || argumentsDone === "whole" || itemDone === "whole" || added === "whole" || last === "all";
  // Without a key nothing but the order tells what belongs to what.
  const isFound = keys !== "none" || (added !== "none" && !isSloppy);
  // Of deltas without an item nobody knows the name: what is told later of a call under another key is another one.
  const hasItem = added !== "none" || itemDone !== "none" || (deltas === "none" && argumentsDone === "none");
  return isNamed && isWritten && isFound && hasItem;
}

const gateways = fc
  .record<Gateway>({
    keys: fc.constantFrom("index", "item id", "both", "none"),
    added: fc.constantFrom("none", "", "{}", "whole"),
    status: fc.constantFrom("in_progress", undefined),
    deltas: fc.constantFrom("none", "pieces", "cumulative"),
    argumentsDone: fc.constantFrom("none", "", "whole"),
    itemDone: fc.constantFrom("none", "", "whole"),
    isSloppy: fc.boolean(),
    last: fc.constantFrom("missing", "[]", "an empty message", "all", "all, empty", "all but some"),
  })
  .filter(tellsAll);

const text = fc.string({ unit: "grapheme", maxLength: 6 });
const args = fc.record({ city: fc.oneof(text, fc.integer()), more: fc.record({ days: fc.nat() }) });
const meant = fc
  .uniqueArray(args, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) })
  .chain((all) =>
    fc.tuple(...all.map((value) => fc.record({ name: fc.constantFrom("f", "g"), args: fc.constant(value) }))),
  );

function readCalls(events: readonly unknown[]) {
  const { reply } = accumulate(createOpenAiResponsesAccumulator(), events);
  const value: unknown = JSON.parse(JSON.stringify(reply));
  return readResponsesReply({ value, text: JSON.stringify(value), refusals: [] }).calls;
}

function shuffled<T>(groups: readonly T[], pick: number): T[] {
  return groups
    .map((group, place) => [(place * 7 + pick * 5) % 11, group] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, group]) => group);
}

describe("the events of a response", () => {
  it("come to each call once, in whatever order and however completely a gateway tells of them", () => {
    fc.assert(
      fc.property(meant, gateways, numbers, numbers, fc.nat({ max: 10 }), (calls, gateway, sizes, picks, pick) => {
        const perCall = calls.map((call, place) => {
          const groups = eventsOf(call, place, gateway, sizes, pick);
          if (!gateway.isSloppy) return groups.flat();
          // What a call begins with is late only if it tells nothing of the arguments.
          const [first = [], ...others] = groups;
          return gateway.added === "" || gateway.added === "none"
            ? interleave<unknown>(shuffled(groups, pick), picks)
            : [...first, ...interleave<unknown>(shuffled(others, pick), picks)];
        });
        const events = gateway.keys === "none" ? perCall.flat() : interleave(perCall, picks);
        const output = listed(calls, gateway, pick);
        const response = { id: "resp_1", status: "completed", ...(output !== undefined && { output }) };
        const found = readCalls([
          { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
          ...events,
          { type: "response.completed", response },
        ]);
        const read = found.map(
          ({ id, name, arguments: value, refusal }) => refusal?.message ?? { id, name, args: value },
        );
        const wanted = calls.map(({ name, args: value }, place) => ({ id: `call_${place}`, name, args: value }));
        expect(read).toHaveLength(wanted.length);
        expect(read).toEqual(expect.arrayContaining(wanted));
      }),
      { numRuns: runs(2000) },
    );
  });

  it("come to a call that the last event leaves out beside an empty message, with the reasoning before it", () => {
    const message = { type: "message", id: "msg_1", role: "assistant", content: [] };
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "" };
    const { reply } = accumulate(createOpenAiResponsesAccumulator(), [
      { type: "response.output_item.done", output_index: 0, item: reasoning },
      { type: "response.output_item.added", output_index: 1, item: call },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: '{"a"' },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: ":1}" },
      { type: "response.function_call_arguments.done", output_index: 1, arguments: '{"a":1}' },
      { type: "response.completed", response: { status: "completed", output: [message] } },
    ]);
    expect(reply).toMatchObject({ output: [message, reasoning, { ...call, arguments: '{"a":1}' }] });
  });

  it.each(["response.function_call_arguments.done", "response.output_item.done"])(
    "come to a refusal if %s tells another object than the pieces came to",
    (type) => {
      const call = { type: "function_call", call_id: "call_1", name: "f", arguments: "" };
      const other = '{"a":2}';
      const [read, ...others] = readCalls([
        { type: "response.output_item.added", output_index: 0, item: call },
        { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"a":1}' },
        type === "response.output_item.done"
          ? { type, output_index: 0, item: { ...call, arguments: other } }
          : { type, output_index: 0, arguments: other },
        { type: "response.completed", response: { status: "completed", output: [] } },
      ]);
      expect(others).toEqual([]);
      expect(read?.refusal?.code).toBe("invalid_arguments");
    },
  );

  it("come to a refusal of a call that never ended, and to one of a call whose last event says it is incomplete", () => {
    const call = { type: "function_call", call_id: "call_1", name: "f", arguments: "", status: "in_progress" };
    const added = { type: "response.output_item.added", output_index: 0, item: call };
    const end = { type: "response.completed", response: { status: "completed", output: [] } };
    const incomplete = { ...call, arguments: "{}", status: "incomplete" };
    const done = { type: "response.output_item.done", output_index: 0, item: incomplete };
    expect(readCalls([added, end])[0]?.refusal?.code).toBe("invalid_arguments");
    expect(readCalls([added, done, end])[0]?.refusal?.code).toBe("invalid_arguments");
  });

  it("keep apart what is said on the way and the answer", () => {
    const messageOf = (phase: string) => ({ type: "message", role: "assistant", phase, content: [] });
    const delta = (output_index: number, text: string) => ({
      type: "response.output_text.delta",
      output_index,
      content_index: 0,
      delta: text,
    });
    const { text: shown, reply } = accumulate(createOpenAiResponsesAccumulator(), [
      { type: "response.output_item.added", output_index: 0, item: messageOf("commentary") },
      delta(0, "I look"),
      delta(0, " it up."),
      { type: "response.output_item.added", output_index: 1, item: messageOf("final_answer") },
      delta(1, "It is"),
      delta(1, " noon."),
      { type: "response.completed", response: { status: "completed", output: [] } },
    ]);
    expect(shown).toBe("I look it up.\n\nIt is noon.");
    expect(openaiResponsesConversation.textOf(reply)).toBe("It is noon.");
  });

  it("keep the text that was streamed if the last event lists its message empty", () => {
    const message = { type: "message", id: "msg_1", role: "assistant", content: [] };
    const { reply } = accumulate(createOpenAiResponsesAccumulator(), [
      { type: "response.output_item.added", output_index: 0, item: message },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hello" },
      { type: "response.completed", response: { status: "completed", output: [message] } },
    ]);
    expect(openaiResponsesConversation.textOf(reply)).toBe("Hello");
  });
});

describe("the text of a response", () => {
  const messageOf = (text: string, phase?: string | null) => ({
    type: "message",
    ...(phase !== undefined && { phase }),
    content: [{ type: "output_text", text }],
  });

  it.each([
    ["the answer alone", [messageOf("a", "commentary"), messageOf("b", "final_answer")], "b"],
    ["all that has no phase", [messageOf("a"), messageOf("b", null)], "ab"],
    [
      "what was said on the way if nothing else was",
      [messageOf("a", "commentary"), messageOf("", "final_answer")],
      "a",
    ],
  ])("is %s", (_, output, said) => {
    expect(openaiResponsesConversation.textOf({ output })).toBe(said);
  });
});
