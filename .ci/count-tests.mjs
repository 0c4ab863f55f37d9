// Prints how many tests passed and failed, from vitest's JSON report. A report that is not there is a failure.
import { readFileSync } from "node:fs";

try {
  const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
  // A file that could not be loaded has no failed test of its own.
  const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  console.log(report.numPassedTests, report.numFailedTests + broken.length);
} catch {
  console.log(0, 1);
}
