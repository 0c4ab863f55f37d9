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
  "test/telemetry/line-writer.test.ts",
];

/** Slow only because they do much: they have no bound of time, CPU or memory, and wait for no real second to pass. */
const untimed = [
  "test/agent/long-conversations.slow.test.ts",
  "test/config/damage.slow.test.ts",
  "test/conformance/*.slow.test.ts",
  "test/dialects/{corpus-rules,suite-rules}.slow.test.ts",
  "test/dialects/mcp/modern.slow.test.ts",
  "test/dialects/schema/properties.slow.test.ts",
  "test/docs/examples.slow.test.ts",
  "test/fuzz/{bodies,declarations,headers,results,schemas,targets,bound-arguments.slow}.test.ts",
  "test/http/body/many-values.slow.test.ts",
  "test/isolation/library-rows.slow.test.ts",
  "test/schema/unions/tagged-unions.slow.test.ts",
  "test/sources/folder/load-order.slow.test.ts",
  "test/sources/openapi/*.slow.test.ts",
];

const common = {
  // A machine that is busy with other work takes several times as long.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  setupFiles: ["test/patient-waits.ts"],
  env: { TEST_SIZE: isQuick ? "quick" : "full" },
};
/** Much of the quick tests waits, so that two cores have room for three. The groups run one after the other. */
const besideOthers = {
  ...common,
  // A property that is tried 1,500 times takes five seconds, and over a minute on a busy machine.
  testTimeout: isQuick ? common.testTimeout : 300_000,
  maxWorkers: isQuick ? 3 : 2,
  sequence: { groupOrder: 0 },
};
const byItself = { ...common, maxWorkers: 1, sequence: { groupOrder: 1 } };

const quickProjects = [
  // To load the sources again for each of 200 files takes longer than the tests.
  {
    ...besideOthers,
    name: "shared",
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...alone, ...slow],
    isolate: false,
  },
  { ...besideOthers, name: "alone", include: alone },
];
const slowProjects = [
  { ...besideOthers, name: "untimed", include: untimed },
  // Nothing runs beside what is timed. A slow file that is not in the list of the untimed is here.
  { ...byItself, name: "timed", include: slow.map(testsOf), exclude: untimed },
];

function testsOf(pattern: string): string {
  return pattern.endsWith(".test.ts") ? pattern : `${pattern}/*.test.ts`;
}

export default defineConfig({
  test: {
    reporters: isCI ? ["default", ["json", { outputFile: ".toolhost/test-results.json" }]] : ["default"],
    projects: [...quickProjects, ...(isQuick ? [] : slowProjects)].map((test) => ({ test })),
  },
});
