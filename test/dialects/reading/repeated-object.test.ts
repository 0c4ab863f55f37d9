import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readArgumentsText } from "../../../src/dialects/reading/arguments.ts";
import { runs } from "../../runs.ts";

const key = fc.string({ unit: "grapheme", maxLength: 6 }).filter((name) => name !== "__proto__");
const leaf = fc.oneof(fc.string({ unit: "grapheme", maxLength: 8 }), fc.integer(), fc.boolean(), fc.constant(null));
const { object } = fc.letrec<{ object: Record<string, unknown>; value: unknown }>((tie) => ({
  object: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  value: fc.oneof({ depthSize: "small" }, leaf, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
}));
const full = object.filter((value) => Object.keys(value).length > 0);
const space = fc.constantFrom("", " ", "\n", "\r\n\t");
const indent = fc.constantFrom(0, 2);

/** The same object with its keys in another order. */
function turnedRound(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).toReversed());
}

describe("arguments that came several times", () => {
  it("count once, with a remark, however each time is spaced and ordered", () => {
    const copies = fc.array(fc.record({ indent, space, isTurned: fc.boolean() }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(object, copies, (value, written) => {
        const texts = written.map(
          (copy) => JSON.stringify(copy.isTurned ? turnedRound(value) : value, null, copy.indent) + copy.space,
        );
        const { value: read, refusal, remark } = readArgumentsText(texts.join(""));
        expect(read).toEqual(value);
        expect(refusal).toBeUndefined();
        expect(remark).toContain("were sent several times");
      }),
      { numRuns: runs(1000) },
    );
  });

  it("lose the empty objects in front of them, with a remark", () => {
    const empties = fc.array(fc.constantFrom("{}", "{ }", "{}\n"), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(full, empties, indent, (value, before, spaces) => {
        const read = readArgumentsText(before.join("") + JSON.stringify(value, null, spaces));
        expect(read).toMatchObject({ value, refusal: undefined });
        expect(read.remark).toContain("empty object");
      }),
      { numRuns: runs(1000) },
    );
  });

  it("are refused where two of them differ, whichever order they come in", () => {
    const places = fc.array(fc.boolean(), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(full, full, places, (one, other, picks) => {
        fc.pre(JSON.stringify(sorted(one)) !== JSON.stringify(sorted(other)));
        const texts = picks.map((isOne) => JSON.stringify(isOne ? one : other));
        const { value, refusal } = readArgumentsText([...texts, JSON.stringify(one), JSON.stringify(other)].join(""));
        expect(value).toBeUndefined();
        expect(refusal?.code).toBe("invalid_arguments");
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each([
    ["a full object before an empty one", '{"a":1}{}'],
    ["an object that is cut off behind a whole one", '{"a":1}{"a"'],
    ["text between them", '{"a":1} and {"a":1}'],
    ["a comma between them", '{"a":1},{"a":1}'],
    ["lists", "[1][1]"],
    ["a key twice in each", '{"a":1,"a":2}{"a":1,"a":2}'],
    ["an integer that cannot be held", '{"a":12345678901234567891}{"a":12345678901234567891}'],
  ])("are refused: %s", (_, text) => {
    expect(readArgumentsText(text).refusal?.code).toBe("invalid_arguments");
  });

  it("count once where they were encoded as JSON twice", () => {
    expect(readArgumentsText(JSON.stringify('{"a":1}{"a":1}'))).toMatchObject({ value: { a: 1 }, refusal: undefined });
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, sorted(member)]);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
