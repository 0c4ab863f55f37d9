import { defineConfig } from "vitest/config";

const isCI = Boolean(process.env["CI"]);
/** `npm run test:faults`, `test:fuzz` and `test:load` have a command of their own, and `.slow.` takes over five seconds. */
const slow = ["test/faults/**", "test/fuzz/**", "test/load/**", "test/**/*.slow.test.ts"];
const isNarrowed = process.argv.some((word) => word.startsWith("test/"));
const isQuick = !isCI && !isNarrowed;
if (isQuick) console.log(`Left out, because they take long: ${slow.join(", ")}. CI=true runs them too.`);

/** Their files need a process of their own: they count its threads and handles, or replace modules for themselves. */
const alone = [
  "test/access/keys.test.ts",
  "test/core/call/span.test.ts",
  "test/isolation/pool.test.ts",
  "test/isolation/pool.slow.test.ts",
  "test/telemetry/line-writer.test.ts",
];

const common = {
  // A machine that is busy with other work takes several times as long.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  setupFiles: ["test/patient-waits.ts"],
  env: { TEST_SIZE: isQuick ? "quick" : "full" },
};

export default defineConfig({
  test: {
    // Much of it waits, so that two cores have room for three. In CI nothing runs beside what is timed.
    maxWorkers: isQuick ? 3 : 1,
    reporters: isCI ? ["default", ["json", { outputFile: ".toolhost/test-results.json" }]] : ["default"],
    projects: [
      {
        test: {
          ...common,
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...alone, ...(isQuick ? slow : [])],
          // To load the sources again for each of 200 files takes longer than the tests.
          isolate: !isQuick,
        },
      },
      { test: { ...common, name: "alone", include: alone, exclude: isQuick ? slow : [] } },
    ],
  },
});
