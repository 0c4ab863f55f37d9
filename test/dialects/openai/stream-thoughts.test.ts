import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOpenAiAccumulator } from "../../../src/dialects/openai/stream.ts";
import { cut, interleave, numbers } from "../streaming/cuts.ts";
import { accumulate } from "../streaming/whole-reply.ts";
import { runs } from "../../runs.ts";

type Entry = Readonly<Record<string, unknown>>;

/** What a service repeats with each fragment, and what it tells once. */
interface Habits {
  readonly repeats: readonly string[];
  readonly sizes: readonly number[];
  /** Whether a signature comes with the last piece of the text, or behind it. */
  readonly isSignedLate: boolean;
  readonly nulls: boolean;
}

const pieceFields: Readonly<Record<string, string>> = {
  "reasoning.text": "text",
  "reasoning.summary": "summary",
  "reasoning.encrypted": "data",
};

function fragmentsOf(entry: Entry, { repeats, sizes, isSignedLate, nulls }: Habits): Entry[] {
  const { signature, ...others } = entry;
  const field = pieceFields[String(entry["type"])] ?? "text";
  const always = Object.fromEntries(Object.entries(others).filter(([key]) => key === "index" || repeats.includes(key)));
  const nothing = nulls && signature !== undefined ? { signature: null } : {};
  const fragments: Entry[] = cut(String(entry[field]), sizes).map((piece, place) => ({
    ...(place === 0 ? others : always),
    ...nothing,
    [field]: piece,
  }));
  if (signature === undefined) return fragments;
  if (isSignedLate) return [...fragments, { ...always, signature }];
  return fragments.map((fragment, place) => (place === fragments.length - 1 ? { ...fragment, signature } : fragment));
}

function thoughtsOf(chunks: readonly (readonly unknown[])[], field = "reasoning_details"): unknown {
  const deltas = chunks.map((fragments) => ({ choices: [{ index: 0, delta: { [field]: fragments } }] }));
  const last = { choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] };
  const { reply } = accumulate(createOpenAiAccumulator(), [...deltas, last]);
  return (reply as { choices: { message: Record<string, unknown> }[] }).choices[0]!.message[field];
}

const body = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const entry = fc.oneof(
  fc.record({ type: fc.constant("reasoning.text"), text: body, signature: fc.option(body, { nil: undefined }) }),
  fc.record({ type: fc.constant("reasoning.summary"), summary: body }),
  fc.record({ type: fc.constant("reasoning.encrypted"), data: body }),
);
const more = fc.record({ format: fc.constantFrom("anthropic-claude-v1", "unknown") }, { requiredKeys: [] });
const habits = fc.record({
  repeats: fc.subarray(["type", "id", "format"]),
  sizes: numbers,
  isSignedLate: fc.boolean(),
  nulls: fc.boolean(),
});
const told = fc.array(fc.tuple(entry, more), { minLength: 1, maxLength: 5 });

/** Without the members that are undefined. */
function plain(value: Entry): Entry {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

describe("thoughts that are streamed", () => {
  it("come to the entries of the reply that is not streamed, by their index, wherever they are cut and interleave", () => {
    fc.assert(
      fc.property(told, habits, numbers, fc.boolean(), fc.boolean(), (given, ways, picks, hasIds, isOneChunk) => {
        const entries = given.map(([one, other], index) =>
          plain({ ...one, ...other, index, ...(hasIds && { id: `reasoning-${index}` }) }),
        );
        const fragments = interleave(
          entries.map((one) => fragmentsOf(one, ways)),
          picks,
        );
        const chunks = isOneChunk ? [fragments] : fragments.map((fragment) => [fragment]);
        expect(thoughtsOf(chunks)).toEqual(entries);
      }),
      { numRuns: runs(1000) },
    );
  });

  it("come to these where entries of several types share an index", () => {
    fc.assert(
      fc.property(body, body, body, habits, numbers, (text, summary, data, ways, picks) => {
        const entries: Entry[] = [
          { type: "reasoning.summary", summary, index: 0, id: "rs_1" },
          { type: "reasoning.encrypted", data, index: 0, id: "rs_1" },
          { type: "reasoning.text", text, index: 0, id: "rs_1" },
        ];
        const repeated = { ...ways, repeats: [...ways.repeats, "type"] };
        const fragments = interleave(
          entries.map((one) => fragmentsOf(one, repeated)),
          picks,
        );
        const found = thoughtsOf(fragments.map((fragment) => [fragment])) as Entry[];
        expect(found).toHaveLength(3);
        expect(found).toEqual(expect.arrayContaining(entries));
      }),
      { numRuns: runs(1000) },
    );
  });

  it("come to these by their ids where no index is told, however they interleave", () => {
    fc.assert(
      fc.property(told, habits, numbers, (given, ways, picks) => {
        const entries = given.map(([one, other], place) => plain({ ...one, ...other, id: `reasoning-${place}` }));
        const repeated = { ...ways, repeats: [...ways.repeats, "id"] };
        const fragments = interleave(
          entries.map((one) => fragmentsOf(one, repeated)),
          picks,
        );
        const found = thoughtsOf(fragments.map((fragment) => [fragment])) as Entry[];
        expect(found.toSorted((one, other) => (String(one["id"]) < String(other["id"]) ? -1 : 1))).toEqual(entries);
      }),
      { numRuns: runs(1000) },
    );
  });

  it("come to these one after the other where neither index nor id is told: a type or a signature ends each", () => {
    fc.assert(
      fc.property(told, habits, (given, ways) => {
        const entries: Entry[] = [];
        for (const [one, other] of given) {
          const last = entries.at(-1);
          const next = plain({ ...one, ...other });
          if (last?.["type"] !== next["type"] || last?.["signature"] !== undefined) entries.push(next);
        }
        // A fragment without a type can only go on with a text.
        const repeated = { ...ways, repeats: [...ways.repeats, "type"] };
        fc.pre(
          entries.every(
            (one, place) => one["signature"] === undefined || one["signature"] !== entries[place + 1]?.["signature"],
          ),
        );
        const fragments = entries.flatMap((one) => fragmentsOf(one, repeated));
        expect(thoughtsOf(fragments.map((fragment) => [fragment]))).toEqual(entries);
      }),
      { numRuns: runs(1000) },
    );
  });

  it("stay apart where several stand in one chunk without an index", () => {
    const entries = [
      { type: "reasoning.encrypted", data: "AAA" },
      { type: "reasoning.encrypted", data: "BBB" },
    ];
    expect(thoughtsOf([entries])).toEqual(entries);
  });

  it("of LiteLLM come to blocks, of which what is redacted is never cut", () => {
    const chunks = [
      [{ type: "thinking", thinking: "Let", signature: "" }],
      [{ type: "thinking", thinking: " me see.", signature: "" }],
      [{ type: "thinking", thinking: "", signature: "SIG==" }],
      [{ type: "redacted_thinking", data: "AAA" }],
      [{ type: "redacted_thinking", data: "BBB" }],
    ];
    expect(thoughtsOf(chunks, "thinking_blocks")).toEqual([
      { type: "thinking", thinking: "Let me see.", signature: "SIG==" },
      { type: "redacted_thinking", data: "AAA" },
      { type: "redacted_thinking", data: "BBB" },
    ]);
  });

  it("change no chunk, pass over what is no list and set no prototype", () => {
    const fragment = { type: "reasoning.text", text: "a", index: 0 };
    const hostile = JSON.parse('{"type":"reasoning.text","text":"b","index":0,"__proto__":{"x":1}}') as Entry;
    expect(thoughtsOf([[fragment], [hostile], [null, 7]])).toEqual([
      { type: "reasoning.text", text: "ab", index: 0 },
      null,
      7,
    ]);
    expect(fragment.text).toBe("a");
    expect(thoughtsOf([])).toBeUndefined();
  });
});
