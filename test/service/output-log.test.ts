import { expect, onTestFinished, test, vi } from "vitest";
import { boundOutput } from "../../src/service/output-log.ts";

test("each source may write 20 lines a second; more are counted, and long lines are cut", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const written: string[] = [];
  const output = boundOutput((source, line) => written.push(`${source} ${line}`));
  for (let line = 0; line < 100; line++) output("loud", `${line}`);
  output("quiet", "x".repeat(3000));
  output("quiet", "   ");
  expect(written).toHaveLength(21);
  expect(written.at(-1)).toBe(`quiet ${"x".repeat(2000)}…`);
  vi.advanceTimersByTime(1000);
  output("loud", "later");
  expect(written.slice(21)).toEqual(["loud (80 more lines)", "loud later"]);
});
