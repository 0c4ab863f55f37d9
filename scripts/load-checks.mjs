// What holds under load, measured: node scripts/load-checks.mjs [leavers] [restarts] [overload] [leaks] [capacity]
// Without a name it runs the first four. Takes about four minutes, two cores, and a build: npm run build.
import { register } from "tsx/esm/api";

register();
const { formatRows } = await import("../test/load/load-report.ts");

const checks = {
  leavers: async () => (await import("../test/load/leavers.ts")).checkLeavers({ clients: 1000 }),
  restarts: async () => (await import("../test/load/restarts.ts")).checkRestarts({ restarts: 50 }),
  overload: async () => (await import("../test/load/overload.ts")).checkOverload({ seconds: 30 }),
  leaks: async () => (await import("../test/load/leaks.ts")).checkLeaks({ calls: 200_000, bytesPerCall: 16 }),
  capacity: async () => (await import("../test/load/overload.ts")).measureCapacity({ seconds: 8 }),
};

const names = process.argv.length > 2 ? process.argv.slice(2) : ["leavers", "restarts", "overload", "leaks"];
const rows = [];
for (const name of names) {
  try {
    rows.push(...(await checks[name]()));
  } catch (error) {
    rows.push({ check: name, limit: "runs", measured: String(error.message ?? error), holds: false });
  }
}
console.log(formatRows(rows));
process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1;
