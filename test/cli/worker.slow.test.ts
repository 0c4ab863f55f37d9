import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type StandInService, startStandIn } from "../offer/stand-in-service.ts";
import { temporaryFolder } from "./toolhost.ts";

const mainFile = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));
const patience = { timeout: 30_000, interval: 20 };

interface WorkerProcess {
  readonly child: ChildProcess;
  readonly output: { stderr: string };
  readonly exited: Promise<number | null>;
}

function writeTool(folder: string, name: string, execute: string, more = ""): void {
  mkdirSync(join(folder, name), { recursive: true });
  const text = `export const tool = { name: "${name}", description: "A tool.", parameters: { type: "object" }, ${more} execute: ${execute} };`;
  writeFileSync(join(folder, name, "tool.mjs"), text);
}

function startWorker(
  folder: string,
  { url }: StandInService,
  env: Readonly<Record<string, string>> = {},
): WorkerProcess {
  const child = spawn(process.execPath, [mainFile, "worker", folder, "--name", "billing"], {
    env: { PATH: process.env["PATH"], TOOLHOST_URL: url, TOOLHOST_WORKER_TOKEN: "the-token", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const output = { stderr: "" };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, output, exited };
}

const block = `({ ms }) => { const until = Date.now() + ms; while (Date.now() < until); return "free"; }`;

describe("toolhost worker as a process", () => {
  it("offers its folder, takes up changes, and ends when its calls are answered", async () => {
    const service = await startStandIn();
    const folder = temporaryFolder();
    writeTool(folder, "first", `() => 1`);
    writeTool(folder, "needs_key", `() => 1`, `requires: ["KEY_THAT_IS_NOT_SET"],`);
    const { child, output, exited } = startWorker(folder, service);
    await vi.waitFor(() => expect(service.registered).toHaveLength(1), patience);
    expect(service.registered[0]).toMatchObject({ name: "billing", concurrency: 100, tools: [{ name: "first" }] });
    expect(output.stderr).toMatch(
      /"tool":"needs_key","reason":"[^"]*KEY_THAT_IS_NOT_SET[^"]*","msg":"tool not offered"/,
    );

    writeTool(folder, "second", `() => new Promise((resolve) => setTimeout(resolve, 700, "late"))`);
    await vi.waitFor(() => expect(service.polls).toContainEqual(expect.objectContaining({ workerId: "w2" })), patience);
    expect(service.registered[1]?.tools).toMatchObject([{ name: "first" }, { name: "second" }]);

    service.handOut({ callId: "c-1", tool: "second" });
    await vi.waitFor(() => expect(service.polls.filter(({ workerId }) => workerId === "w2")).toHaveLength(2), patience);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    expect(service.sent()).toEqual([{ callId: "c-1", result: "late" }]);
    expect(service.left).toEqual(["w1", "w2"]);
    expect(output.stderr).toMatch(/"callId":"c-1","tool":"second",.*"code":"ok"/);
    expect(output.stderr).not.toContain("the-token");
  });

  it("keeps its lease while a tool blocks its only thread", async () => {
    const service = await startStandIn({ leaseMs: 900 });
    const folder = temporaryFolder();
    writeTool(folder, "block", block);
    startWorker(folder, service);
    await vi.waitFor(() => expect(service.polls.length).toBeGreaterThan(0), patience);
    const seen: number[] = [];
    const note = (): void => void seen.push(Date.now());
    service.fault = () => {
      note();
      return undefined;
    };
    note();
    service.handOut({ callId: "c-1", tool: "block", arguments: { ms: 4000 } });
    await vi.waitFor(() => expect(service.sent()).toEqual([{ callId: "c-1", result: "free" }]), patience);
    const gaps = seen.slice(1).map((at, index) => at - seen[index]!);
    expect(Math.max(...gaps)).toBeLessThan(900);
    expect(service.requests.filter(({ sent }) => sent.length === 0).length).toBeGreaterThanOrEqual(4);
  });

  it("runs tools in threads", async () => {
    const service = await startStandIn();
    const folder = temporaryFolder();
    writeTool(folder, "block", block, `isolation: "thread", timeoutMs: 60000,`);
    startWorker(folder, service);
    await vi.waitFor(() => expect(service.polls.length).toBeGreaterThan(0), patience);
    service.handOut({ callId: "c-1", tool: "block", arguments: { ms: 300 } });
    service.handOut({ callId: "c-2", tool: "block", arguments: { ms: 60_000 }, timeoutMs: 500 });
    await vi.waitFor(() => expect(service.sent()).toHaveLength(2), patience);
    expect(service.sent()).toContainEqual({ callId: "c-1", result: "free" });
    expect(service.sent().find(({ callId }) => callId === "c-2")?.error).toMatchObject({
      details: { code: "timeout" },
    });
  });

  it("ends with 2 and what to change if the service refuses it", async () => {
    const service = await startStandIn();
    service.fault = () => ({ status: 401, message: "The worker token is not known." });
    const folder = temporaryFolder();
    writeTool(folder, "first", `() => 1`);
    const { output, exited } = startWorker(folder, service);
    expect(await exited).toBe(2);
    expect(output.stderr).toContain(
      `refused the worker (401 at ${service.url}/workers): The worker token is not known.`,
    );
    expect(output.stderr).toContain('TOOLHOST_WORKER_TOKEN must be a token of an entry "workers"');
    expect(output.stderr).not.toContain("the-token");
  });

  it("ends on a signal while the service is away", async () => {
    const service = await startStandIn();
    service.fault = () => "no answer";
    const folder = temporaryFolder();
    writeTool(folder, "first", `() => 1`);
    const { child, output, exited } = startWorker(folder, service);
    await vi.waitFor(() => expect(output.stderr).toContain("it tries again"), patience);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
  });
});
