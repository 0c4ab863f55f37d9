import { defineConfig } from "vitest/config";

const isCI = Boolean(process.env["CI"]);
/** `npm run test:faults`, `test:fuzz` and `test:load` have a command of their own, and `.slow.` takes over five seconds. */
const slow = ["test/faults/**", "test/fuzz/**", "test/load/**", "test/**/*.slow.test.ts"];
const isNarrowed = process.argv.some((word) => word.startsWith("test/"));
const isQuick = !isCI && !isNarrowed;
if (isQuick) console.log(`Left out, because they take long: ${slow.join(", ")}. CI=true runs them too.`);

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...(isQuick ? slow : [])],
    // A machine that is busy with other work takes several times as long.
    testTimeout: 60_000,
    // Much of it waits. In CI nothing runs beside what is timed.
    maxWorkers: isQuick ? 2 : 1,
    reporters: isCI ? ["default", ["json", { outputFile: ".toolhost/test-results.json" }]] : ["default"],
  },
});
