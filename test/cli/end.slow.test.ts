import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startService } from "../http/running-service.ts";
import { service, temporaryFolder } from "./toolhost.ts";

const mainFile = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));
const limitMs = 500;

const held = `execute: (_args, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => {}))`;

function writeTool(folder: string, name: string, rest: string, head = ""): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(
    join(folder, name, "tool.mjs"),
    `${head}export const tool = { name: "${name}", description: "A tool.", parameters: { type: "object" }, timeoutMs: 60000, ${rest} };`,
  );
}

/** A pipe that is full, and that nobody reads. */
function fullPipe(): string {
  const path = join(temporaryFolder(), "pipe");
  execFileSync("mkfifo", [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  onTestFinished(() => {
    closeSync(reader);
    closeSync(writer);
  });
  try {
    for (;;) writeSync(writer, "x".repeat(4096));
  } catch {
    return path;
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly socket: string;
}

/** A service whose descriptors a shell sets. It is found by its socket, as it may not be able to say where it listens. */
async function startWith(redirection: string, shutdownMs = limitMs, tools = ""): Promise<Started> {
  const socket = join(temporaryFolder(), "s");
  const command = `exec "$0" "$1" serve ${redirection}`;
  const child = spawn("/bin/sh", ["-c", command, process.execPath, mainFile], {
    env: {
      PATH: process.env["PATH"],
      UNIX_SOCKET: socket,
      SHUTDOWN_TIMEOUT_MS: String(shutdownMs),
      TOOLHOST_TOOLS: tools,
      LOG_LEVEL: "trace",
    },
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await vi.waitFor(() => expect(curl(socket, "/readyz")).toContain("ok"), { timeout: 10_000, interval: 100 });
  return { child, socket };
}

function curl(socket: string, path: string, ...more: string[]): string {
  return execFileSync("curl", ["-s", "--max-time", "5", "--unix-socket", socket, ...more, `http://localhost${path}`], {
    encoding: "utf8",
  });
}

/** @returns how long it took to end after the signal, and its code */
async function endOf(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<{ ms: number; code: unknown }> {
  const start = performance.now();
  const ended = new Promise<unknown>((resolve) => child.once("exit", (code, by) => resolve(code ?? by)));
  child.kill(signal);
  const code = await ended;
  return { ms: performance.now() - start, code };
}

describe.each([
  ["on a full disk", () => "2>/dev/full"],
  ["on a full pipe that nobody reads", () => `2>>${fullPipe()}`],
  ["on one full pipe for stdout and stderr", () => `>>${fullPipe()} 2>&1`],
  ["closed", () => "2>&-"],
  ["closed as all descriptors are", () => "0<&- 1>&- 2>&-"],
])("a service whose stderr is %s", (_name, redirection) => {
  test("answers, and ends within the shutdown limit and a second", async () => {
    const { child, socket } = await startWith(redirection());
    for (let index = 0; index < 20; index++) {
      expect(
        curl(socket, "/tools/get_current_time/invoke", "-d", "{}", "-H", "content-type: application/json"),
      ).toContain('"ok"');
    }
    const { ms, code } = await endOf(child);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(limitMs + 1000);
  });

  test("ends at once at a second signal", async () => {
    const folder = temporaryFolder();
    writeTool(folder, "held", held);
    const { child, socket } = await startWith(redirection(), 60_000, folder);
    const json = ["-H", "content-type: application/json", "-d", "{}"];
    spawn("curl", ["-s", "--unix-socket", socket, ...json, "http://localhost/tools/held/invoke"]);
    await sleep(300);
    child.kill("SIGTERM");
    await sleep(200);
    expect(child.exitCode).toBeNull();
    const { ms, code } = await endOf(child);
    expect(code).toBe(1);
    expect(ms).toBeLessThan(300);
  });
});

describe("a service that is told to end", () => {
  test.each([
    ["a tool that ignores its signal", held, ""],
    ["a tool that waits for a file in a thread of Node's", `execute: () => readFile("/FIFO")`, "readFile"],
    [
      "a tool that waits for a file in a thread of its own",
      `isolation: "thread", execute: () => readFileSync("/FIFO")`,
      "readFileSync",
    ],
  ])("ends within the limit and a second, whatever %s does", async (_name, rest, imported) => {
    const folder = temporaryFolder();
    const fifo = join(folder, "fifo");
    execFileSync("mkfifo", [fifo]);
    const from = imported === "readFile" ? "node:fs/promises" : "node:fs";
    writeTool(
      folder,
      "held",
      rest.replace("/FIFO", fifo),
      imported === "" ? "" : `import { ${imported} } from "${from}";`,
    );
    const running = await startService({ TOOLHOST_TOOLS: folder, SHUTDOWN_TIMEOUT_MS: String(limitMs) });
    const answer = running.call("held").catch(() => undefined);
    await sleep(500);
    running.signal("SIGTERM");
    const start = performance.now();
    await running.exited;
    expect(performance.now() - start).toBeLessThan(limitMs + 1000);
    await answer;
  });

  test("is killed in time where a tool blocks the event loop while it ends", async () => {
    const folder = temporaryFolder();
    writeTool(folder, "held", `execute: () => new Promise(() => setTimeout(() => { for (;;); }, 800))`);
    const running = await startService({ TOOLHOST_TOOLS: folder, SHUTDOWN_TIMEOUT_MS: "1000" });
    const answer = running.call("held").catch(() => undefined);
    await sleep(300);
    const start = performance.now();
    running.signal("SIGTERM");
    expect(await running.exited).toBeNull();
    expect(performance.now() - start).toBeLessThan(2000);
    await answer;
  });
});

test("no line is lost at the end: neither of the last call nor of the end itself", async () => {
  const running = await service(["--log-level=info"]);
  const calls = Array.from({ length: 200 }, () =>
    fetch(`${running.url}/tools/get_current_time/invoke`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    }),
  );
  for (const answer of await Promise.all(calls)) expect(answer.status).toBe(200);
  expect(await running.stop()).toBe(0);
  const entries = running.lines().map((line) => JSON.parse(line) as { msg: string });
  expect(entries.filter(({ msg }) => msg === "call")).toHaveLength(200);
  expect(entries.at(-1)).toMatchObject({ msg: "drained" });
});

test("a fault that ends the process loses none of the lines before it", () => {
  const folder = temporaryFolder();
  const file = join(folder, "log");
  const writer = fileURLToPath(new URL("../../dist/src/telemetry/log.js", import.meta.url));
  const program = `import { createServiceLog } from ${JSON.stringify(writer)};
    const log = createServiceLog("info");
    process.on("exit", log.end);
    for (let index = 0; index < 100; index++) log.log.info({ index }, "line");
    ACT`;
  for (const act of ["process.exit(3)", "throw new Error('fault')", "setImmediate(() => process.exit(3))"]) {
    writeFileSync(file, "");
    const script = program.replace("ACT", act);
    expect(() =>
      execFileSync("/bin/sh", ["-c", `"$0" --input-type=module -e "$1" 2>>"$2"`, process.execPath, script, file]),
    ).toThrow();
    expect(readFileSync(file, "utf8").match(/"msg":"line"/g)).toHaveLength(100);
  }
});
