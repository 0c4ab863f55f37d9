import { expect, test } from "vitest";
import { reportAsText } from "../../src/cli/check-report.ts";

test("a warning of a folder is shown though no tool has its name", () => {
  const warnings = [{ name: "a_folder", message: "it is read twice" }];
  const tools = [{ name: "t", arguments: [], examples: 0, problems: [] }];
  expect(reportAsText({ tools, skipped: [], warnings, unusedBindings: [], formats: [] }, false)).toBe(
    "t: ok\na_folder: warning: it is read twice\n",
  );
});
