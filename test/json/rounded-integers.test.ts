import { expect, it } from "vitest";
import { hasRoundedInteger, markRoundedIntegers } from "../../src/json/rounded-integers.ts";
import { sizeOf } from "../runs.ts";

it.each([
  ["1234567890123456789012", "1e999"],
  ["[-1234567890123456789012 ,1]", "[-1e999 ,1]"],
  ['{"a\\"b\\\\":1234567890123456789012}', '{"a\\"b\\\\":1e999}'],
  [`[${"9".repeat(400)}]`, "[1e999]"],
])("an integer that would be rounded is marked: %s", (json, marked) => {
  expect(markRoundedIntegers(json)).toBe(marked);
  expect(hasRoundedInteger(json)).toBe(true);
});

it.each([
  "1000000000000000000000",
  "1234567890123456789012.5",
  "12345678901234567890e2",
  '"1234567890123456789012"',
  '[", 1234567890123456789012 ,"]',
  '["\\", 1234567890123456789012 ,\\\\", 1]',
])("what is exact, has a fraction or an exponent, or is in a string, stays: %s", (json) => {
  expect(markRoundedIntegers(json)).toBe(json);
  expect(hasRoundedInteger(json)).toBe(false);
});

it("shorter integers are found, and not marked", () => {
  expect(markRoundedIntegers("[9007199254740993]")).toBe("[9007199254740993]");
  expect(hasRoundedInteger("[9007199254740993]")).toBe(true);
});

it.each([
  ["escaped quotes", '\\"'],
  ["backslashes", "\\\\"],
  ["short strings", '","'],
  ["integers in a string", " 1234567890123456789012,"],
])("megabytes of %s are read in linear time, also if a string has no end", (_what, repeated) => {
  const inside = repeated.repeat(sizeOf(4_000_000, 1_000_000) / repeated.length);
  const count = sizeOf(100_000, 25_000);
  expect(markRoundedIntegers(`["${inside}",1234567890123456789012]`)).toMatch(/,1e999\]$/);
  expect(markRoundedIntegers(`["${inside} 1234567890123456789012,`)).toMatch(/,$/);
  const integers = "1234567890123456789012,".repeat(count);
  expect(markRoundedIntegers(`[${integers}"${inside}"]`)).toHaveLength(6 * count + inside.length + 4);
});
