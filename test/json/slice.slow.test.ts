import { expect, it } from "vitest";
import { elementTexts } from "../../src/json/slice.ts";
import { cpuMs } from "../cpu-time.ts";

it("elements are read no further than asked", () => {
  const elements = elementTexts(`[1,${"2,".repeat(2_000_000)}3]`);
  const start = cpuMs();
  expect(elements.next().value).toBe("1");
  const firstMs = cpuMs() - start;
  expect([...elements]).toHaveLength(2_000_001);
  expect(firstMs).toBeLessThan((cpuMs() - start) / 5);
});
