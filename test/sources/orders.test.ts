import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { createSources } from "../../src/sources/sources.ts";
import { remoteTool, scriptedServer } from "./scripted-source.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const names = ["a", "b", "c", "d"];
const server = fc.nat(2);

/** What may happen to three servers that have some of the same tools. */
const happening = fc.oneof(
  fc.record({ what: fc.constant("offers" as const), server, tools: fc.subarray(names), delayMs: fc.nat(3000) }),
  fc.record({ what: fc.constantFrom("notify", "drop", "fails", "hangs", "mend"), server }),
  fc.record({ what: fc.constant("passes" as const), ms: fc.nat(40_000) }),
  fc.record({ what: fc.constant("configured" as const), order: fc.shuffledSubarray([0, 1, 2]) }),
);

test("whatever happens in whatever order, the names end with the first source that has them", async () => {
  const property = fc.asyncProperty(fc.array(happening, { maxLength: 30 }), async (happenings) => {
    const registry = createRegistry();
    const sources = createSources({ registry });
    const servers = [scriptedServer("a"), scriptedServer("a", "b"), scriptedServer("a", "c")];
    const entry = (index: number) => ({ key: `${index}`, open: () => servers[index]!.open({ name: `${index}` }) });
    const configure = (order: readonly number[]) => sources.configure(order.map(entry));
    await configure([0, 1, 2]);
    for (const happens of happenings) {
      if (happens.what === "passes") await vi.advanceTimersByTimeAsync(happens.ms);
      else if (happens.what === "configured") await configure(happens.order);
      else if (happens.what === "offers") {
        const changed = servers[happens.server]!;
        changed.delayMs = happens.delayMs;
        changed.tools = happens.tools.map((name) => remoteTool(name));
      } else if (happens.what === "fails" || happens.what === "hangs") servers[happens.server]!.mode = happens.what;
      else servers[happens.server]![happens.what as "notify" | "drop" | "mend"]();
      // At any moment, a name that is registered belongs to a source that is configured.
      const configured = sources.status().map(({ name }) => name);
      for (const { source } of registry.list()) expect(configured).toContain(source);
    }
    await configure([0, 1, 2]);
    for (const each of servers) each.mend();
    for (const each of servers) each.notify();
    await vi.advanceTimersByTimeAsync(120_000);
    const owners = Object.fromEntries(registry.list().map(({ tool, source }) => [tool.name, source]));
    const expected = names.flatMap((name) => {
      const first = servers.findIndex(({ tools }) => tools.some((tool) => tool.name === name));
      return first < 0 ? [] : [[name, `${first}`]];
    });
    expect(owners).toEqual(Object.fromEntries(expected));
    expect(sources.status().map(({ state }) => state)).toEqual(["ready", "ready", "ready"]);
    expect(servers.map(({ mostReadsAtOnce }) => mostReadsAtOnce)).toEqual([1, 1, 1]);
    await sources.close(1000);
    expect(vi.getTimerCount()).toBe(0);
  });
  await fc.assert(property, { numRuns: process.env["TEST_SIZE"] === "quick" ? 50 : 300 });
});
