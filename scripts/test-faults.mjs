// Provokes each fault that the service must stand, as `test/faults/rows.ts` lists them, against what is shipped.
// `--repeat 5` does so five times in a row, and stops at the first row that does not hold.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { repeat: { type: "string", default: "1" } },
  allowPositionals: true,
});
const repeats = Number(values.repeat);
if (!Number.isInteger(repeats) || repeats < 1) throw new Error("--repeat takes a whole number of at least 1");

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

run("scripts/build.mjs");
for (let round = 1; round <= repeats; round++) {
  if (repeats > 1) console.log(`\nRound ${round} of ${repeats}`);
  run(vitest, "run", "--config", "vitest.faults.config.ts", ...positionals);
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
