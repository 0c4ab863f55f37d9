import { spawn } from "node:child_process";

const running = new Set();

/** Whether this process ends well, by an error or by Ctrl-C. Call it first: exit handlers run in order. */
export function killChildrenAtExit() {
  process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));
  process.on("SIGINT", () => process.exit(130));
  process.on("SIGTERM", () => process.exit(143));
}

/**
 * A child that does not outlive this process, once `killChildrenAtExit` has been called.
 * @param {Parameters<typeof spawn>} args
 */
export function spawnChild(...args) {
  const child = spawn(...args);
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/**
 * Runs a command to its end and returns what it printed.
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>}
 */
export function outputOf([file, ...args], env) {
  const child = spawnChild(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text) => (stdout += text));
  child.stderr.on("data", (text) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${file} ${args.join(" ")} ended with ${code}: ${stderr || stdout}`));
    });
  });
}

/** For 10,000 sockets: as many open files as this user may have without being root. */
export const withManyFiles = (command) => [
  "sh",
  "-c",
  'ulimit -S -n 65536 2>/dev/null || ulimit -S -n "$(ulimit -H -n)"; exec "$@"',
  "sh",
  ...command,
];
