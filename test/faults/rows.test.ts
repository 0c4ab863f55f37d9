import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { leftOut, rows } from "./rows.ts";

it("every row has a test or a reason why not, and none has both", () => {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
  const texts = files.map((name) => readFileSync(new URL(name, folder), "utf8"));
  const tested = new Set(
    texts.flatMap((text) => [...text.matchAll(/\b(?:fault|waitingFault)\(\s*"([A-Z]\d+)"/g)].map(([, row]) => row)),
  );
  const expected = rows.filter((row) => !(row in leftOut));
  expect(tested).toEqual(new Set(expected));
  expect(Object.keys(leftOut).filter((row) => !rows.includes(row))).toEqual([]);
});
