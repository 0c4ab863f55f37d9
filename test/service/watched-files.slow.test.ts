import { renameSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { keyHash, startInMemory, toolFile } from "./service-in-memory.ts";

const one = { "tools/one/tool.mjs": toolFile("one", "first") };
const file = (...lines: string[]) => ({ "toolhost.yaml": ["tools: [{ folder: ./tools }]", ...lines, ""].join("\n") });
const withKey = { authorization: "Bearer key" };
const keys = `auth: { keys: [{ name: agent-a, sha256: ${keyHash} }] }`;
const within = { timeout: 20_000, interval: 20 };

describe("a service whose files are watched", () => {
  test("goes on as it was if the file is wrong or emptied, and logs why", async () => {
    const { call, write, watch, entries, service } = await startInMemory({ ...one, ...file(keys) });
    watch();
    const problems = (): string => entries.map(({ problem }) => String(problem)).join("\n");
    write(file("limits: { queuMs: 5 }"));
    await vi.waitFor(() => expect(problems()).toMatch(/queuMs.*queueMs/), within);
    write({ "toolhost.yaml": "" });
    await vi.waitFor(() => expect(problems()).toMatch(/The file is empty/), within);
    write(file());
    await vi.waitFor(() => expect(problems()).toMatch(/"auth" no longer contains "keys" or "jwt"/), within);
    expect([await call("one"), await call("one", {}, withKey)]).toEqual(["unauthorized", "first"]);
    expect(service.metrics.text()).toContain("toolhost_config_last_reload_successful 0\n");
  });

  test("keeps the tools of a folder that goes away, and reads it when it is back", async () => {
    const started = await startInMemory(one);
    started.watch();
    const folder = `${started.folder}/tools`;
    renameSync(folder, `${folder}.away`);
    await vi.waitFor(() => expect(started.service.status()).toMatchObject([{ state: "failed" }]), within);
    expect(await started.call("one")).toBe("first");
    renameSync(`${folder}.away`, folder);
    started.write({ "tools/one/tool.mjs": toolFile("one", "second") });
    await vi.waitFor(async () => expect(await started.call("one")).toBe("second"), within);
    expect(started.service.status()).toMatchObject([{ state: "ready", skipped: [] }]);
  });
});
