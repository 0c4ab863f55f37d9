import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { folderKind } from "../../../src/sources/folder/kind.ts";
import { network, type SourceHarness } from "../source-harness.ts";

const opener = await folderKind.load();

/** Tool folders, whose modules may wait while they are loaded. */
export function folderHarness(): SourceHarness {
  const dir = join(mkdtempSync(join(tmpdir(), "toolhost-source-")), "tools");
  onTestFinished(() => rmSync(join(dir, ".."), { recursive: true, force: true }));
  mkdirSync(dir);
  return {
    offer(names, bad = []) {
      rmSync(dir, { recursive: true });
      for (const name of [...names, ...bad]) mkdirSync(join(dir, name), { recursive: true });
      for (const name of names) {
        const tool = `{ name: "${name}", description: "A tool.", parameters: { type: "object" }, execute }`;
        const execute = `({ ms }) => new Promise((resolve) => setTimeout(() => resolve("${name}"), ms))`;
        writeFileSync(join(dir, name, "tool.mjs"), `const execute = ${execute};\nexport const tool = ${tool};\n`);
      }
      for (const name of bad) writeFileSync(join(dir, name, "parameters.json"), "{}");
    },
    open: (name = "tested") => opener.open(name, { folder: dir }, network),
    fail: () => renameSync(dir, `${dir}.away`),
    hang() {
      Reflect.set(globalThis, dir, true);
      mkdirSync(join(dir, "hangs"), { recursive: true });
      const waits = `while (globalThis[${JSON.stringify(dir)}]) await new Promise((resolve) => setTimeout(resolve, 1));`;
      writeFileSync(join(dir, "hangs/tool.mjs"), `${waits}\nexport const tool = {};\n`);
    },
    mend() {
      Reflect.deleteProperty(globalThis, dir);
      rmSync(join(dir, "hangs"), { recursive: true, force: true });
      try {
        renameSync(`${dir}.away`, dir);
      } catch {
        // It was not away.
      }
    },
  };
}
