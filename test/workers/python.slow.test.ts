import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../cli/toolhost.ts";
import { runPythonWorker, startPythonWorker, writeModule } from "./python-worker.ts";
import { startWorkerService } from "./worker-service.ts";

const patience = { timeout: 60_000, interval: 20 };

/** A tool that leaves a file when it starts, and ends when another file is there. */
function gateTool(folder: string, answer: string, more = ""): string {
  return `
import os, time

@tool(timeout_ms=120_000)
def work(name: str${more}) -> str:
    """Works until it may end."""
    open(os.path.join(${JSON.stringify(folder)}, "started-" + name), "w").close()
    while not os.path.exists(os.path.join(${JSON.stringify(folder)}, "end-" + name)):
        time.sleep(0.01)
    return ${JSON.stringify(answer)}
`;
}

async function waitForFile(folder: string, name: string): Promise<void> {
  await vi.waitUntil(() => existsSync(join(folder, name)), patience);
}

function openGate(folder: string, name: string): void {
  writeFileSync(join(folder, `end-${name}`), "");
}

describe("a Python worker", () => {
  it("that is killed loses its calls, and one that is started again takes new ones", async () => {
    const service = await startWorkerService({ leaseMs: 2000 });
    const folder = temporaryFolder();
    const module = writeModule(folder, "gated", gateTool(folder, "done"));
    const worker = await runPythonWorker(service, module, { name: "gated" });
    const lost = service.call("work", { name: "lost" });
    await waitForFile(folder, "started-lost");
    worker.child.kill("SIGKILL");
    await worker.exited;
    expect((await lost).error).toMatchObject({ code: "upstream_failed", ran: "unknown" });

    await runPythonWorker(service, module, { name: "gated" });
    openGate(folder, "next");
    expect(await service.call("work", { name: "next" })).toMatchObject({ status: "ok", result: "done" });
  });

  it("with a changed declaration takes over new calls, while the older one ends its own", async () => {
    const service = await startWorkerService();
    const folder = temporaryFolder();
    const older = await runPythonWorker(service, writeModule(folder, "older", gateTool(folder, "older")), {
      name: "gated",
    });
    const running = service.call("work", { name: "running" });
    await waitForFile(folder, "started-running");

    await runPythonWorker(service, writeModule(folder, "newer", gateTool(folder, "newer", ", urgent: bool = False")), {
      name: "gated",
    });
    await vi.waitUntil(() => JSON.stringify(service.registry.list()).includes("urgent"), patience);
    openGate(folder, "next");
    expect(await service.call("work", { name: "next", urgent: true })).toMatchObject({ status: "ok", result: "newer" });

    older.child.kill("SIGTERM");
    openGate(folder, "running");
    expect(await running).toMatchObject({ status: "ok", result: "older" });
    expect(await older.exited).toBe(0);
  });

  it("answers its running calls after SIGTERM, and ends at once on a second signal", async () => {
    const service = await startWorkerService();
    const folder = temporaryFolder();
    const module = writeModule(folder, "gated", gateTool(folder, "done"));
    const worker = await runPythonWorker(service, module, { name: "gated" });
    const running = service.call("work", { name: "a" });
    await waitForFile(folder, "started-a");
    worker.child.kill("SIGTERM");
    await vi.waitUntil(() => worker.log().includes("takes no more calls"), patience);
    openGate(folder, "a");
    expect(await running).toMatchObject({ status: "ok", result: "done" });
    expect(await worker.exited).toBe(0);

    const other = await runPythonWorker(service, module, { name: "gated" });
    const given = service.call("work", { name: "b" });
    given.catch(() => undefined);
    await waitForFile(folder, "started-b");
    other.child.kill("SIGTERM");
    await vi.waitUntil(() => other.log().includes("takes no more calls"), patience);
    other.child.kill("SIGTERM");
    expect(await other.exited).toBe(128 + 15);
  });

  it("whose only thread is busy for several leases keeps its lease", async () => {
    const leaseMs = 1500;
    const service = await startWorkerService({ leaseMs });
    const folder = temporaryFolder();
    const text = `
import time

@tool(timeout_ms=60_000)
def sleep(seconds: float) -> str:
    time.sleep(seconds)
    return "slept"
`;
    await runPythonWorker(service, writeModule(folder, "sleeper", text), { name: "sleeper", concurrency: 1 });
    expect(await service.call("sleep", { seconds: (3 * leaseMs) / 1000 })).toMatchObject({ result: "slept" });
  });

  it("with a wrong token exits with 2, and does not repeat it", async () => {
    const service = await startWorkerService();
    const worker = startPythonWorker(service, "example", { name: "weather", token: "a-wrong-token" });
    expect(await worker.exited).toBe(2);
    expect(worker.log()).toContain("TOOLHOST_WORKER_TOKEN");
    expect(worker.log()).not.toContain("a-wrong-token");
  });

  it("reports a failure without what the function raised", async () => {
    const service = await startWorkerService();
    const folder = temporaryFolder();
    const text = `
@tool
def fail(how: str) -> None:
    if how == "tool error":
        raise ToolError("The shop is closed.", retryable=True, details={"opens": 9})
    raise ValueError("a-secret-of-the-tool")
`;
    const worker = await runPythonWorker(service, writeModule(folder, "failing", text), { name: "failing" });
    expect((await service.call("fail", { how: "tool error" })).error).toMatchObject({
      code: "tool_failed",
      message: "The shop is closed.",
      retryable: true,
      details: { opens: 9 },
    });
    const outcome = await service.call("fail", { how: "other" });
    expect(outcome.error).toMatchObject({ code: "tool_failed", retryable: false });
    expect(JSON.stringify(outcome)).not.toContain("secret");
    await vi.waitUntil(() => worker.log().includes("a-secret-of-the-tool"), patience);
  });
});

describe("signatures of Python tools", () => {
  const formats = ["openai", "openai-responses", "anthropic", "gemini", "ollama"];
  const lists = [
    "?format=toolhost",
    "?format=mcp",
    "?format=gemini&schema=openapi",
    ...formats.flatMap((format) => [`?format=${format}`, `?format=${format}&strict=true`]),
  ];
  const folder = new URL("../../workers/python/tests/signatures/", import.meta.url);
  const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
  interface Calls {
    readonly good: readonly object[];
    readonly bad: readonly object[];
  }

  it("are listed in every format, and bad values are refused before the function runs", async () => {
    const service = await startWorkerService();
    const calls = read("calls.json") as Record<string, Calls>;
    const names: string[] = [];
    for (const module of ["servers", "business", "agents"]) {
      await runPythonWorker(service, `tests.signatures.${module}`, { name: module });
      names.push(...Object.keys(read(`${module}.json`) as object));
    }
    expect(Object.keys(calls).toSorted()).toEqual(names.toSorted());
    for (const query of lists) {
      const response = await fetch(`${service.url}/tools${query}`);
      const body = (await response.json()) as { tools: unknown; warnings?: readonly { kind: string }[] };
      expect(response.status, query).toBe(200);
      expect(body.warnings?.filter(({ kind }) => kind === "omitted") ?? [], query).toEqual([]);
      for (const name of names) expect(JSON.stringify(body.tools), query).toContain(`"${name}"`);
    }
    for (const [name, { good, bad }] of Object.entries(calls)) {
      for (const args of good) expect(await service.call(name, args), name).toMatchObject({ status: "ok" });
      for (const args of bad) {
        const { error } = await service.call(name, args);
        expect(error, `${name} ${JSON.stringify(args)}`).toMatchObject({ code: "invalid_arguments", ran: "no" });
      }
    }
  });
});
