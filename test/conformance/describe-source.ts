import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { invoke } from "../../src/core/call/invoke.ts";
import { changesBetween, takeSnapshot } from "../../src/config/file-snapshot.ts";
import { scriptedServer } from "../sources/scripted-source.ts";
import { moreThan, restingResources } from "./open-resources.ts";
import { keep, names, opened, type SourceHarness } from "./source-harness.ts";

const soon = { timeout: 60_000, interval: 5 };

export interface SourceSuite {
  readonly title: string;
  /** What shows a change: files that are watched, a connection that reports it, or only the answers of the other side. */
  readonly isMadeOf: "files" | "a connection" | "answers";
  /** Whether its reads can take so long that they are aborted: its harness has `hang`. */
  readonly canHang: boolean;
  readonly makeHarness: () => SourceHarness | Promise<SourceHarness>;
}

/** The rules of `src/core/source.ts`, for one kind of source. */
export function describeSource({ title, isMadeOf, canHang, makeHarness }: SourceSuite): void {
  describe(`a source: ${title}`, () => {
    test("reads its tools as they are now, and gives a reason for each that it cannot offer", async () => {
      const harness = await makeHarness();
      harness.offer(["one", "two"], ["bad"]);
      const source = opened(harness.open());
      const first = await source.read(new AbortController().signal);
      expect(first.tools.map(({ name }) => name).sort()).toEqual(["one", "two"]);
      expect(first.skipped).toEqual([{ name: "bad", reason: expect.stringMatching(/\w/) as string }]);
      harness.offer(["two", "three"]);
      const second = await source.read(new AbortController().signal);
      expect(second.tools.map(({ name }) => name).sort()).toEqual(["three", "two"]);
      expect(second.skipped).toEqual([]);
    });

    test("refuses to be read by a signal that is aborted", async () => {
      const harness = await makeHarness();
      harness.offer(["one"]);
      const source = opened(harness.open());
      await expect(source.read(AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    });

    test("leaves no timer and no handle when a read is aborted", async () => {
      const harness = await makeHarness();
      harness.offer(["one"]);
      const source = opened(harness.open());
      const stop = new AbortController();
      await source.read(new AbortController().signal);
      const before = await restingResources();
      harness.hang?.();
      const read = source.read(stop.signal);
      if (canHang) await sleep(20);
      stop.abort(new Error("stopped"));
      if (canHang) await expect(read).rejects.toThrow();
      // It may have ended before the signal.
      else await Promise.allSettled([read]);
      // A module that is being loaded cannot be stopped, and has timers of its own.
      if (isMadeOf === "files") harness.mend();
      // By hand: what waits for an expectation holds timers of its own.
      for (let look = 0; look < 1000 && moreThan(before).length > 0; look++) await sleep(5);
      expect(moreThan(before)).toEqual([]);
    });

    test("shows its tools in the registry, and keeps them if a read fails, until one succeeds", async () => {
      const harness = await makeHarness();
      harness.offer(["one"], ["bad"]);
      const { sources, registry, configure, refresh } = keep(harness);
      await configure();
      expect(names(registry)).toEqual(["one"]);
      expect(sources.status()).toMatchObject([
        { name: "tested", state: "ready", tools: 1, skipped: [{ name: "bad" }] },
      ]);
      harness.fail();
      await refresh();
      await vi.waitFor(() => expect(sources.status()[0]?.state).toMatch(/failed|connecting/), soon);
      expect(sources.status()).toMatchObject([
        { reason: expect.stringMatching(/\w/) as string, isRead: true, skipped: [{ name: "bad" }] },
      ]);
      expect(names(registry)).toEqual(["one"]);
      // A read that fails does not say that calls would.
      expect(await invoke(registry, { name: "one", arguments: {} })).toMatchObject({ result: "one" });
      harness.mend();
      harness.offer(["one", "two"]);
      // A read that is under way may see a part of the change, and this source does not say that it changed.
      await vi.waitFor(async () => {
        await refresh();
        expect(names(registry)).toEqual(["one", "two"]);
      }, soon);
      expect(sources.status()).toMatchObject([{ state: "ready", skipped: [] }]);
    });

    test("changes nothing in the registry if it is read again and nothing changed", async () => {
      const harness = await makeHarness();
      harness.offer(["one", "two"], ["bad"]);
      const { registry, configure, refresh, sources } = keep(harness);
      await configure();
      const [entries, version] = [registry.list(), registry.version];
      await refresh();
      expect(sources.status()).toMatchObject([{ state: "ready", tools: 2 }]);
      expect([registry.list(), registry.version]).toEqual([entries, version]);
      expect(registry.find("one")).toBe(entries[0]);
    });

    test("obeys the rank of a name, in whatever order the sources are read", async () => {
      for (const isLate of canHang ? [false, true] : [false]) {
        const harness = await makeHarness();
        const rival = scriptedServer("one");
        harness.offer(["one"]);
        rival.delayMs = isLate ? 0 : 30;
        if (isLate) harness.hang!();
        const { sources, registry, configure, refresh } = keep(harness, () => rival.open({ name: "rival" }));
        const configured = configure();
        await vi.waitFor(() => expect(rival.reads).toBeGreaterThan(0), soon);
        await sleep(10);
        harness.mend();
        await configured;
        await vi.waitFor(() => expect(sources.status().map(({ state }) => state)).toEqual(["ready", "ready"]), soon);
        expect(registry.find("one")?.source).toBe("tested");
        expect(sources.status()[1]?.skipped).toMatchObject([
          { name: "one", reason: expect.stringContaining('taken by the source "tested"') as string },
        ]);
        const { reads } = rival;
        rival.mode = "hangs";
        harness.offer(["other"]);
        await refresh(0);
        await vi.waitFor(() => expect(registry.find("one")?.source).toBe("rival"), soon);
        expect([rival.reads - reads, sources.status()[1]?.skipped]).toEqual([1, []]);
      }
    });

    test("is never without its tools while it is read again and again", async () => {
      const harness = await makeHarness();
      harness.offer(["one"]);
      const { registry, configure, refresh } = keep(harness);
      await configure();
      let isDone = false;
      const codes = new Map<string, number>();
      const calling = (async () => {
        while (!isDone) {
          const outcome = await invoke(registry, { name: "one", arguments: {} });
          const code = outcome.status === "ok" ? String(outcome.result) : outcome.error.code;
          codes.set(code, (codes.get(code) ?? 0) + 1);
          await sleep(0);
        }
      })();
      for (let round = 0; round < 10; round++) {
        harness.offer(round % 2 === 0 ? ["one", "two"] : ["one"]);
        await refresh();
      }
      isDone = true;
      await calling;
      expect([...codes.keys()]).toEqual(["one"]);
    });

    test("lets running calls finish when it is closed", async () => {
      const harness = await makeHarness();
      harness.offer(["one"]);
      const { registry, configure, sources } = keep(harness);
      await configure();
      const running = invoke(registry, { name: "one", arguments: { ms: 100 } });
      await sources.configure([]);
      await sources.close(10);
      expect(await running).toMatchObject({ result: "one" });
    });

    test("closes twice as once, and its tools are gone with it", async () => {
      const harness = await makeHarness();
      harness.offer(["one"]);
      const source = harness.open();
      await source.close?.();
      await source.close?.();
      const { registry, configure, sources } = keep(harness);
      await configure();
      expect(names(registry)).toEqual(["one"]);
      await sources.configure([]);
      expect([names(registry), sources.status()]).toEqual([[], []]);
    });

    if (canHang) {
      test("delays no other source by a read that hangs", async () => {
        const harness = await makeHarness();
        harness.offer(["one"]);
        const other = scriptedServer("quick");
        const { sources, registry, configure, refresh } = keep(harness, () => other.open({ name: "other" }));
        await configure();
        await vi.waitFor(() => expect(names(registry)).toEqual(["one", "quick"]), soon);
        harness.hang!();
        other.tools = scriptedServer("quick", "quicker").tools;
        other.notify();
        const reconfigured = refresh();
        await vi.waitFor(() => expect(names(registry)).toEqual(["one", "quick", "quicker"]), soon);
        expect(sources.status()[0]).toMatchObject({ tools: 1 });
        harness.mend();
        await reconfigured;
      });
    }

    if (isMadeOf === "files") {
      test("is made of files, in which a change of its tools shows", async () => {
        const harness = await makeHarness();
        harness.offer(["one"]);
        const source = opened(harness.open());
        await source.read(new AbortController().signal);
        const { files, folders } = source.files!();
        const marks = new Map([...files, ...folders].map(([path, mark]) => [path, mark ?? ""]));
        const changed = (): string[] => changesBetween({ marks, folders: new Map() }, takeSnapshot({ files, folders }));
        harness.offer(["one", "two"]);
        expect(changed()).not.toEqual([]);
      });
    }

    if (isMadeOf === "a connection") {
      test("reads again after a notice, and no more after it is closed", async () => {
        const harness = await makeHarness();
        harness.offer(["one"]);
        const { registry, configure, sources } = keep(harness);
        await configure();
        await vi.waitFor(() => expect(names(registry)).toEqual(["one"]), soon);
        harness.offer(["two"]);
        harness.notify!();
        await vi.waitFor(() => expect(names(registry)).toEqual(["two"]), soon);
        await sources.close(1000);
        harness.offer(["three"]);
        harness.notify!();
        await sleep(50);
        expect(names(registry)).toEqual(["two"]);
      });

      test("keeps its list when the connection is lost; its calls get `unavailable` until it is back", async () => {
        const harness = await makeHarness();
        harness.offer(["one"]);
        const { registry, configure, sources } = keep(harness);
        await configure();
        await vi.waitFor(() => expect(names(registry)).toEqual(["one"]), soon);
        harness.fail();
        harness.drop!();
        await vi.waitFor(() => expect(sources.status()[0]?.state).not.toBe("ready"), soon);
        const outcome = await invoke(registry, { name: "one", arguments: {} });
        expect(outcome).toMatchObject({
          error: { code: "unavailable", action: "retry_later", retryable: true, ran: "no" },
        });
        expect(outcome).toHaveProperty("error.retryAfterMs");
        expect(names(registry)).toEqual(["one"]);
        harness.mend();
        await vi.waitFor(() => expect(sources.status()[0]?.state).toBe("ready"), soon);
        expect(await invoke(registry, { name: "one", arguments: {} })).toMatchObject({ result: "one" });
      });
    }
  });
}
