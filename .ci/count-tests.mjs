// count-tests.mjs REPORT FAILURES prints how many tests of vitest's JSON report passed and failed, and adds the failed ones to a file.
import { appendFileSync, readFileSync } from "node:fs";

const [report, failures] = process.argv.slice(2);
const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
let broken = 0;
for (const { name, status, message, assertionResults } of testResults) {
  const failed = assertionResults.filter((test) => test.status === "failed");
  for (const { fullName, failureMessages } of failed) add(`${name}: ${fullName}`, failureMessages.join("\n"));
  // A file that could not be loaded, or whose hook failed, has no failed test of its own.
  if (status !== "failed" || failed.length > 0) continue;
  broken++;
  add(name, message);
}
console.log(numPassedTests, numFailedTests + broken);

function add(what, message) {
  appendFileSync(failures, `FAILED: ${what}\n${message.slice(0, 2000)}\n`);
}
