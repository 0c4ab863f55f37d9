import { spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { markOfFile } from "../../src/files/file-mark.ts";
import type { WatchedFiles } from "../../src/core/source.ts";
import { watchFiles } from "../../src/config/watch.ts";
import { temporaryFolder } from "../cli/toolhost.ts";

const quietMs = 250;
/** Longer than it waits for quiet, as often as it may look again. */
const settledMs = 700;

function watching(...paths: string[]) {
  return watchingAll({ files: asTheyAre(paths), folders: new Map() });
}

function watchingNames(...paths: string[]) {
  return watchingAll({ files: new Map(), folders: asTheyAre(paths) });
}

function watchingAll(watched: WatchedFiles) {
  const onChange = vi.fn<() => void>();
  const watch = watchFiles(watched, onChange);
  onTestFinished(watch.end);
  return { ...watch, onChange };
}

function asTheyAre(paths: readonly string[]): Map<string, undefined> {
  return new Map(paths.map((path) => [path, undefined]));
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

  test("is told if it is no longer as it was when it was read", async () => {
    const file = newFile("toolhost.yaml");
    const { set, onChange } = watchingAll({ files: new Map([[file, "another"]]), folders: new Map() });
    await expectTold(onChange);
    set({ files: new Map([[file, markOfFile(file)]]), folders: new Map() });
    await sleep(settledMs);
    expect(onChange).not.toHaveBeenCalled();
    set({ files: new Map([[file, ""]]), folders: new Map() });
    await expectTold(onChange);
  });

  test("is told if only its time of change differs, as after rsync -t", async () => {
    const file = newFile("tool.mjs", "one");
    const { atime, mtime } = statSync(file);
    const { onChange } = watching(file);
    writeFileSync(file, "two");
    utimesSync(file, atime, mtime);
    await expectTold(onChange);
  });

  test("that is written without end is told all the same", async () => {
    const file = newFile("busy.txt");
    const { onChange } = watching(file);
    const writing = setInterval(() => appendFileSync(file, "x"), 20);
    onTestFinished(() => clearInterval(writing));
    await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), { timeout: 6000 });
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
  test("is told for the names that come and go in it, and for nothing else", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "old"));
    const { onChange } = watchingNames(folder);
    mkdirSync(join(folder, "new"));
    await expectTold(onChange);
    rmSync(join(folder, "new"), { recursive: true });
    await expectTold(onChange);
    writeFileSync(join(folder, "old/cache.json"), "{}");
    mkdirSync(join(folder, "node_modules"));
    writeFileSync(join(folder, ".swp"), "x");
    await sleep(settledMs);
    expect(onChange).not.toHaveBeenCalled();
  });

  test("is told when the folder is made again under its name, and after that", async () => {
    const folder = join(temporaryFolder(), "tools");
    mkdirSync(folder);
    const { onChange } = watchingNames(folder);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await sleep(settledMs);
    mkdirSync(join(folder, "a"));
    await expectTold(onChange);
    rmSync(folder, { recursive: true });
    await expectTold(onChange);
    mkdirSync(join(folder, "b"), { recursive: true });
    await expectTold(onChange);
  });

  test("is told when a link to it or on its way leads elsewhere", async () => {
    const place = temporaryFolder();
    for (const release of ["1", "2"]) mkdirSync(join(place, release, "tools", `add${release}`), { recursive: true });
    symlinkSync("1", join(place, "current"));
    const { onChange } = watchingNames(join(place, "current/tools"));
    symlinkSync("2", join(place, "next"));
    renameSync(join(place, "next"), join(place, "current"));
    await expectTold(onChange);
    mkdirSync(join(place, "2/tools/more"));
    await expectTold(onChange);
  });
});

describe("files in a linked folder", () => {
  test("are told when the link leads elsewhere, and when they are written there", async () => {
    const place = temporaryFolder();
    for (const release of ["1", "2"]) {
      mkdirSync(join(place, release));
      writeFileSync(join(place, release, "tool.mjs"), "same");
    }
    symlinkSync("1", join(place, "current"));
    const { onChange } = watching(join(place, "current/tool.mjs"), join(place, "round/tool.mjs"));
    symlinkSync("round", join(place, "round"));
    symlinkSync("2", join(place, "next"));
    renameSync(join(place, "next"), join(place, "current"));
    await expectTold(onChange);
    writeFileSync(join(place, "2/tool.mjs"), "other");
    await expectTold(onChange);
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
    const script = `(await import(${JSON.stringify(module)})).watchFiles({ files: new Map(), folders: new Map([[${JSON.stringify(folder)}, undefined]]) }, () => {})`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  });
});
