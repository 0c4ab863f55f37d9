import { expect, it } from "vitest";
import { parseCounted } from "../../src/json/parse.ts";
import { leastCpuMs } from "../cpu-time.ts";

it.each([
  ["digits", "9".repeat(16_000_000), 9],
  ["decimals", `0.${"9".repeat(16_000_000)}`, 4.5],
])("a number of 16 MB of %s takes at most a few times as long as to parse it", (_what, number, times) => {
  const text = `{"city":${number}}`;
  const parsed = leastCpuMs(() => JSON.parse(text));
  expect(leastCpuMs(() => parseCounted(text, 10))).toBeLessThan(times * parsed);
});
