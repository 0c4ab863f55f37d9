// count-tests.mjs REPORT FAILURES prints how many tests of vitest's JSON report passed and failed, and adds the failed ones to a file.
import { appendFileSync, readFileSync } from "node:fs";

const [report, failures] = process.argv.slice(2);
try {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
  const failed = testResults.filter((file) => file.status === "failed");
  // A file that could not be loaded has no failed test of its own.
  const broken = failed.filter((file) => file.assertionResults.length === 0);
  for (const file of failed) {
    const tests = file.assertionResults.filter((test) => test.status === "failed");
    for (const { fullName, failureMessages } of tests) add(`${file.name}: ${fullName}`, failureMessages.join("\n"));
    if (tests.length === 0) add(file.name, file.message);
  }
  console.log(numPassedTests, numFailedTests + broken.length);
} catch (error) {
  add(report, String(error));
  console.log(0, 1);
}

function add(what, message) {
  appendFileSync(failures, `FAILED: ${what}\n${message.slice(0, 2000)}\n`);
}
