import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repairJsonText, repairText, repairValue } from "../../src/json/well-formed.ts";
import { runs } from "../runs.ts";

/** Texts with halves of pairs, whole pairs, and what looks like their escapes. */
const texts = fc
  .array(
    fc.constantFrom(
      "a",
      "é",
      "😀",
      "\ud83d",
      "\ude00",
      "\\ud83d",
      "\\ude00",
      "\\uD83D\\uDE00",
      "\\",
      '"',
      "\\n",
      "\u0000",
      "{",
      "[",
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));
const nested = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    texts,
    fc.constantFrom(null, true, 1.5, -0.1),
    tie("json").map((value) => JSON.stringify(value)),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(texts, tie("json"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json;

const half = /\p{Surrogate}/u;

/** Whether a string, read as JSON again and again, holds half a pair. */
function holdsHalf(value: unknown): boolean {
  if (typeof value === "string") return half.test(value) || holdsHalf(parsed(value));
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) => holdsHalf(key) || holdsHalf(member));
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" ? undefined : value;
  } catch {
    return undefined;
  }
}

describe("what holds half a surrogate pair", () => {
  it("is mended, in whatever is nested, and nothing else is", () => {
    const property = fc.property(nested, (value) => {
      const mended = repairValue(value);
      expect(holdsHalf(mended)).toBe(false);
      expect(mended === value).toBe(!holdsHalf(value));
      expect(JSON.parse(repairJsonText(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(mended)));
    });
    fc.assert(property, { numRuns: runs(3000) });
  });

  it.each([
    ["a whole pair", "😀", "😀"],
    ["the first half", "a\ud83d", "a\ufffd"],
    ["the second half", "\ude00b", "\ufffdb"],
    ["halves in the wrong order", "\ude00\ud83d", "\ufffd\ufffd"],
    ["an escape in JSON text", '{"a":"\\ud83d"}', '{"a":"\ufffd"}'],
    ["the escape of a whole pair there", '{"a": "\\ud83d\\ude00"}', '{"a": "\\ud83d\\ude00"}'],
    ["an escape in JSON text in JSON text", '["{\\"a\\":\\"\\\\uD83D\\"}"]', '["{\\"a\\":\\"\ufffd\\"}"]'],
    ["an escape in program text", "/[\\ud800-\\udfff]/", "/[\\ud800-\\udfff]/"],
  ])("%s: %j becomes %j", (_sentence, text, mended) => expect(repairText(text)).toBe(mended));

  it("leaves all else of a JSON text as it was written", () => {
    expect(repairJsonText('{ "a" : 1.0e1, "b":"\\u00e9", "c" :"x\\ud83d" }')).toBe(
      '{ "a" : 1.0e1, "b":"\\u00e9", "c" :"x\ufffd" }',
    );
  });
});

const halves = "\\ud83d".repeat(270_000);
const quotes = '\\"'.repeat(800_000);

it.each([
  ["halves", `"${halves}"`, `"${"\ufffd".repeat(270_000)}"`],
  ["escaped quotes", `"${quotes}"`, `"${quotes}"`],
  ["escaped quotes before a half", `"${quotes}\\ud83d"`, `"${quotes}\ufffd"`],
])("1.6 MB of %s are repaired without a limit of the stack", (_what, json, expected) => {
  expect(repairJsonText(json) === expected).toBe(true);
});
