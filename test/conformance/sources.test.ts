import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createFolderSource } from "../../src/sources/folder/source.ts";
import { remoteTool, scriptedServer } from "../sources/scripted-source.ts";
import { describeSource } from "./describe-source.ts";
import type { SourceHarness } from "./source-harness.ts";

describeSource("a folder", { isMadeOf: "files", makeHarness: folderHarness });
describeSource("a scripted server", { isMadeOf: "a connection", makeHarness: serverHarness });

function folderHarness(): SourceHarness {
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
    open: (name = "tested") => createFolderSource({ name, dir }),
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

function serverHarness(): SourceHarness {
  const server = scriptedServer();
  return {
    offer(names, bad = []) {
      server.tools = names.map((name) => remoteTool(name));
      server.skipped = bad.map((name) => ({ name, reason: "it has no schema" }));
    },
    open: (name = "tested") => server.open({ name }),
    fail: () => (server.mode = "fails"),
    hang: () => (server.mode = "hangs"),
    mend: server.mend,
    notify: server.notify,
    drop: server.drop,
  };
}
