import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { runCommandLine } from "../../src/cli/command-line.ts";
import type { OuterIo } from "../../src/cli/io.ts";

/** What `npm run build` made, as an operator starts it. */
const mainFile = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));
export const fixtures = fileURLToPath(new URL("fixtures", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

/** Runs a command to its end in this process, with nothing in the environment but what is given. */
export async function toolhost(
  args: readonly string[],
  { env = {}, cwd = temporaryFolder(), input = "" }: Surroundings & { readonly input?: string } = {},
): Promise<Ended> {
  const ended = { stdout: "", stderr: "" };
  const code = await runCommandLine(args, {
    env,
    cwd,
    out: (text) => (ended.stdout += text),
    err: (text) => (ended.stderr += text),
    ...stdinOf(input),
  });
  return { code: code ?? null, ...ended };
}

/** Stdin with this text. */
export function stdinOf(text: string): Pick<OuterIo, "input" | "chunks"> {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  };
  return { input: async () => text, chunks };
}

/** The same as a process of its own. */
export async function toolhostProcess(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  const child = start(args, surroundings);
  const output = collect(child);
  const code = await ended(child);
  return { code, stdout: output.stdout, stderr: output.stderr };
}

export interface Service {
  readonly url: string;
  /** What it wrote so far, a line an entry. */
  lines(): string[];
  /** Ends it as an operator does. @returns its exit code */
  stop(): Promise<number | null>;
  readonly pid: number;
}

/** `toolhost serve` on any free port, once it answers; it is ended with the test. */
export async function service(args: readonly string[] = [], surroundings: Surroundings = {}): Promise<Service> {
  const child = start(["serve", ...args], { ...surroundings, env: { PORT: "0", ...surroundings.env } });
  const output = collect(child);
  const end = ended(child);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await end;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", () => {
      const said = /"url":"([^"]+)","msg":"listening"/.exec(output.stderr)?.[1];
      if (said !== undefined) resolve(said);
    });
    void end.then((code) => reject(new Error(`it ended with ${code}: ${output.stderr}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    lines: () => output.stderr.split("\n").filter(Boolean),
    async stop() {
      child.kill("SIGTERM");
      return end;
    },
  };
}

/** A folder of the test's own, gone after it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolhost-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function start(args: readonly string[], { env = {}, cwd }: Surroundings): ChildProcess {
  const path = process.env["PATH"] ?? "";
  return spawn(process.execPath, [mainFile, ...args], {
    env: { PATH: path, ...env },
    ...(cwd !== undefined && { cwd }),
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  return output;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("close", resolve));
}
