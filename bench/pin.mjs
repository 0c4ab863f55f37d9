import { spawnSync } from "node:child_process";

// Server and load each have a core, so that neither takes the other's time and the scheduler moves nothing.
const cores = { server: 0, load: 1 };

/** False where there is no taskset (macOS) or where this process may not use both cores. */
export const canPin = Object.values(cores).every(
  (core) => spawnSync("taskset", ["-c", `${core}`, "true"]).status === 0,
);

/**
 * @param {'server' | 'load'} side
 * @param {string[]} command
 */
export function pinned(side, command) {
  return canPin ? ["taskset", "-c", `${cores[side]}`, ...command] : command;
}

/** Keeps this process itself, with all its threads, off the servers' core. */
export function pinSelf() {
  if (canPin) spawnSync("taskset", ["-a", "-c", "-p", `${cores.load}`, `${process.pid}`]);
}
