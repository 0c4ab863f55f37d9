import { describe, expect, it } from "vitest";
import { runningCalls } from "../../../src/core/call/running-call.ts";
import { createRegistry, invoke } from "../../../src/index.ts";
import { callTool, errorOf, toolOf } from "../one-tool.ts";

const never = () => new Promise(() => undefined);

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  return { value: await work(), ms: performance.now() - start };
}

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

describe("on the real clock, the time limit", () => {
  it("is answered within 100 ms if the tool ignores its signal", async () => {
    await callTool({ timeoutMs: 20, execute: never }); // Compiles what a call needs.
    const { ms, value } = await timed(() => callTool({ timeoutMs: 120, execute: never }));
    expect(errorOf(value).code).toBe("timeout");
    expect(ms).toBeGreaterThanOrEqual(119.9);
    expect(ms).toBeLessThan(220);
  });

  it("is met by a thousand calls at once", async () => {
    const registry = createRegistry({ tools: [toolOf({ timeoutMs: 100, execute: never })] });
    const { ms, value } = await timed(() =>
      Promise.all(Array.from({ length: 1000 }, () => invoke(registry, { name: "tool", arguments: {} }))),
    );
    expect(value.every((outcome) => errorOf(outcome).code === "timeout")).toBe(true);
    expect(ms).toBeLessThan(300);
    expect(runningCalls(registry).length).toBe(0);
  });

  it("applies to a tool that blocked past it", async () => {
    expect(errorOf(await callTool({ timeoutMs: 10, execute: () => block(40) })).code).toBe("timeout");
  });
});
