import type { Reporter, TestCase } from "vitest/node";
import { leftOut, rows } from "./rows.ts";

/** Counts the rows of which every test held, and says at the end `N of N`, and which rows are left out and why. */
export function createRowReporter(): Reporter {
  const held = new Map<string, boolean>();
  return {
    onTestCaseResult(test: TestCase) {
      const [row = ""] = test.name.split(" ");
      if (!rows.includes(row)) return;
      held.set(row, (held.get(row) ?? true) && test.result().state === "passed");
    },
    onTestRunEnd() {
      const expected = rows.filter((row) => !(row in leftOut));
      const broken = expected.filter((row) => held.get(row) !== true);
      console.log("\nLeft out:");
      for (const [row, reason] of Object.entries(leftOut)) console.log(`  ${row.padEnd(3)} ${reason}`);
      if (broken.length > 0) console.log(`Not held: ${broken.join(", ")}`);
      console.log(`Rows that hold: ${expected.length - broken.length} of ${expected.length}`);
    },
  };
}
