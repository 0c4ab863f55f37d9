import { describe, expect, test, vi } from "vitest";
import { relayDoor } from "../http/relay-door.ts";
import { readConfig } from "../../src/config/read-config.ts";
import { type ScriptedServer, scriptedServer } from "../sources/scripted-source.ts";
import { keyHash, releaseCalls, type ServiceInMemory, startInMemory, toolFile } from "./service-in-memory.ts";

const one = { "tools/one/tool.mjs": toolFile("one", "first") };
const file = (...lines: string[]) => ({ "toolhost.yaml": ["tools: [{ folder: ./tools }]", ...lines, ""].join("\n") });
const withKey = { authorization: "Bearer key" };
const keyOf = (more: string): string => `auth: { keys: [{ name: agent-a, sha256: ${keyHash}${more} }] }`;

const remote = (server: ScriptedServer) => [{ key: "remote", open: () => server.open() }];

async function statusOf({ get }: ServiceInMemory): Promise<{ sources: { name: string; state: string }[] }> {
  return (await (await get("/status")).json()) as { sources: { name: string; state: string }[] };
}

describe("a service", () => {
  test("has its tools when it is started, and logs what its sources found", async () => {
    const started = await startInMemory({
      ...one,
      "tools/bad/tool.mjs": "throw new Error('no licence');",
      ...file("overrides: { two: { timeoutMs: 5 } }"),
    });
    expect(await started.call("one")).toBe("first");
    expect((await started.get("/readyz")).status).toBe(200);
    expect(await statusOf(started)).toMatchObject({
      sources: [{ name: "tools", kind: "folder", state: "ready", tools: 1 }],
    });
    expect(started.entries).toMatchObject([
      { level: "info", msg: "tools loaded", source: "tools", state: "ready", tools: 1 },
      { level: "warn", msg: "tool skipped", source: "tools", tool: "bad" },
      { level: "warn", msg: '"overrides" contains an entry for a tool that does not exist', tool: "two" },
      { msg: "call", tool: "one", code: "ok" },
    ]);
  });

  test("logs overrides that bind an argument to a claim if no caller can have claims", async () => {
    const { entries } = await startInMemory({
      ...one,
      ...file("overrides: { one: { bind: { user: { claim: sub } } }, 'o*': { bind: { session: { session: true } } } }"),
    });
    const warned = entries.filter(({ msg }) => String(msg).includes("auth.jwt is not set"));
    expect(warned).toMatchObject([{ level: "warn", tool: "one" }]);
  });

  test("has the routes of its doors, over reloads, and their calls are logged and measured as any", async () => {
    const { service, reload, write, entries, get } = await startInMemory(one, {}, [], [relayDoor]);
    const relay = (headers = {}) =>
      service.request("/relay/one", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: "{}",
      });
    expect(await (await relay()).json()).toMatchObject({ relayed: { status: "ok", result: "first" } });
    write(file(keyOf("")));
    await reload();
    expect((await relay()).status).toBe(401);
    expect(await (await relay(withKey)).json()).toMatchObject({ relayed: { result: "first" } });
    expect(entries.filter(({ msg }) => msg === "call")).toMatchObject([{ code: "ok" }, { caller: "agent-a" }]);
    expect(await (await get("/metrics", withKey)).text()).toContain('{tool="one",code="ok"} 2\n');
  });

  test("measures calls, refusals, sources and whatever a collector adds", async () => {
    const { service, call, get } = await startInMemory(one);
    service.metrics.add(() => ["own_series 7"]);
    await call("one");
    await get("/nowhere");
    const text = await (await get("/metrics")).text();
    expect(text).toContain('toolhost_calls_total{tool="one",code="ok"} 1\n');
    expect(text).toContain('toolhost_requests_refused_total{code="not_found"} 1\n');
    expect(text).toContain('toolhost_source_tools{source="tools"} 1\n');
    expect(text).toContain("own_series 7\n");
  });
});

describe("a source that does not answer", () => {
  test("holds up neither the start nor a reload, and its tools are there when it does", async () => {
    const server = scriptedServer("far");
    server.mode = "hangs";
    const overrides = file("overrides: { far: { timeoutMs: 5000 } }");
    const started = await startInMemory({ ...one, ...overrides }, {}, remote(server));
    const { call, reload, write, entries } = started;
    expect([await call("one"), await call("far")]).toEqual(["first", "unknown_tool"]);
    expect(await statusOf(started)).toMatchObject({ sources: [{ state: "ready" }, { state: "connecting" }] });
    write({ "tools/one/tool.mjs": toolFile("one", "second") });
    await reload();
    expect(await call("one")).toBe("second");
    server.mend();
    await vi.waitFor(async () => expect(await call("far")).toBe("far"));
    expect(await statusOf(started)).toMatchObject({ sources: [{ state: "ready" }, { state: "ready", tools: 1 }] });
    const unknown = entries.filter(({ msg }) => msg === '"overrides" contains an entry for a tool that does not exist');
    expect(unknown).toEqual([]);
  });

  test("is logged once for what is wrong with it, however often it is tried", async () => {
    const server = scriptedServer("far");
    const { entries } = await startInMemory(one, {}, remote(server));
    const logged = () =>
      entries
        .filter(({ source }) => source === "remote")
        .map(({ state, reason }) => [state, ...(reason === undefined ? [] : [reason])].join(": "));
    await vi.waitFor(() => expect(logged()).toContain("ready"));
    server.mode = "fails";
    server.drop();
    await vi.waitFor(() => expect(server.reads).toBeGreaterThan(2), 20_000);
    server.mend();
    await vi.waitFor(
      () =>
        expect(logged().slice(-4)).toEqual([
          "ready",
          "connecting: the connection was lost",
          "failed: it could not be read",
          "ready",
        ]),
      20_000,
    );
  });
});

describe("a reload", () => {
  test("takes over tools that change, come and go, and no running call notices", async () => {
    const { service, call, write, reload } = await startInMemory(one);
    const running = call("one", { isHeld: true });
    await vi.waitFor(() => expect(service.registry.load.calls).toBe(1));
    write({ "tools/one/tool.mjs": toolFile("one", "second"), "tools/two/tool.mjs": toolFile("two", "new") });
    await reload();
    expect([await call("one"), await call("two")]).toEqual(["second", "new"]);
    releaseCalls();
    expect(await running).toBe("first");
  });

  test("takes over overrides and keys", async () => {
    const { call, write, reload } = await startInMemory({
      ...one,
      ...file("overrides: { one: { timeoutMs: 5000 } }"),
    });
    expect(await call("one", { ms: 60 })).toBe("first");
    write(file("overrides: { one: { timeoutMs: 20 } }", keyOf("")));
    await reload();
    expect(await call("one")).toBe("unauthorized");
    expect(await call("one", { ms: 60_000 }, withKey)).toBe("timeout");
  });

  test("takes a key back at once, though a module takes its time to load", async () => {
    const { call, write, reload } = await startInMemory({ ...one, ...file(keyOf("")) });
    expect(await call("one", {}, withKey)).toBe("first");
    const other = keyOf("").replace(keyHash, "ab".repeat(32));
    Reflect.set(globalThis, "isLoading", true);
    write({
      ...file(other),
      "tools/slow/tool.mjs": `while (globalThis.isLoading) await new Promise((resolve) => setTimeout(resolve, 1));\n${toolFile("slow", "")}`,
    });
    let isDone = false;
    const reloaded = reload().then(() => (isDone = true));
    await vi.waitFor(async () => expect(await call("one", {}, withKey)).toBe("unauthorized"), { timeout: 10_000 });
    expect(isDone).toBe(false);
    Reflect.deleteProperty(globalThis, "isLoading");
    await reloaded;
  });

  test("lets a new key in only together with the arguments that are bound for it", async () => {
    const says = "tools/says/tool.mjs";
    const tool =
      'export const tool = { name: "says", description: "A tool.", parameters: { type: "object", properties: { tenant: { type: "string" } } }, execute: ({ tenant }) => tenant };\n';
    const { call, write, reload } = await startInMemory({
      [says]: tool,
      ...file(keyOf("").replace(keyHash, "ab".repeat(32))),
    });
    Reflect.set(globalThis, "isLoading", true);
    const bound = "overrides: { says: { bind: { tenant: { value: acme } } } }\n";
    write({
      "toolhost.yaml": `${file(keyOf(""))["toolhost.yaml"]}${bound}`,
      "tools/slow/tool.mjs": `while (globalThis.isLoading) await new Promise((resolve) => setTimeout(resolve, 1));\n${toolFile("slow", "")}`,
    });
    const reloaded = reload();
    for (let tries = 0; tries < 20; tries++) {
      expect(await call("says", { tenant: "evil" }, withKey)).toBe("unauthorized");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    Reflect.deleteProperty(globalThis, "isLoading");
    await reloaded;
    expect(await call("says", { tenant: "evil" }, withKey)).toBe("invalid_arguments");
    expect(await call("says", {}, withKey)).toBe("acme");
  });

  test("that throws leaves in force who may call", async () => {
    const { service, call } = await startInMemory({ ...one, ...file(keyOf("")) });
    const open = {
      ...(await import("../../src/config/read-config.ts").then(({ readConfig }) => readConfig([], {}, "/"))),
    };
    await expect(service.reload({ ...open, publicUrl: "no URL" })).rejects.toThrow();
    expect(await call("one", {})).toBe("unauthorized");
    expect(await call("one", {}, withKey)).toBe("first");
  });

  test("leaves a key what it has used of its allowance, and the counters what they counted", async () => {
    const { call, get, write, reload, entries } = await startInMemory({
      ...one,
      ...file(keyOf(", callsPerMinute: 2, operator: true")),
    });
    const asked = () => call("one", {}, withKey);
    expect([await asked(), await asked(), await asked()]).toEqual(["first", "first", "rate_limited"]);
    write(file(keyOf(", callsPerMinute: 2, operator: true"), "limits: { queueMs: 5 }"));
    await reload();
    expect(await asked()).toBe("rate_limited");
    const callers = entries.filter(({ msg }) => msg === "call").map(({ caller }) => caller);
    expect(new Set(callers)).toEqual(new Set(["agent-a"]));
    const text = await (await get("/metrics", withKey)).text();
    expect(text).toContain('toolhost_calls_total{tool="one",code="ok"} 2\n');
  });

  test("that fails leaves keys, limits and tools as they were", async () => {
    const { service, call, write, reload } = await startInMemory({ ...one, ...file(keyOf("")) });
    write({ ...file("limits: { queuMs: 5 }"), "tools/two/tool.mjs": toolFile("two", "new") });
    await expect(reload()).rejects.toThrow(/queuMs.*queueMs/);
    expect([await call("one"), await call("one", {}, withKey)]).toEqual(["unauthorized", "first"]);
    const config = await readConfig([], { TOOLHOST_BUNDLED: "off" }, "/");
    await expect(service.reload({ ...config, egress: { allow: ["no rule at all!"], origins: [] } })).rejects.toThrow();
    expect([await call("one"), await call("one", {}, withKey)]).toEqual(["unauthorized", "first"]);
    expect(service.registry.find("two")).toBeUndefined();
  });

  test("tells folders of one name apart, and serves no more what the file no longer names", async () => {
    const folders = (...paths: string[]) => ({
      "toolhost.yaml": JSON.stringify({ tools: paths.map((folder) => ({ folder })) }),
    });
    const { call, write, reload } = await startInMemory({
      "v1/tools/one/tool.mjs": toolFile("one", "v1"),
      "v2/tools/one/tool.mjs": toolFile("one", "v2"),
      "v2/tools/two/tool.mjs": toolFile("two", "v2"),
      ...folders("v1/tools"),
    });
    const results = async () => [await call("one"), await call("two")];
    expect(await results()).toEqual(["v1", "unknown_tool"]);
    for (const [paths, expected] of [
      [["v2/tools"], ["v2", "v2"]],
      [
        ["v1/tools", "v2/tools"],
        ["v1", "v2"],
      ],
      [["v2/tools"], ["v2", "v2"]],
    ] as const) {
      write(folders(...paths));
      await reload();
      expect(await results()).toEqual(expected);
    }
  });

  test("says which settings need a restart", async () => {
    const { service, entries } = await startInMemory(one);
    const config = await readConfig(["--port=1234"], { TOOLHOST_BUNDLED: "off" }, "/");
    await service.reload(config);
    expect(entries).toContainEqual(expect.objectContaining({ setting: "port", msg: "this setting needs a restart" }));
  });
});

describe("a service whose files are watched", () => {
  const within = { timeout: 20_000, interval: 20 };

  test("reads again when a tool or the configuration changes", async () => {
    const { call, write, watch, entries, service } = await startInMemory(one);
    watch();
    write({ "tools/one/tool.mjs": toolFile("one", "second") });
    await vi.waitFor(async () => expect(await call("one")).toBe("second"), within);
    write(file(keyOf("")));
    await vi.waitFor(async () => expect(await call("one")).toBe("unauthorized"), within);
    await vi.waitFor(
      () => expect(entries.filter(({ msg }) => msg === "configuration and tools were reloaded")).toHaveLength(2),
      within,
    );
    expect(service.metrics.text()).toContain('toolhost_config_reloads_total{result="ok"} 2\n');
  });
});

describe("a drain", () => {
  /** A drain that waited for no call would end in this time. */
  const turnsOfDrain = () => new Promise((resolve) => setTimeout(resolve, 50));

  test("refuses new calls, lets running ones finish, and ends", async () => {
    const { service, call, get, entries } = await startInMemory(one);
    const running = call("one", { isHeld: true });
    await vi.waitFor(() => expect(service.registry.load.calls).toBe(1));
    let isDrained = false;
    const drained = service.drain().then(() => (isDrained = true));
    expect((await get("/readyz")).status).toBe(503);
    await vi.waitFor(async () => expect(await call("one")).toBe("shutting_down"));
    await turnsOfDrain();
    expect(isDrained).toBe(false);
    expect(entries.map(({ msg }) => msg)).not.toContain("drained");
    releaseCalls();
    expect(await running).toBe("first");
    await drained;
  });

  test("serves calls for SHUTDOWN_DELAY_MS while it is not ready, and aborts them at SHUTDOWN_TIMEOUT_MS", async () => {
    const { service, call, get, entries } = await startInMemory(one, {
      SHUTDOWN_DELAY_MS: "200",
      SHUTDOWN_TIMEOUT_MS: "100",
    });
    const drained = service.drain();
    expect((await get("/readyz")).status).toBe(503);
    expect(await call("one")).toBe("first");
    expect(await call("one", { ms: 60_000 })).toBe("cancelled");
    await drained;
    expect(
      entries
        .map(({ msg }) => msg)
        .filter((msg) => msg !== "call")
        .slice(-3),
    ).toEqual(["draining", "calls aborted at the shutdown limit", "drained"]);
  });

  test("closes the sources when the last call has ended, and is not held up by one that does not close", async () => {
    const server = scriptedServer("far");
    const stuck = {
      key: "stuck",
      open: () => ({ ...server.open({ name: "stuck" }), close: () => new Promise<void>(() => undefined) }),
    };
    const { service, call, entries } = await startInMemory(one, {}, [...remote(server), stuck]);
    const running = call("one", { isHeld: true }).then((result) => [result, server.closes]);
    await vi.waitFor(() => expect(service.registry.load.calls).toBe(1));
    const drained = service.drain();
    await turnsOfDrain();
    releaseCalls();
    await drained;
    expect([await running, server.closes]).toEqual([["first", 0], 1]);
    expect(entries.at(-1)).toMatchObject({ msg: "drained" });
    const { reads } = server;
    server.notify();
    await service.drain();
    expect([server.reads, server.closes]).toEqual([reads, 1]);
  });
});
