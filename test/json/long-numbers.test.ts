import { expect, it } from "vitest";
import { parseCounted } from "../../src/json/parse.ts";
import { JsonReader } from "../../src/json/reader.ts";

it.each([
  ["digits", "9".repeat(1_000_000)],
  ["decimals", `0.${"9".repeat(1_000_000)}`],
])("a number of 1 MB of %s is read as JSON.parse reads it", (_what, number) => {
  const text = `{"city":${number}}`;
  expect(parseCounted(text, 10)).toMatchObject({ value: JSON.parse(text) as unknown, values: 2 });
});

it.each([1, 63, 64, 65, 200])("a number of %i digits ends where it ends, whatever comes after it", (length) => {
  const digits = `0.${"7".repeat(length)}`;
  for (const end of ["", " ", "\n", ",1", ' ,"a"']) {
    const text = `{"a":[${digits}${end}],"b":[true${end}]}`;
    const expected = JSON.parse(text) as unknown;
    expect(parseCounted(text, 10).value).toEqual(expected);
    const reader = new JsonReader();
    reader.write(text.slice(0, length));
    reader.write(text.slice(length));
    expect(reader.end().value).toEqual(expected);
  }
  expect(parseCounted(`[${digits},${digits},{"a":${digits}}]`, 10).values).toBe(5);
});
