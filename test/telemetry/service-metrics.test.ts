import { afterEach, describe, expect, it, vi } from "vitest";
import { invoke } from "../../src/core/call/invoke.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { createBreakers } from "../../src/egress/breaker.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { createServiceMetrics } from "../../src/telemetry/service-metrics.ts";
import { toolOf } from "../core/one-tool.ts";

afterEach(() => void vi.useRealTimers());

function measured() {
  let finish = (): void => {};
  const registry = createRegistry({
    env: {},
    tools: [
      toolOf({ name: "slow", concurrency: 1, execute: () => new Promise((resolve) => (finish = () => resolve(null))) }),
      toolOf({ name: "free" }),
      toolOf({ name: "gone", requires: ["NOT_SET"] }),
    ],
  });
  const breakers = createBreakers({ maxFailures: 2 });
  const metrics = createServiceMetrics({
    version: "1.2.3",
    registry,
    sources: () => [
      {
        name: 'a "b"',
        kind: "folder",
        state: "failed",
        reason: "the folder does not exist",
        isRead: false,
        tools: 2,
        warnings: [],
        skipped: [
          {
            name: "x",
            reason: "y",
          },
        ],
      },
      { name: "local", kind: "code", state: "ready", isRead: true, tools: 2, skipped: [], warnings: [] },
    ],
    openBreakers: breakers.countOpen,
  });
  return { registry, breakers, metrics, finish: () => finish() };
}

describe("the metrics of the service", () => {
  it("say what there is to alert on", () => {
    const { metrics, breakers } = measured();
    const lines = metrics.lines();
    expect(lines).toEqual(
      expect.arrayContaining([
        `toolhost_build_info{version="1.2.3",node="${process.versions.node}"} 1`,
        'toolhost_source_ready{source="a \\"b\\""} 0',
        'toolhost_source_tools{source="a \\"b\\""} 2',
        'toolhost_source_tools_skipped{source="a \\"b\\""} 1',
        'toolhost_source_tools_unavailable{source="local"} 1',
        'toolhost_tool_concurrency_limit{tool="slow"} 1',
        "toolhost_breakers_open 0",
      ]),
    );
    expect(lines.join("\n")).not.toContain('tool="free"');
    for (let failure = 0; failure < 2; failure++)
      breakers.leave("https://x.example", "failed", breakers.enter("https://x.example"));
    expect(metrics.lines()).toContain("toolhost_breakers_open 1");
  });

  it("say how reloads went", () => {
    const { metrics } = measured();
    metrics.onReload(true);
    metrics.onReload(false);
    expect(metrics.lines()).toEqual(
      expect.arrayContaining([
        'toolhost_config_reloads_total{result="ok"} 1',
        'toolhost_config_reloads_total{result="failed"} 1',
        "toolhost_config_last_reload_successful 0",
      ]),
    );
    metrics.onReload(true);
    expect(metrics.lines()).toContain("toolhost_config_last_reload_successful 1");
  });

  it("say how many calls wait for a slot, and how long they waited", async () => {
    const { metrics, registry, finish } = measured();
    const first = invoke(registry, { name: "slow", arguments: {} });
    const second = invoke(registry, { name: "slow", arguments: {} });
    expect(metrics.lines()).toContain('toolhost_tool_calls_queued{tool="slow"} 1');
    finish();
    await first;
    await vi.waitFor(() => expect(metrics.lines()).toContain('toolhost_tool_queued_total{tool="slow"} 1'));
    expect(metrics.lines()).toContain('toolhost_tool_calls_queued{tool="slow"} 0');
    const waited = metrics.lines().find((line) => line.startsWith("toolhost_tool_queue_seconds_total"));
    expect(Number(waited?.split(" ")[1])).toBeGreaterThan(0);
    finish();
    await second;
  });
});

it("the lag of the event loop is the same for all who ask within its window", async () => {
  const metrics = createMetrics(() => 0);
  const lagOf = (): number => Number(/^toolhost_event_loop_lag_seconds (\S+)$/m.exec(metrics.text())?.[1]);
  await vi.waitFor(() => expect(lagOf()).toBeGreaterThan(0));
  const until = performance.now() + 200;
  await new Promise((resolve) => setTimeout(resolve, 30));
  while (performance.now() < until);
  await vi.waitFor(() => expect(lagOf()).toBeGreaterThan(0.1));
  expect(lagOf()).toBeGreaterThan(0.1);
  expect(lagOf()).toBeGreaterThan(0.1);
});
