import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 15_000,
    reporters: process.env["CI"] ? ["default", ["json", { outputFile: ".toolhost/test-results.json" }]] : ["default"],
  },
});
