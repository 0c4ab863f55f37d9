import { expect, it } from "vitest";
import { parseCounted } from "../../src/json/parse.ts";
import { JsonReader } from "../../src/json/reader.ts";
import { cpuMs } from "../cpu-time.ts";

/** The least of three runs: the first one compiles. */
function leastCpuMs(work: () => unknown): number {
  const taken = [1, 2, 3].map(() => {
    const before = cpuMs();
    work();
    return cpuMs() - before;
  });
  return Math.min(...taken);
}

it.each([
  ["digits", "9".repeat(16_000_000), 9],
  ["decimals", `0.${"9".repeat(16_000_000)}`, 4.5],
])("a number of 16 MB of %s takes at most a few times as long as to parse it", (_what, number, times) => {
  const text = `{"city":${number}}`;
  const parsed = leastCpuMs(() => JSON.parse(text));
  expect(leastCpuMs(() => parseCounted(text, 10))).toBeLessThan(times * parsed);
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
