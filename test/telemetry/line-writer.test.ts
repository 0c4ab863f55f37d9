import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createLineWriter, type LineWriterOptions } from "../../src/telemetry/line-writer.ts";

const { writes } = vi.hoisted(() => ({ writes: [] as Array<[fd: number, text: string]> }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  return {
    ...fs,
    writeSync(fd: number, bytes: Buffer) {
      writes.push([fd, bytes.toString()]);
      return fs.writeSync(fd, bytes);
    },
  };
});

const options: LineWriterOptions = { describeLost: (lines) => `lost ${lines}\n` };

function temporaryPath(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "toolhost-lines-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

function open(path: string, flags: string | number): number {
  const fd = openSync(path, flags);
  onTestFinished(() => {
    try {
      closeSync(fd);
    } catch {
      // The test has closed it.
    }
  });
  return fd;
}

/** A pipe, both ends open and neither blocking. */
function openPipe(): { reader: number; writer: number } {
  const path = temporaryPath("pipe");
  execFileSync("mkfifo", [path]);
  const reader = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: open(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

function readAll(fd: number): string {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.alloc(65_536);
    try {
      const count = readSync(fd, chunk);
      if (count === 0) return Buffer.concat(chunks).toString();
      chunks.push(chunk.subarray(0, count));
    } catch {
      return Buffer.concat(chunks).toString();
    }
  }
}

describe("a writer of lines", () => {
  test("makes one write of all lines of a turn", async () => {
    const path = temporaryPath("log");
    const fd = open(path, "a");
    const writer = createLineWriter(fd, options);
    const before = writes.length;
    for (let index = 0; index < 100; index++) writer.write(`line ${index} ä\n`);
    expect(readFileSync(path, "utf8")).toBe("");
    await nextTurn();
    expect(writes.slice(before)).toHaveLength(1);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(101);
    writer.write("next\n");
    await nextTurn();
    expect(writes.slice(before)).toHaveLength(2);
    expect(readFileSync(path, "utf8").endsWith("ä\nnext\n")).toBe(true);
  });

  test("does not wait for the end of a turn that writes without end", () => {
    const path = temporaryPath("log");
    const writer = createLineWriter(open(path, "a"), options);
    for (let index = 0; index < 1000; index++) writer.write(`${"x".repeat(999)}\n`);
    expect(readFileSync(path, "utf8").length).toBeGreaterThan(900_000);
  });

  test("writes what is left when the process exits, in the turn in which it does", () => {
    const path = temporaryPath("log");
    const writer = createLineWriter(open(path, "a"), options);
    writer.write("one\n");
    writer.end(50);
    writer.write("two\n");
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
  });

  test("loses no line of a reader that is slow, and cuts none", async () => {
    const { reader, writer: fd } = openPipe();
    const writer = createLineWriter(fd, options);
    const lines = Array.from({ length: 3000 }, (_, index) => `line ${index} ${"ü".repeat(50)}\n`);
    let text = "";
    for (const [index, line] of lines.entries()) {
      writer.write(line);
      if (index % 300 === 0) text += readAll(reader);
      if (index % 50 === 0) await nextTurn();
    }
    await vi.waitFor(() => {
      text += readAll(reader);
      expect(text).toBe(lines.join(""));
    });
  });

  test("keeps a bounded number of bytes for a reader that does not read, and says how many lines it lost", async () => {
    const { reader, writer: fd } = openPipe();
    const writer = createLineWriter(fd, { ...options, maxKeptBytes: 100_000 });
    const line = `${"x".repeat(999)}\n`;
    for (let index = 0; index < 1000; index++) {
      writer.write(line);
      await nextTurn();
    }
    let text = readAll(reader);
    let count = 1000;
    await vi.waitFor(() => {
      writer.write("again\n");
      count++;
      text += readAll(reader);
      expect(text).toContain("lost ");
    });
    await writer.written(5000);
    text += readAll(reader);
    expect(text.length).toBeLessThan(65_536 + 102_000);
    const lost = Number(/^lost (\d+)$/m.exec(text)?.[1]);
    expect(text.trimEnd().split("\n").length - 1 + lost).toBe(count);
  });

  test("waits for a reader no longer than it is asked to", async () => {
    const { writer: fd } = openPipe();
    const writer = createLineWriter(fd, options);
    for (let index = 0; index < 300; index++) writer.write(`${"x".repeat(999)}\n`);
    await writer.written(20);
    writer.end(20);
  });

  test("goes on where a disk is full or the reader is gone", async () => {
    const full = createLineWriter(open("/dev/full", "a"), options);
    const { reader, writer: fd } = openPipe();
    const broken = createLineWriter(fd, options);
    closeSync(reader);
    const before = writes.length;
    for (let turn = 0; turn < 100; turn++) {
      full.write("line\n");
      broken.write("line\n");
      await nextTurn();
    }
    // It is left alone for a while, or each turn would pay for an error.
    expect(writes.length - before).toBeLessThan(100);
    await full.written(10_000);
    await broken.written(10_000);
    full.end(10_000);
    broken.end(10_000);
  });
});
