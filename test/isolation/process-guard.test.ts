import { describe, expect, it, onTestFinished } from "vitest";
import { guardKill, guardProcess } from "../../src/isolation/process-guard.ts";
import { callTool, errorOf } from "../core/one-tool.ts";

/** Puts functions of the process back when the test is over. */
function keepProcess(): void {
  const internal = process as unknown as Record<string, unknown>;
  const { exit, abort, kill, reallyExit } = internal;
  onTestFinished(() => void Object.assign(internal, { exit, abort, kill, reallyExit }));
}

describe("the process's end in the hands of a tool", () => {
  const internal = process as unknown as { reallyExit(code: number): void };
  it.each<[string, () => unknown]>([
    ["process.exit", () => process.exit(3)],
    ["process.abort", () => process.abort()],
    ["process.reallyExit", () => internal.reallyExit(3)],
    ["process.kill", () => process.kill(process.pid)],
    ["process.kill", () => process.kill(process.pid, "SIGKILL")],
    ["process.kill", () => process.kill(String(process.pid) as unknown as number, 9)],
    ["process.kill", () => process.kill(0, "SIGTERM")],
    ["process.kill", () => process.kill(-1, "SIGTERM")],
  ])("fails its call: %s of %s", async (name, execute) => {
    keepProcess();
    guardProcess();
    const causes: unknown[] = [];
    const observer = { onCall: ({ cause }: { cause?: unknown }) => void causes.push(cause) };
    expect(errorOf(await callTool({ execute }, {}, { observer }))).toMatchObject({ code: "tool_failed" });
    expect(causes).toEqual([new Error(`a tool tried to call ${name}`)]);
  });

  it("leaves signal 0, which only asks, and signals to other processes", () => {
    keepProcess();
    const sent: unknown[] = [];
    process.kill = (...args) => (sent.push(args), true);
    guardKill();
    process.kill(process.pid, 0);
    process.kill(123_456, "SIGTERM");
    expect(sent).toEqual([
      [process.pid, 0],
      [123_456, "SIGTERM"],
    ]);
  });

  it("is the service's own all the same", () => {
    keepProcess();
    const ends: unknown[] = [];
    const record = (how: string) => (code?: unknown) => void ends.push([how, code]);
    internal.reallyExit = record("reallyExit");
    process.exit = ((code: number) => internal.reallyExit(code)) as typeof process.exit;
    process.kill = (...args) => (ends.push(args), true);
    const end = guardProcess();
    end.kill("SIGKILL");
    end.exit(1);
    expect(ends).toEqual([
      [process.pid, "SIGKILL"],
      ["reallyExit", 1],
    ]);
  });
});
