import { describe, expect, it } from "vitest";
import { closest } from "../../src/schema/suggest.ts";

/** Every cell of the table of edits: what looking would cost without its shortcuts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}

describe("to look for what was meant", () => {
  const names = Array.from(
    { length: 1000 },
    (_, i) => `server_${["get", "list", "create"][i % 3]}_repository_${i}_details`,
  );

  it.each(["server_gat_repositry_7_detials_of", "z".repeat(40)])(
    "takes little time for many words among 1,000: %s",
    (word) => {
      // The least of several: whatever else runs, and what is compiled meanwhile, only adds.
      const cpuOf = (run: () => void): number => {
        const times = Array.from({ length: 3 }, () => {
          const start = process.cpuUsage().user;
          run();
          return process.cpuUsage().user - start;
        });
        return Math.min(...times);
      };
      // Against whole comparisons, so that it holds on any machine.
      const looking = cpuOf(() => {
        for (let i = 0; i < 32; i++) closest(`${word}${i}`, names);
      });
      const whole = cpuOf(() => {
        for (let i = 0; i < 32; i++) for (const name of names) distance(`${word}${i}`, name);
      });
      expect(looking / whole).toBeLessThan(0.5);
    },
  );
});
