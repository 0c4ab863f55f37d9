import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const hasSchedstat = existsSync(`/proc/${process.pid}/schedstat`);

export const cpuSource = hasSchedstat
  ? "/proc/<pid>/task/*/schedstat, all threads"
  : "`ps -o cputime` (no /proc/<pid>/schedstat here: coarse, so raise --seconds)";

/**
 * CPU microseconds that a process has used since it was spawned, garbage collection and compiler threads included.
 * The kernel books a running thread's time late (at a tick, or when it sleeps), so ask when the process is idle.
 * @param {number} pid
 */
export function cpuUs(pid) {
  return hasSchedstat ? cpuUsBySchedstat(pid) : cpuUsByPs(pid);
}

/** Lets a server finish what it still has in hand, so that its time is booked and belongs to the round before. */
export const settle = () => sleep(60);

/**
 * Resident memory in bytes.
 * @param {number} pid
 */
export function rssBytes(pid) {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return 1024 * Number(ps("rss", pid));
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8"))[1]);
}

/**
 * The most resident memory that a process ever held, or undefined where the system does not say.
 * @param {number} pid
 */
export function peakRssBytes(pid) {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return undefined;
  return 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8"))[1]);
}

function cpuUsBySchedstat(pid) {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [onCpuNs] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    ns += Number(onCpuNs);
  }
  return ns / 1000;
}

// [[days-]hours:]minutes:seconds, with fractions on macOS.
function cpuUsByPs(pid) {
  const [clock, days = "0"] = ps("cputime", pid).split("-").reverse();
  const seconds = clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1e6;
}

function ps(column, pid) {
  return spawnSync("ps", ["-o", `${column}=`, "-p", `${pid}`], { encoding: "utf8" }).stdout.trim();
}
