import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Runs a program to its end, in the project's folder, with nothing in the environment but what is given. */
export async function runToEnd([file = "", ...args]: readonly string[], env: Record<string, string>): Promise<Ended> {
  const path = process.env["PATH"] ?? "";
  const child = spawn(file, args, { cwd: root, env: { PATH: path, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  return { code, ...said };
}
