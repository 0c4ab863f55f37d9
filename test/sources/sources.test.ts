import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createRegistry, type Registry } from "../../src/core/registry/registry.ts";
import { invoke } from "../../src/core/call/invoke.ts";
import type { SourceStatus } from "../../src/core/source.ts";
import { createSources, type Sources } from "../../src/sources/sources.ts";
import { toolOf } from "../core/one-tool.ts";
import { remoteTool, type ScriptedServer, scriptedServer } from "./scripted-source.ts";

// test/conformance/sources.test.ts has what holds for every source; this is about many, and about time.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

interface Kept {
  readonly registry: Registry;
  readonly sources: Sources;
  readonly updates: SourceStatus[];
  readonly faults: unknown[];
  names(): string[];
  result(name: string): Promise<unknown>;
}

function keepSources(): Kept {
  const registry = createRegistry();
  const updates: SourceStatus[] = [];
  const faults: unknown[] = [];
  const sources = createSources({
    registry,
    onUpdate: (status) => updates.push(status),
    onFault: (error) => faults.push(error),
  });
  return {
    registry,
    sources,
    updates,
    faults,
    names: () => registry.list().map(({ tool }) => tool.name),
    async result(name) {
      const outcome = await invoke(registry, { name, arguments: {} });
      return outcome.status === "ok" ? outcome.result : outcome.error.code;
    },
  };
}

const remote = (server: ScriptedServer, name = "remote", key = name) => ({ key, open: () => server.open({ name }) });
const local = (server: ScriptedServer, name = "local folder", key = name) => ({
  key,
  open: () => server.open({ name, isLocal: true }),
});

describe("the start", () => {
  test("waits for the sources of this machine and for no others", async () => {
    const { sources, names } = keepSources();
    const [near, far] = [scriptedServer("near"), scriptedServer("far")];
    [near.delayMs, far.delayMs] = [1000, 5000];
    let isStarted = false;
    void sources.configure([remote(far), local(near)]).then(() => (isStarted = true));
    await pass(999);
    expect(isStarted).toBe(false);
    await pass(1);
    expect([isStarted, names()]).toEqual([true, ["near"]]);
    expect(sources.status()).toMatchObject([
      { name: "remote", kind: "scripted", state: "connecting", tools: 0, skipped: [] },
      { state: "ready", tools: 1 },
    ]);
    await pass(4000);
    expect(names()).toEqual(["far", "near"]);
  });

  test("waits for all if a command has no time later", async () => {
    const { sources, names } = keepSources();
    const far = scriptedServer("far");
    far.delayMs = 1000;
    const loaded = sources.configure([remote(far)], { waitsFor: "all" });
    await pass(1000);
    await loaded;
    expect(names()).toEqual(["far"]);
  });
});

describe("a source that fails", () => {
  test("is read again after 125 to 250 ms, then each time twice as long, up to 30 s", async () => {
    const { sources } = keepSources();
    const server = scriptedServer();
    server.mode = "fails";
    await sources.configure([remote(server)]);
    await pass(0);
    for (let retry = 0; retry < 12; retry++) {
      const limitMs = Math.min(250 * 2 ** retry, 30_000);
      expect(server.reads).toBe(retry + 1);
      await pass(limitMs / 2 - 11);
      expect(server.reads).toBe(retry + 1);
      // On to the moment of the read, wherever in its half the jitter has put it. A step may pass it by 10 ms.
      for (let waited = 0; server.reads === retry + 1 && waited <= limitMs; waited += 10) await pass(10);
    }
    expect(sources.status()).toMatchObject([
      { state: "failed", reason: "the server does not answer", isRead: false, skipped: [] },
    ]);
  });

  test("does not come back in step with others that lost the same server", async () => {
    const servers = Array.from({ length: 20 }, () => scriptedServer());
    const random = vi.spyOn(Math, "random");
    let draws = 0;
    random.mockImplementation(() => (draws++ % 20) / 20);
    const { sources } = keepSources();
    for (const server of servers) server.mode = "fails";
    await sources.configure(servers.map((server, index) => remote(server, `remote${index}`)));
    await pass(180);
    random.mockRestore();
    const readAgain = servers.filter(({ reads }) => reads === 2).length;
    expect(readAgain).toBeGreaterThan(3);
    expect(readAgain).toBeLessThan(17);
    await sources.close(0);
  });

  test("that drops as soon as it is ready is not read without end", async () => {
    const { sources } = keepSources();
    const server = scriptedServer("one");
    await sources.configure([remote(server)], { waitsFor: "all" });
    for (let second = 0; second < 600; second++) {
      if (sources.status()[0]?.state === "ready") server.drop();
      await pass(100);
    }
    expect(server.reads).toBeLessThan(12);
    await pass(60_000);
    const { reads } = server;
    server.drop();
    await pass(250);
    expect(server.reads).toBe(reads + 1);
  });

  test("in a way of its own is reported without its words", async () => {
    const { sources, faults } = keepSources();
    const secret = new Error("https://user:secret@example.com did not answer");
    const open = () => ({ ...scriptedServer().open(), read: () => Promise.reject(secret) });
    await sources.configure([{ key: "a", open }], { waitsFor: "all" });
    expect(sources.status()).toMatchObject([{ state: "failed", reason: "it could not be read", skipped: [] }]);
    expect(faults).toEqual([secret]);
    await sources.close(0);
  });

  test("may throw at once", async () => {
    const { sources } = keepSources();
    const open = () => ({
      ...scriptedServer().open(),
      read() {
        throw new TypeError("at once");
      },
    });
    await sources.configure([{ key: "a", open }], { waitsFor: "all" });
    expect(sources.status()[0]?.state).toBe("failed");
    await sources.close(0);
  });

  test("does not register its tools anew at every attempt", async () => {
    const { sources, registry } = keepSources();
    const server = scriptedServer("one");
    await sources.configure([remote(server)], { waitsFor: "all" });
    const { version } = registry;
    server.mode = "fails";
    server.drop();
    await pass(60_000);
    expect(server.reads).toBeGreaterThan(5);
    expect(registry.version).toBe(version);
  });

  test("is read again if a part of it could not be read", async () => {
    const { sources, names } = keepSources();
    const server = scriptedServer("one");
    server.isIncomplete = true;
    await sources.configure([remote(server)], { waitsFor: "all" });
    expect([sources.status()[0]?.state, names()]).toEqual(["ready", ["one"]]);
    server.isIncomplete = false;
    server.tools = scriptedServer("one", "two").tools;
    await pass(250);
    expect(names()).toEqual(["one", "two"]);
    const { reads } = server;
    await pass(120_000);
    expect(server.reads).toBe(reads);
  });
});

describe("a read", () => {
  test.each(["hangs", "deaf"] as const)(
    "that goes on without end (%s) is given up after 30 s, and tried again",
    async (mode) => {
      const { sources, names } = keepSources();
      const server = scriptedServer("one");
      server.mode = mode;
      await sources.configure([remote(server)]);
      await pass(29_999);
      expect(sources.status()[0]).toMatchObject({ state: "connecting" });
      await pass(1);
      expect(sources.status()[0]).toMatchObject({
        state: "failed",
        reason: "it was not read within 30 s",
      });
      server.mend();
      await pass(250);
      expect(names()).toEqual(["one"]);
      await sources.close(0);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  test("never runs beside another one of its source; many that are asked for in the meantime are one", async () => {
    const { sources } = keepSources();
    const server = scriptedServer("one");
    server.delayMs = 1000;
    const configured = sources.configure([remote(server)], { waitsFor: "all" });
    await pass(500);
    for (let notice = 0; notice < 50; notice++) {
      server.notify();
      await pass(5);
    }
    await pass(5000);
    await configured;
    expect([server.reads, server.mostReadsAtOnce]).toEqual([2, 1]);
  });

  test("follows notices that come without end once a second", async () => {
    const { sources } = keepSources();
    const server = scriptedServer("one");
    await sources.configure([remote(server)], { waitsFor: "all" });
    for (let notice = 0; notice < 1000; notice++) {
      server.notify();
      await pass(10);
    }
    expect(server.reads).toBeGreaterThan(9);
    expect(server.reads).toBeLessThan(14);
    await sources.close(0);
  });
});

describe("a reconfiguration", () => {
  test("keeps a source whose settings are the same, closes one that is gone, and opens a new one", async () => {
    const { sources, names } = keepSources();
    const [stays, goes, comes] = [scriptedServer("stays"), scriptedServer("goes"), scriptedServer("comes")];
    await sources.configure([remote(stays, "a"), remote(goes, "b")], { waitsFor: "all" });
    await sources.configure([remote(comes, "c"), remote(stays, "a")], { waitsFor: "all" });
    expect(names()).toEqual(["comes", "stays"]);
    expect([stays.closes, goes.closes, comes.closes]).toEqual([0, 1, 0]);
    expect(stays.reads).toBe(2);
    goes.notify();
    await pass(5000);
    expect(goes.reads).toBe(1);
    expect(sources.status().map(({ name }) => name)).toEqual(["c", "a"]);
  });

  test("serves the tools of a source with other settings until a read of the new one succeeds", async () => {
    for (const mode of ["answers", "fails"] as const) {
      const { sources, names, result } = keepSources();
      const [old, next] = [scriptedServer(), scriptedServer()];
      old.tools = [remoteTool("one", "old")];
      next.tools = [remoteTool("one", "new")];
      [next.delayMs, next.mode] = [1000, mode];
      await sources.configure([remote(old, "a", "old settings")], { waitsFor: "all" });
      await sources.configure([remote(next, "a", "new settings")]);
      await pass(999);
      expect([await result("one"), old.closes]).toEqual(["old", 0]);
      await pass(1);
      expect([names(), old.closes]).toEqual([["one"], mode === "answers" ? 1 : 0]);
      expect(await result("one")).toBe(mode === "answers" ? "new" : "old");
      next.mend();
      await pass(2000);
      expect([await result("one"), old.closes]).toEqual(["new", 1]);
      await sources.close(0);
    }
  });

  test("serves no calls for as long as the source that has the tools is dropped, whichever of the two", async () => {
    const { sources, names, result } = keepSources();
    const [old, next] = [scriptedServer("one"), scriptedServer()];
    next.tools = old.tools;
    next.mode = "fails";
    await sources.configure([remote(old, "a", "old settings")], { waitsFor: "all" });
    await sources.configure([remote(next, "a", "new settings")], { waitsFor: "all" });
    next.drop();
    expect(await result("one")).toBe("one");
    old.mode = "fails";
    old.drop();
    expect([names(), await result("one")]).toEqual([["one"], "unavailable"]);
    next.mend();
    await pass(2000);
    expect(await result("one")).toBe("one");
    old.drop();
    expect(await result("one")).toBe("one");
    next.mode = "hangs";
    next.drop();
    expect(await result("one")).toBe("unavailable");
    await sources.close(0);
  });

  test("is refused if two sources have one name, or while another one runs", async () => {
    const { sources, names } = keepSources();
    const [first, second] = [scriptedServer("first"), scriptedServer("second")];
    const twins = sources.configure([remote(first, "a", "1"), remote(second, "a", "2")], { waitsFor: "all" });
    await expect(twins).rejects.toThrow("two sources have the name a");
    expect([first.closes, second.closes]).toEqual([1, 1]);
    const running = sources.configure([remote(first, "a")], { waitsFor: "all" });
    await expect(sources.configure([])).rejects.toThrow("the sources are being configured");
    await running;
    expect(names()).toEqual(["first"]);
    await sources.close(0);
  });

  test("and later reads go on if a listener throws, which is reported as a fault", async () => {
    const faults: unknown[] = [];
    const registry = createRegistry();
    const failure = new Error("the listener failed");
    const sources = createSources({
      registry,
      onUpdate() {
        throw failure;
      },
      onFault: (error) => faults.push(error),
    });
    const server = scriptedServer("one");
    await sources.configure([remote(server, "a")], { waitsFor: "all" });
    await sources.configure([remote(server, "a")], { waitsFor: "all" });
    expect(faults).toEqual([failure]);
    server.tools = scriptedServer("two").tools;
    server.notify();
    await pass(2000);
    expect(registry.list().map(({ tool }) => tool.name)).toEqual(["two"]);
    await sources.close(0);
  });

  test("serves the last list if the settings change twice before the source was read", async () => {
    const { sources, result } = keepSources();
    const [old, never, next] = [scriptedServer(), scriptedServer("one"), scriptedServer()];
    old.tools = [remoteTool("one", "old")];
    next.tools = [remoteTool("one", "new")];
    never.mode = "deaf";
    next.delayMs = 1000;
    await sources.configure([remote(old, "a", "1")], { waitsFor: "all" });
    await sources.configure([remote(never, "a", "2")]);
    await sources.configure([remote(next, "a", "3")]);
    expect([await result("one"), old.closes, never.closes]).toEqual(["old", 0, 1]);
    await pass(1000);
    expect([await result("one"), old.closes]).toEqual(["new", 1]);
    await sources.close(0);
  });

  test("puts settings in force with the tools of this machine, in one step", async () => {
    const { sources, result, registry } = keepSources();
    const server = scriptedServer();
    server.tools = [remoteTool("one", "old")];
    await sources.configure([local(server)]);
    server.tools = [toolOf({ name: "one", execute: (args) => args })];
    server.delayMs = 1000;
    const seen: unknown[] = [];
    const configured = sources.configure([local(server)], {
      apply() {
        seen.push(registry.find("one")?.timeoutMs);
        registry.configure({ overrides: { one: { timeoutMs: 77 } } });
      },
    });
    await pass(999);
    expect([registry.find("one")?.timeoutMs, await result("one"), seen]).toEqual([10_000, "old", []]);
    await pass(1);
    await configured;
    expect([registry.find("one")?.timeoutMs, await result("one"), seen]).toEqual([77, {}, [10_000]]);
  });

  test("puts settings in force for the last list of a source that is not read in time", async () => {
    const { sources, registry } = keepSources();
    const server = scriptedServer("one");
    await sources.configure([local(server)]);
    server.mode = "hangs";
    const apply = (): void => registry.configure({ overrides: { one: { enabled: false } } });
    const configured = sources.configure([local(server)], { apply, patienceMs: 2000 });
    await pass(2000);
    await configured;
    expect(registry.find("one")?.unavailable).toBe("the operator has switched it off");
    server.mend();
    server.tools = scriptedServer("one", "two").tools;
    await pass(10);
    expect(registry.list().map(({ tool }) => tool.name)).toEqual(["two"]);
    await sources.close(0);
  });

  test("leaves all as it was if its settings cannot be put in force", async () => {
    const { sources, names } = keepSources();
    const [old, next] = [scriptedServer("old"), scriptedServer("next")];
    await sources.configure([local(old)], { waitsFor: "all" });
    const apply = (): never => {
      throw new Error("a limit is not a number");
    };
    await expect(sources.configure([local(next, "next")], { apply })).rejects.toThrow("a limit is not a number");
    expect([names(), old.closes, next.closes]).toEqual([["old"], 0, 1]);
    old.tools = scriptedServer("older").tools;
    old.notify();
    await pass(1000);
    expect(names()).toEqual(["older"]);
  });

  test("changes whom a name belongs to if the order of the sources changes", async () => {
    const { sources, registry } = keepSources();
    const [a, b] = [scriptedServer("one"), scriptedServer("one")];
    const inOrder = [remote(a, "a"), remote(b, "b")];
    await sources.configure(inOrder, { waitsFor: "all" });
    expect(registry.find("one")?.source).toBe("a");
    [a.mode, b.mode] = ["hangs", "hangs"];
    await sources.configure(inOrder.toReversed());
    expect(registry.find("one")?.source).toBe("b");
    await sources.close(0);
  });

  test("lets a call that runs go on with the tool that it began with", async () => {
    const { sources, registry } = keepSources();
    const server = scriptedServer();
    server.tools = [
      toolOf({ name: "slow", execute: () => new Promise((resolve) => setTimeout(() => resolve("done"), 500)) }),
    ];
    await sources.configure([remote(server)], { waitsFor: "all" });
    const call = invoke(registry, { name: "slow", arguments: {} });
    await pass(1);
    await sources.configure([]);
    expect(registry.find("slow")).toBeUndefined();
    await pass(500);
    expect(await call).toMatchObject({ result: "done" });
  });
});

test("each source is trusted for itself", async () => {
  const { sources, registry } = keepSources();
  const misspelt = (name: string) => toolOf({ name, annotations: { readOnly: true }, timeout: 1 } as object);
  const [own, far] = [scriptedServer(), scriptedServer()];
  [own.tools, far.tools] = [[misspelt("own")], [misspelt("far")]];
  const trust = { trusted: false, trustsAnnotations: false };
  await sources.configure([remote(own, "own"), { key: "far", open: () => far.open({ name: "far", trust }) }], {
    waitsFor: "all",
  });
  expect(sources.status().map(({ warnings }) => warnings.length)).toEqual([1, 0]);
  expect(["own", "far"].map((name) => registry.find(name)?.repeatable)).toEqual([true, false]);
});

test("updates are reported for a source that changed by itself, and not for a reconfiguration", async () => {
  const { sources, updates } = keepSources();
  const server = scriptedServer("one");
  await sources.configure([local(server)]);
  await sources.configure([local(server)]);
  expect(updates).toEqual([]);
  server.drop();
  expect(updates).toMatchObject([{ state: "connecting", tools: 1 }]);
  await pass(250);
  expect(updates).toMatchObject([{ state: "connecting" }, { state: "ready" }]);
});

test("other files are reported if a source that is made of files was read by itself", async () => {
  let changes = 0;
  const sources = createSources({ registry: createRegistry(), onFilesChange: () => changes++ });
  const [files, connection] = [scriptedServer("a"), scriptedServer("b")];
  const watched = { files: new Map([["/a/tool.mjs", "1"]]), folders: new Map([["/a", "2"]]) };
  const made = { key: "made", open: () => ({ ...files.open({ name: "made", isLocal: true }), files: () => watched }) };
  await sources.configure([made, remote(connection)], { waitsFor: "all" });
  expect([sources.files(), changes]).toEqual([watched, 0]);
  connection.notify();
  await pass(1000);
  expect([connection.reads, changes]).toEqual([2, 0]);
  files.notify();
  await pass(1000);
  expect([files.reads, changes]).toEqual([2, 1]);
});

describe("the end", () => {
  test("closes every source, waits for none longer than its limit, and reads no more", async () => {
    const { sources, names } = keepSources();
    const [quick, stuck] = [scriptedServer("quick"), scriptedServer("stuck")];
    const open = () => ({ ...stuck.open({ name: "stuck" }), close: () => new Promise<void>(() => undefined) });
    await sources.configure([remote(quick), { key: "stuck", open }], { waitsFor: "all" });
    quick.mode = "hangs";
    quick.notify();
    await pass(2000);
    let isClosed = false;
    void sources.close(500).then(() => (isClosed = true));
    await pass(499);
    expect([isClosed, quick.closes]).toEqual([false, 1]);
    await pass(1);
    expect(isClosed).toBe(true);
    quick.mend();
    quick.tools = [];
    void sources.close(0);
    await pass(60_000);
    expect([quick.reads, quick.closes, names()]).toEqual([2, 1, ["quick", "stuck"]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("during a reconfiguration closes what was about to be opened", async () => {
    const { sources, names } = keepSources();
    const server = scriptedServer("one");
    server.delayMs = 1000;
    const configured = sources.configure([local(server)]);
    await pass(500);
    await sources.close(100);
    await pass(500);
    await configured;
    expect([server.closes, names()]).toEqual([1, []]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
