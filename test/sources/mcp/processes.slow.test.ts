import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { commandOf, type Script } from "./scripted.ts";

const main = fileURLToPath(new URL("../../../dist/src/main.js", import.meta.url));
const soon = { timeout: 60_000, interval: 20 };

interface Service {
  readonly child: ChildProcess;
  readonly url: string;
  log(): string;
  /** The process of its MCP server. */
  readonly server: number;
}

async function startService(script: Script, shutdownTimeoutMs?: number): Promise<Service> {
  const { command, args } = commandOf({ tools: ["environment"], ...script });
  const limit = shutdownTimeoutMs === undefined ? {} : { SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs) };
  return startWith(["--name", "s", "--", command, ...args], limit);
}

async function startWith(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const child = spawn(process.execPath, [main, "serve", "--port", "0", ...flags], {
    env: { PATH: process.env["PATH"], SECRET: "hidden", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (log += text));
  const url = await vi.waitFor(() => {
    const found = /"url":"([^"]+)","msg":"listening"/.exec(log)?.[1];
    if (found === undefined) throw new Error(`It does not listen: ${log}`);
    return found;
  }, soon);
  const outcome = await vi.waitFor(async () => {
    const response = await fetch(`${url}/tools/s_environment/invoke`, { method: "POST" });
    const answer = (await response.json()) as { result?: { pid: number; names: readonly string[] } };
    if (answer.result === undefined) throw new Error(JSON.stringify(answer));
    return answer.result;
  }, soon);
  expect(outcome.names).not.toContain("SECRET");
  return { child, url, log: () => log, server: outcome.pid };
}

/** Whether a process of the group of the server is left. */
function isGroupAlive(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return false;
  }
}

const stubborn = { outlivesStdin: true, ignoresSignals: true, grandchild: true };

test.each<[string, NodeJS.Signals, Script]>([
  ["ends with it", "SIGTERM", {}],
  ["ends with it, though it ignores its stdin and signals, and so does what it started", "SIGTERM", stubborn],
  ["ends by its stdin if the service is killed", "SIGKILL", {}],
])("the server of a service %s (%s)", async (_name, signal, script) => {
  const service = await startService(script);
  expect(isGroupAlive(service.server)).toBe(true);
  service.child.kill(signal);
  await once(service.child, "exit");
  await vi.waitFor(() => expect(isGroupAlive(service.server)).toBe(false), soon);
});

test.each([100, 1500])("a stubborn server in a call does not delay the end of the service (%i ms)", async (limitMs) => {
  const service = await startService({ ...stubborn, tools: ["environment", "slow"] }, limitMs);
  const call = fetch(`${service.url}/tools/s_slow/invoke`, { method: "POST" }).then((response) => response.json());
  await vi.waitFor(async () => {
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/toolhost_calls_in_flight 1/);
  }, soon);
  const start = performance.now();
  service.child.kill("SIGTERM");
  expect(await call).toMatchObject({ error: { code: "cancelled", ran: "unknown" } });
  expect(await once(service.child, "exit")).toEqual([0, null]);
  expect(performance.now() - start).toBeLessThan(limitMs + 1000);
  await vi.waitFor(() => expect(isGroupAlive(service.server)).toBe(false), soon);
});

test("a second signal ends the service and a stubborn server at once", async () => {
  const service = await startService(stubborn);
  service.child.kill("SIGTERM");
  service.child.kill("SIGINT");
  await once(service.child, "exit");
  await vi.waitFor(() => expect(isGroupAlive(service.server)).toBe(false), soon);
});

test("a command that a signal ends takes its server with it", async () => {
  const { command, args } = commandOf({ ...stubborn, tools: ["slow"], stderr: "started" });
  const child = spawn(process.execPath, [main, "call", "s_slow", "--name", "s", "--", command, ...args], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (log += text));
  await vi.waitFor(() => expect(log).toContain("started"), soon);
  const groups = await childrenOf(child.pid!);
  expect(groups).toHaveLength(1);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
  await vi.waitFor(() => expect(isGroupAlive(groups[0]!)).toBe(false), soon);
});

async function childrenOf(parent: number): Promise<number[]> {
  const ps = spawn("ps", ["-o", "pid=", "--ppid", String(parent)], { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  ps.stdout.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk));
  await once(ps, "close");
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}

test("a flood of stderr does not fill the log, and does not stop calls", async () => {
  const service = await startService({ stderrFlood: true });
  const sizes: number[] = [];
  for (let second = 0; second < 3; second++) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    sizes.push(service.log().length);
  }
  expect(sizes[2]! - sizes[0]!).toBeLessThan(200_000);
  const response = await fetch(`${service.url}/tools/s_environment/invoke`, { method: "POST" });
  expect(await response.json()).toMatchObject({ status: "ok" });
});

test("a change of the mcpServers file is a reload, in which a server that stays keeps its process", async () => {
  const dir = mkdtempSync(join(tmpdir(), "toolhost-mcp-file-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "mcp.json");
  const write = (servers: object): void => writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  const s = commandOf({ tools: ["environment"] });
  write({ s });
  const service = await startWith(["--mcp-config", file]);
  const names = async (): Promise<string[]> => {
    const { tools } = (await (await fetch(`${service.url}/tools`)).json()) as { tools: { name: string }[] };
    return tools.map(({ name }) => name);
  };
  expect(await names()).toEqual(["s_environment"]);
  write({ s, other: commandOf({ tools: ["one"] }) });
  await vi.waitFor(async () => expect(await names()).toEqual(["other_one", "s_environment"]), soon);
  expect(isGroupAlive(service.server)).toBe(true);
  write({ other: commandOf({ tools: ["one"] }) });
  await vi.waitFor(async () => expect(await names()).toEqual(["other_one"]), soon);
  await vi.waitFor(() => expect(isGroupAlive(service.server)).toBe(false), soon);
});
