import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { token, type WorkerService } from "./worker-service.ts";

const library = fileURLToPath(new URL("../../workers/python", import.meta.url));
const patience = { timeout: 60_000, interval: 20 };

/** A process of `python3 -m toolhost_worker`, until the test ends. */
export interface PythonWorker {
  readonly child: ChildProcess;
  /** Its exit code, or its signal. */
  readonly exited: Promise<number | NodeJS.Signals | null>;
  /** What it has logged. */
  log(): string;
}

export interface PythonWorkerOptions {
  /** Of the worker, which is the source of its tools. */
  readonly name: string;
  readonly concurrency?: number;
  readonly token?: string;
}

/** @param module a file, or the name of a module in workers/python */
export function startPythonWorker(
  { url }: Pick<WorkerService, "url">,
  module: string,
  { name, concurrency = 8, token: ownToken = token }: PythonWorkerOptions,
): PythonWorker {
  const args = ["-m", "toolhost_worker", module, "--name", name, "--concurrency", String(concurrency)];
  const child = spawn("python3", args, {
    cwd: library,
    env: {
      PATH: process.env["PATH"],
      PYTHONPATH: library,
      PYTHONDONTWRITEBYTECODE: "1",
      TOOLHOST_URL: url,
      TOOLHOST_WORKER_TOKEN: ownToken,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once("close", (code, signal) => resolve(code ?? signal)),
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, exited, log: () => log };
}

/** Starts one, and waits until the service has its tools. */
export async function runPythonWorker(...args: Parameters<typeof startPythonWorker>): Promise<PythonWorker> {
  const worker = startPythonWorker(...args);
  await vi.waitUntil(() => worker.log().includes("registered as"), patience);
  return worker;
}

/** @returns the path of a module with the text */
export function writeModule(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.py`);
  writeFileSync(file, `from toolhost_worker import Context, ToolError, tool\n\n\n${text}`);
  return file;
}
