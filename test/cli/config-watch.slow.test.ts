import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { watchFiles } from "../../src/config/watch.ts";
import { temporaryFolder } from "./toolhost.ts";

const quietMs = 250;
/** Longer than it waits for quiet, as often as it may look again. */
const settledMs = 700;

function watching(...paths: string[]) {
  const onChange = vi.fn<() => void>();
  const end = watchFiles(paths, onChange);
  onTestFinished(end);
  return { end, onChange };
}

/** Waits for the next change to be told, and for quiet behind it. */
async function expectTold(onChange: ReturnType<typeof watching>["onChange"]): Promise<void> {
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), { timeout: 5000 });
  await sleep(quietMs);
  onChange.mockClear();
}

function newFile(name: string, content = "one"): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}

describe("a watched file", () => {
  test("is told once when it is written, however often at a time", async () => {
    const file = newFile("toolhost.yaml");
    const { onChange } = watching(file);
    for (const text of ["a", "b", "c"]) writeFileSync(file, text);
    await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), { timeout: 5000 });
    await sleep(settledMs);
    expect(onChange).toHaveBeenCalledOnce();
  });

  test("is told each time another is put in its place, as editors do", async () => {
    const file = newFile("toolhost.yaml");
    const { onChange } = watching(file);
    for (const text of ["two", "three"]) {
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
      await expectTold(onChange);
    }
  });

  test("is told each time the link on its way leads elsewhere, as Kubernetes does", async () => {
    const mount = temporaryFolder();
    const swap = (release: string): void => {
      mkdirSync(join(mount, release));
      writeFileSync(join(mount, release, "toolhost.yaml"), "same");
      symlinkSync(release, join(mount, "..data_tmp"));
      renameSync(join(mount, "..data_tmp"), join(mount, "..data"));
    };
    swap("..1");
    const file = join(mount, "toolhost.yaml");
    symlinkSync("..data/toolhost.yaml", file);
    const { onChange } = watching(file);
    for (const release of ["..2", "..3"]) {
      swap(release);
      await expectTold(onChange);
    }
  });

  test("is told when it goes, and when it comes again, its folder with it", async () => {
    const folder = join(temporaryFolder(), "etc/toolhost");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "toolhost.yaml");
    writeFileSync(file, "one");
    const { onChange } = watching(file);
    for (let round = 0; round < 2; round++) {
      rmSync(join(folder, ".."), { recursive: true });
      await expectTold(onChange);
      mkdirSync(folder, { recursive: true });
      await sleep(settledMs);
      expect(onChange).not.toHaveBeenCalled();
      writeFileSync(file, "one");
      await expectTold(onChange);
    }
  });

  test("is not told for its neighbours", async () => {
    const file = newFile("toolhost.yaml");
    const { onChange } = watching(file);
    writeFileSync(`${file}.log`, "x");
    rmSync(`${file}.log`);
    await sleep(settledMs);
    expect(onChange).not.toHaveBeenCalled();
  });
});

describe("a watched folder", () => {
  test("is told for what is in it, at any depth, also in folders that came later", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "old"));
    const { onChange } = watching(folder);
    writeFileSync(join(folder, "old/tool.mjs"), "one");
    await expectTold(onChange);
    mkdirSync(join(folder, "new/deep"), { recursive: true });
    await expectTold(onChange);
    writeFileSync(join(folder, "new/deep/schema.json"), "{}");
    await expectTold(onChange);
    rmSync(join(folder, "new"), { recursive: true });
    await expectTold(onChange);
  });

  test("is told when the folder is made again under its name, and after that", async () => {
    const folder = join(temporaryFolder(), "tools");
    mkdirSync(folder);
    const { onChange } = watching(folder);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await expectTold(onChange);
    writeFileSync(join(folder, "a"), "one");
    await expectTold(onChange);
  });

  test("is told when a link to it, on its way or in it leads elsewhere", async () => {
    const place = temporaryFolder();
    for (const release of ["1", "2"]) mkdirSync(join(place, release, "tools/add"), { recursive: true });
    symlinkSync("1", join(place, "current"));
    const { onChange } = watching(join(place, "current/tools"));
    symlinkSync("2", join(place, "next"));
    renameSync(join(place, "next"), join(place, "current"));
    await expectTold(onChange);
    writeFileSync(join(place, "2/tools/add/tool.mjs"), "one");
    await expectTold(onChange);
    symlinkSync(join(place, "1/tools/add"), join(place, "2/tools/linked"));
    await expectTold(onChange);
    writeFileSync(join(place, "1/tools/add/tool.mjs"), "one");
    await expectTold(onChange);
  });

  test("is not told for dot-files and node_modules, nor lost in links that go round", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "tool/node_modules/x"), { recursive: true });
    symlinkSync("..", join(folder, "tool/round"));
    const { onChange } = watching(folder);
    writeFileSync(join(folder, "tool/node_modules/x/index.js"), "one");
    writeFileSync(join(folder, "tool/.tool.mjs.swp"), "one");
    mkdirSync(join(folder, ".git"));
    await sleep(settledMs);
    expect(onChange).not.toHaveBeenCalled();
    writeFileSync(join(folder, "tool/tool.mjs"), "one");
    await expectTold(onChange);
  });

  test("that changes without end is told all the same", async () => {
    const folder = temporaryFolder();
    const { onChange } = watching(folder);
    const writing = setInterval(() => appendFileSync(join(folder, "busy.txt"), "x"), 20);
    onTestFinished(() => clearInterval(writing));
    await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), { timeout: 6000 });
  });
});

describe("watching", () => {
  test("ends when told to, with a change still to be told", async () => {
    const file = newFile("toolhost.yaml");
    const { end, onChange } = watching(file);
    writeFileSync(file, "two");
    await sleep(50);
    end();
    end();
    await sleep(settledMs);
    expect(onChange).not.toHaveBeenCalled();
  });

  test("does not mind paths that cannot be watched", () => {
    const file = newFile("plain");
    expect(() => watching(join(file, "below"), "/proc/self/nothing", `/${"x".repeat(5000)}`, "\0")).not.toThrow();
  });

  test("does not keep the process alive", async () => {
    const folder = temporaryFolder();
    const module = pathToFileURL(join(import.meta.dirname, "../../dist/src/config/watch.js")).href;
    const script = `(await import(${JSON.stringify(module)})).watchFiles([${JSON.stringify(folder)}], () => {})`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  });
});
