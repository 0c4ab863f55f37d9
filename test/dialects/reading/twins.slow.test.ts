import { expect, it } from "vitest";
import { findTwins } from "../../../src/dialects/reading/twins.ts";
import { canonicalJson } from "../../../src/json/canonical.ts";
import { leastCpuMs } from "../../cpu-time.ts";

it("calls with one id are compared in less time than they take to write out, if they differ", () => {
  const calls = Array.from({ length: 4096 }, (_, n) => ({ id: "a", name: "f", args: { n, text: "x".repeat(4000) } }));
  const writtenMs = leastCpuMs(() => new Set(calls.map((call) => canonicalJson(call.args))));
  expect(leastCpuMs(() => findTwins(calls))).toBeLessThan(writtenMs);
});
