import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** `toolhost serve` as a process of its own, with the tools of `fixtures/tools`. */
export interface RunningService {
  readonly port: number;
  /** What it wrote to stderr so far. */
  readonly log: string;
  /** The entries of its log so far. */
  readonly entries: ReadonlyArray<Readonly<Record<string, unknown>>>;
  signal(name: NodeJS.Signals): void;
  /** Waits until it has ended; the code is null where a signal ended it. */
  readonly exited: Promise<number | null>;
  request(path: string, init?: RequestInit): Promise<Response>;
  call(tool: string, args?: object): Promise<Response>;
}

// `npm test` builds first: what runs here is what is shipped.
const main = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));
const tools = fileURLToPath(new URL("fixtures/tools", import.meta.url));

export async function startService(env: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const child = spawn(process.execPath, [main, "serve"], {
    env: { PATH: process.env["PATH"], PORT: "0", TOOLHOST_TOOLS: tools, TOOLHOST_BUNDLED: "off", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => void (log += text));
  // "close", not "exit": by then all that it wrote has come.
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });

  const url = await listening(child, () => log);
  const request: RunningService["request"] = (path, init) => fetch(new URL(path, url), init);
  return {
    port: Number(new URL(url).port),
    get log() {
      return log;
    },
    get entries() {
      const lines = log.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"));
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    signal: (name) => void child.kill(name),
    exited,
    request,
    call: (tool, args = {}) =>
      request(`/tools/${tool}/invoke`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(args),
      }),
  };
}

async function listening(child: ChildProcess, log: () => string): Promise<string> {
  for (;;) {
    const url = /"url":"([^"]+)","msg":"listening"/.exec(log())?.[1];
    if (url !== undefined) return url;
    if (child.exitCode !== null) throw new Error(`It ended before it answered: ${log()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
