import { defineConfig } from "vitest/config";

const isCI = Boolean(process.env["CI"]);
/** Suites that mostly wait, with a command of their own: `npm run test:faults`, `test:fuzz`, `test:load`. CI runs all. */
const ownCommands = ["test/faults/**", "test/fuzz/**", "test/load/**"];
const isNarrowed = process.argv.some((word) => word.startsWith("test/"));
if (!isCI && !isNarrowed) console.log("Left to their own commands, and to CI: test/faults, test/fuzz, test/load");

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: isCI || isNarrowed ? [] : ownCommands,
    testTimeout: 15_000,
    reporters: isCI ? ["default", ["json", { outputFile: ".toolhost/test-results.json" }]] : ["default"],
  },
});
