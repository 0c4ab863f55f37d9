import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** AGENTS.md names files of these rooms without `src/`. */
const bases = ["", "src/"];
const path = /`((?:[\w.-]+\/)+[\w.-]*)`/g;

test.each(["AGENTS.md", "CONTRIBUTING.md"])("every path in backticks in %s exists", (document) => {
  const text = readFileSync(`${root}/${document}`, "utf8");
  const paths = [...text.matchAll(path)].map(([, named = ""]) => named);
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((named) => !bases.some((base) => existsSync(`${root}/${base}${named}`)))).toEqual([]);
});
