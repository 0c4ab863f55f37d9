import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, renameSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../cli/toolhost.ts";
import { commonJsToolOf, toolOf } from "./tools-folder.ts";
import { soon, watched, write } from "./watched-folder.ts";

const rereads = (lines: readonly string[]): number => lines.filter((line) => line.includes('were reloaded"')).length;

describe("a watched folder of tools", () => {
  test("is read once for one file that is written", async () => {
    const folder = temporaryFolder();
    write(join(folder, "t/tool.mjs"), toolOf("t", "1"));
    const { call, lines } = await watched(folder);
    for (const [count, how] of [
      (text: string) => write(join(folder, "t/tool.mjs"), text),
      (text: string) => {
        write(join(folder, "t/.tool.mjs.new"), text);
        renameSync(join(folder, "t/.tool.mjs.new"), join(folder, "t/tool.mjs"));
      },
    ].entries()) {
      how(toolOf("t", `${count + 2}`));
      await vi.waitFor(async () => expect(await call("t")).toBe(count + 2), soon);
      await sleep(1500);
      expect(rereads(lines())).toBe(count + 1);
    }
  });

  test("is not read for what a tool writes beside itself", async () => {
    const folder = temporaryFolder();
    write(
      join(folder, "t/tool.mjs"),
      toolOf(
        "t",
        'readFileSync(new URL("./data.json", import.meta.url), "utf8")',
        'import { readFileSync } from "node:fs";',
      ),
    );
    write(join(folder, "t/data.json"), "{}");
    const { lines, call } = await watched(folder);
    for (const file of ["service.log", "data.json", "cache/entry.mjs", "examples.json", "README.md", "other.mjs"]) {
      write(join(folder, "t", file), "1");
    }
    appendFileSync(join(folder, "t/service.log"), "more");
    expect(await call("t")).toBe("1");
    await sleep(1500);
    expect(rereads(lines())).toBe(0);
  });

  test("is read more and more slowly if it changes without end, and to the end", { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const helper = join(folder, "t/helper.mjs");
    write(helper, "export const value = 0;");
    write(join(folder, "t/tool.mjs"), toolOf("t", "value", 'import { value } from "./helper.mjs";'));
    const { lines, call } = await watched(folder);
    const endAt = performance.now() + 15_000;
    let value = 0;
    for (; performance.now() < endAt; await sleep(400)) write(helper, `export const value = ${++value};`);
    expect(rereads(lines())).toBeLessThan(20);
    expect(lines().filter((line) => line.includes("less often"))).toHaveLength(1);
    await vi.waitFor(async () => expect(await call("t")).toBe(value), soon);
  });

  test("takes another release whose files have the times of the one before", async () => {
    const folder = temporaryFolder();
    const time = new Date("2026-01-01T00:00:00Z");
    const release = (tool: string, helper: string): void => {
      for (const [file, text] of Object.entries({ "tool.mjs": tool, "helper.mjs": helper })) {
        write(join(folder, "t", file), text);
        utimesSync(join(folder, "t", file), time, time);
      }
    };
    const tool = (value: number): string => toolOf("t", `value + ${value}`, 'import { value } from "./helper.mjs";');
    release(tool(1), "export const value = 10;");
    const { call } = await watched(folder);
    expect(await call("t")).toBe(11);
    release(tool(2), "export const value = 10;");
    await vi.waitFor(async () => expect(await call("t")).toBe(12), soon);
    release(tool(2), "export const value = 20;");
    expect(statSync(join(folder, "t/helper.mjs")).mtimeMs).toBe(time.getTime());
    await vi.waitFor(async () => expect(await call("t")).toBe(22), soon);
  });

  test("keeps its tools when it goes away, and has them again when it comes back", async () => {
    const folder = join(temporaryFolder(), "tools");
    write(join(folder, "t/tool.js"), commonJsToolOf("t", "1"));
    const { call, skipped } = await watched(folder);
    renameSync(folder, `${folder}.away`);
    await vi.waitFor(async () => expect(await skipped()).toHaveLength(1), soon);
    expect(await call("t")).toBe(1);
    write(join(`${folder}.away`, "t/tool.js"), commonJsToolOf("t", "2"));
    renameSync(`${folder}.away`, folder);
    await vi.waitFor(async () => expect(await call("t")).toBe(2), soon);
    expect(await skipped()).toEqual([]);
  });
});

const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;
if (!hasPrlimit) console.info("skipped: tools while files cannot be opened, because there is no prlimit here");

describe("few free file descriptors", () => {
  test("are enough for 600 tools", { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    for (let index = 0; index < 600; index++) {
      write(
        join(folder, `t${index}`, "tool.mjs"),
        toolOf(`t${index}`, "value", 'import { value } from "./helper.mjs";'),
      );
      write(join(folder, `t${index}`, "helper.mjs"), "export const value = 1;");
      write(join(folder, `t${index}`, "parameters.json"), '{ "type": "object" }');
    }
    const main = new URL("../../../dist/src/main.js", import.meta.url).pathname;
    const script = `ulimit -n 400 && exec "${process.execPath}" "${main}" list "--tools=${folder}" --no-bundled`;
    const { stdout, stderr } = spawnSync("sh", ["-c", script], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n")).toHaveLength(600);
  });

  test.runIf(hasPrlimit)(
    "keep a tool as it was until it can be read, without a signal",
    { timeout: 60_000 },
    async () => {
      const folder = temporaryFolder();
      write(join(folder, "t/tool.mjs"), toolOf("t", "1"));
      write(join(folder, "t/parameters.json"), '{ "type": "object" }');
      const { pid, call, skipped, url } = await watched(folder);
      // Kept open: while no file can be opened, no connection can be.
      const limit = (count: number | string): unknown =>
        spawnSync("prlimit", ["--pid", `${pid}`, `--nofile=${count}:`]);
      expect(await call("t")).toBe(1);
      limit(3);
      write(join(folder, "t/tool.mjs"), toolOf("t", "2"));
      cpSync(join(folder, "t/parameters.json"), join(folder, "u/parameters.json"), { recursive: true });
      write(join(folder, "u/tool.mjs"), toolOf("u", "1"));
      await sleep(2000);
      limit(1024);
      expect(await (await fetch(`${url}/readyz`)).json()).toBeDefined();
      await vi.waitFor(async () => expect([await call("t"), await call("u")]).toEqual([2, 1]), soon);
      expect(await skipped()).toEqual([]);
    },
  );
});
