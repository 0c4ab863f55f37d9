import { expect, test } from "vitest";
import { importBuilt } from "./tools-folder.ts";

test("each question to the hooks gets its own answer, also if several are asked at a time", async () => {
  const { startFreshImports } = await importBuilt<typeof import("../../../src/sources/folder/fresh-imports.ts")>(
    "sources/folder/fresh-imports.js",
  );
  const hooks = await startFreshImports();
  const answers = await Promise.all([hooks.assign([], 1), hooks.takeResolved(), hooks.retry([]), hooks.takeResolved()]);
  expect(answers).toEqual([undefined, expect.any(Array), undefined, []]);
});
