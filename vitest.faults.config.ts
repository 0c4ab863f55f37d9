import { defineConfig } from "vitest/config";
import { createRowReporter } from "./test/faults/row-reporter.ts";

export default defineConfig({
  test: {
    include: ["test/faults/**/*.test.ts"],
    testTimeout: 15_000,
    // One waits for slow clients for half a minute while the other works.
    maxWorkers: 2,
    reporters: ["default", createRowReporter()],
  },
});
