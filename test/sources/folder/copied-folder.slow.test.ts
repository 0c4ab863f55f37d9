import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../cli/toolhost.ts";
import { soon, watched, write } from "./watched-folder.ts";

/** A tool of several files; the value shows that all of them are as they should be. */
function filesOf(name: string, kind: "esm" | "commonjs", value: string): Record<string, string> {
  const isEsm = kind === "esm";
  const helper = isEsm
    ? 'import { end } from "./deep/er.mjs"; import data from "./data.json" with { type: "json" }; export const value = data.start + end;'
    : 'const { end } = require("./deep/er"); exports.value = require("./data.json").start + end;';
  return {
    [isEsm ? "tool.mjs" : "tool.js"]: isEsm
      ? `export const tool = { name: "${name}", description: "A tool.", execute: () => value };\nimport { value } from "./helper.mjs";`
      : `const { value } = require("./helper.js");\nexports.tool = { name: "${name}", description: "A tool.", execute: () => value };`,
    [isEsm ? "helper.mjs" : "helper.js"]: helper,
    [isEsm ? "deep/er.mjs" : "deep/er.js"]: isEsm ? `export const end = "${value}";` : `exports.end = "${value}";`,
    "data.json": '{ "start": "is " }',
    "parameters.json": '{ "type": "object" }',
  };
}

/** What is written of a file before its content. */
const beginnings = ["nothing", "half", "broken", "throwing", "other"] as const;
type Beginning = (typeof beginnings)[number];

function beginningOf(kind: Beginning, file: string, text: string): string | undefined {
  const isJson = file.endsWith(".json");
  if (kind === "half") return text.slice(0, Math.floor(text.length / 2));
  if (kind === "broken") return "{ ;";
  if (kind === "throwing") return isJson ? "{" : 'throw new Error("not yet");';
  return kind === "other" ? (isJson ? "[]" : "") : undefined;
}

const step = fc.record({
  beginning: fc.constantFrom(...beginnings),
  pauseMs: fc.constantFrom(0, 1, 30, 150, 350, 600),
});
const copies = fc.record({
  kinds: fc.array(fc.constantFrom("esm" as const, "commonjs" as const), { minLength: 3, maxLength: 5 }),
  order: fc.array(fc.nat(), { minLength: 25, maxLength: 25 }),
  steps: fc.array(step, { minLength: 25, maxLength: 25 }),
});

describe("a folder of tools that is copied file by file while it is watched", () => {
  test("is complete in the end, every time", { timeout: 600_000 }, async () => {
    const folder = temporaryFolder();
    const { call, skipped, stop } = await watched(folder);
    let round = 0;
    const property = fc.asyncProperty(copies, async ({ kinds, order, steps }) => {
      round++;
      const files = kinds
        .flatMap((kind, index) =>
          Object.entries(filesOf(`t${index}`, kind, `${round}`)).map(([file, text]) => ({ file, text, index })),
        )
        .map((each, index) => ({
          ...each,
          rank: order[index] ?? 0,
          ...(steps[index] ?? { beginning: "nothing", pauseMs: 0 }),
        }))
        .toSorted((left, right) => left.rank - right.rank);
      // One copies, and others wait their time at once: what is half there stays so while other files come.
      await Promise.all(
        files.map(async ({ file, text, index, beginning, pauseMs }, at) => {
          const path = join(folder, `t${index}`, file);
          await sleep(at * 20);
          const first = beginningOf(beginning as Beginning, file, text);
          if (first !== undefined) write(path, first);
          await sleep(pauseMs);
          write(path, text);
        }),
      );
      await vi.waitFor(async () => {
        const results = await Promise.all(kinds.map((_, index) => call(`t${index}`)));
        // Together, so that a failure shows the reason.
        expect([results, await skipped()]).toEqual([kinds.map(() => `is ${round}`), []]);
      }, soon);
      for (const index of kinds.keys()) rmSync(join(folder, `t${index}`), { recursive: true });
      await vi.waitFor(async () => expect(await call("t0")).toBe("unknown_tool"), soon);
    });
    await fc.assert(property, { numRuns: 15, endOnFailure: true });
    expect(await stop()).toBe(0);
  });
});
