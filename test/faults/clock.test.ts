import { afterEach, expect, vi } from "vitest";
import { type CallRecord, createRegistry, invoke } from "../../src/index.ts";
import { errorOf, sleep, toolOf } from "../core/one-tool.ts";
import { fault } from "./fault.ts";

afterEach(() => {
  vi.useRealTimers();
});

fault("D5", "a clock that is set forward or back changes no time limit, and no time that is told", async () => {
  const dayMs = 86_400_000;
  const records: CallRecord[] = [];
  const registry = createRegistry({
    tools: [toolOf({ timeoutMs: 200, execute: ({ ms }) => sleep(Number(ms)).then(() => 1) })],
    observer: { onCall: (record) => records.push(record) },
  });
  vi.useFakeTimers({ toFake: ["Date"] });
  for (const jumpMs of [dayMs, -dayMs]) {
    const calls = [5, 1000].map((ms) => invoke(registry, { name: "tool", arguments: { ms } }));
    vi.setSystemTime(Date.now() + jumpMs);
    const [quick, slow] = await Promise.all(calls);
    expect(quick?.status).toBe("ok");
    expect(errorOf(slow!).code).toBe("timeout");
  }
  for (const { ms, code } of records) {
    expect(ms).toBeGreaterThanOrEqual(code === "timeout" ? 200 : 0);
    expect(ms).toBeLessThan(600);
  }
});
