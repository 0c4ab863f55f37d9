import { expect, it } from "vitest";
import { repairJsonText } from "../../src/json/well-formed.ts";
import { leastCpuMs } from "../cpu-time.ts";

const halves = "\\ud83d".repeat(2_700_000);
const quotes = '\\"'.repeat(8_000_000);

it.each([
  ["halves", `"${halves}"`, `"${"\ufffd".repeat(2_700_000)}"`, 8],
  ["escaped quotes", `"${quotes}"`, `"${quotes}"`, 1],
  ["escaped quotes before a half", `"${quotes}\\ud83d"`, `"${quotes}\ufffd"`, 10],
])("the repair of 16 MB of %s takes at most a few times as long as to parse them", (_what, json, expected, times) => {
  const parsed = leastCpuMs(() => JSON.parse(json));
  let repaired = "";
  const taken = leastCpuMs(() => (repaired = repairJsonText(json)));
  expect(repaired === expected).toBe(true);
  expect(taken).toBeLessThan(times * parsed);
});
