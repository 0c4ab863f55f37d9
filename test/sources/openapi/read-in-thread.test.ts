import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readInThread } from "../../../src/sources/openapi/read-in-thread.ts";

const folder = mkdtempSync(join(tmpdir(), "reader-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "a.json");
writeFileSync(path, JSON.stringify({ openapi: "3.0.3", info: { title: "A", version: "1" }, paths: {} }));

const read = (signal = new AbortController().signal) =>
  readInThread({ document: { path, writtenAs: "a.json" }, options: { name: "a" } }, signal);

it("a read whose signal was aborted before it began takes no slot from others", async () => {
  for (let round = 0; round < 3; round++) {
    const running = [read(), read()];
    await expect(read(AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
    await Promise.all(running);
  }
  expect((await read()).read).toBeDefined();
});
