import { renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { commonJsToolOf, toolOf, toolsFolder } from "./tools-folder.ts";

const importing = toolOf("t", "value", 'import { value } from "./helper.mjs";');
const requiring = commonJsToolOf("t", "value", 'const { value } = require("./helper.js");');
const good = 'export const value = "good";';
const goodCommonJs = 'exports.value = "good";';

/** What a helper may be before it is as it should be: no file if undefined. */
const faults: Record<string, string | undefined> = {
  "is missing": undefined,
  "has a syntax error": "export const value = ;",
  throws: 'throw new Error("not yet");',
  "is half written": 'export const value = "go',
  "is empty": "",
  "lacks the export": "export const other = 1;",
  "imports what is not there": 'import "./absent.mjs"; export const value = 1;',
  "imports a package that is not there": 'import "no-such-package"; export const value = 1;',
};

describe("a reload", () => {
  test.each([
    ["when it runs", "import('./helper.mjs').then(({ value }) => value)", ""],
    ["when it loads", "helper.then(({ value }) => value)", 'const helper = import("./helper.mjs");'],
    ["by a module that it requires", "read()", 'const { read } = require("./reader.js");'],
  ])("loads what a CommonJS tool imports %s, there and back", async (_when, value, head) => {
    const { write, load, call } = await toolsFolder({
      "t/tool.js": commonJsToolOf("t", value, head),
      "t/reader.js": 'exports.read = async () => (await import("./helper.mjs")).value;',
      "t/helper.mjs": "export const value = 1;",
    });
    await load();
    expect(await call("t")).toBe(1);
    for (const next of [2, 3, 1, 2]) {
      write({ "t/helper.mjs": `export const value = ${next};` });
      await load();
      expect(await call("t")).toBe(next);
    }
  });

  test("finds a required file that another one replaces, there and back", async () => {
    const { write, remove, load, call, reasons } = await toolsFolder({
      "t/tool.js": commonJsToolOf("t", "value", 'const { value } = require("./helper");'),
      "t/helper.js": "exports.value = 1;",
    });
    await load();
    expect(await call("t")).toBe(1);
    remove("t/helper.js");
    write({ "t/helper/index.js": "exports.value = 2;" });
    await load();
    expect(reasons()).toEqual({});
    expect(await call("t")).toBe(2);
    write({ "t/helper.js": "exports.value = 3;" });
    await load();
    expect(await call("t")).toBe(3);
    remove("t/helper.js");
    await load();
    expect(await call("t")).toBe(2);
  });

  for (const [fault, text] of Object.entries(faults)) {
    test(`loads a tool whose helper ${fault}, when that is repaired`, async () => {
      const { write, load, call, reasons } = await toolsFolder({
        "t/tool.mjs": importing,
        ...(text !== undefined && { "t/helper.mjs": text }),
      });
      await load();
      expect(reasons()).toHaveProperty("t");
      write({ "t/helper.mjs": good });
      await load();
      expect(reasons()).toEqual({});
      expect(await call("t")).toBe("good");
    });

    test(`loads a tool whose helper was good and then ${fault}, when that is repaired`, async () => {
      const { write, remove, load, call, reasons } = await toolsFolder({
        "t/tool.mjs": importing,
        "t/helper.mjs": 'export const value = "first";',
      });
      await load();
      expect(await call("t")).toBe("first");
      if (text === undefined) remove("t/helper.mjs");
      else write({ "t/helper.mjs": text });
      await load();
      expect(reasons()).toHaveProperty("t");
      write({ "t/helper.mjs": good });
      await load();
      expect(reasons()).toEqual({});
      expect(await call("t")).toBe("good");
    });
  }

  test("loads a tool again after a fault in its helper's helper, many times", async () => {
    const { write, load, call, reasons } = await toolsFolder({
      "t/tool.mjs": importing,
      "t/helper.mjs": 'export { value } from "./deep/er.mjs";',
      "t/deep/er.mjs": 'import { shared } from "../../lib/shared.mjs"; export const value = shared;',
    });
    await load();
    expect(reasons()).toHaveProperty("t");
    for (const value of ["1", "2", "3"]) {
      write({ "lib/shared.mjs": `export const shared = "${value}";` });
      await load();
      expect(await call("t")).toBe(value);
      write({ "lib/shared.mjs": "throw new Error('not yet')" });
      await load();
      expect(await call("t")).toBe("unknown_tool");
    }
  });

  test("loads what CommonJS modules require", async () => {
    const { write, load, call, reasons } = await toolsFolder({ "t/tool.js": requiring });
    await load();
    expect(reasons()).toHaveProperty("t");
    for (const text of ["module.exports = {", "throw 1", "exports.value = "]) {
      write({ "t/helper.js": text });
      await load();
      expect(reasons()).toHaveProperty("t");
    }
    write({ "t/helper.js": goodCommonJs });
    await load();
    expect(reasons()).toEqual({});
    expect(await call("t")).toBe("good");
    write({
      "t/helper.js": 'exports.value = require("./deep").value + require("./data.json").more;',
      "t/deep/index.js": "exports.value = 1;",
      "t/data.json": '{ "more": 1 }',
    });
    await load();
    expect(await call("t")).toBe(2);
    write({ "t/deep/index.js": "exports.value = 10;" });
    await load();
    expect(await call("t")).toBe(11);
    write({ "t/data.json": '{ "more": 2 }' });
    await load();
    expect(await call("t")).toBe(12);
  });

  test("loads a helper that CommonJS required before another of its helpers failed", async () => {
    const { write, load, call } = await toolsFolder({
      "t/tool.js": commonJsToolOf("t", "a + b", 'const { a } = require("./a.js"); const { b } = require("./b.js");'),
      "t/a.js": 'exports.a = "old";',
      "t/b.js": "throw 1;",
    });
    await load();
    write({ "t/a.js": 'exports.a = "new";', "t/b.js": 'exports.b = "!";' });
    await load();
    expect(await call("t")).toBe("new!");
  });

  test("loads ES modules that CommonJS requires", async () => {
    const { write, load, call, reasons } = await toolsFolder({
      "t/tool.js": commonJsToolOf("t", "value", 'const { value } = require("./helper.mjs");'),
      "t/helper.mjs": 'import { deep } from "./deep.mjs"; export const value = deep;',
      "t/deep.mjs": "export const deep = 1;",
    });
    await load();
    expect(await call("t")).toBe(1);
    write({ "t/deep.mjs": "export const deep = 2;" });
    await load();
    expect(await call("t")).toBe(2);
    write({ "t/helper.mjs": "export const value = ;" });
    await load();
    expect(reasons()).toHaveProperty("t");
    write({ "t/helper.mjs": "export const value = 3;" });
    await load();
    expect(await call("t")).toBe(3);
  });

  test("loads an ES module's CommonJS helper, and what createRequire requires", async () => {
    const { write, load, call } = await toolsFolder({
      "t/tool.mjs": toolOf(
        "t",
        "helper.value + require('./other.cjs').value",
        'import helper from "./helper.cjs"; import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      ),
      "t/helper.cjs": "exports.value = 1;",
      "t/other.cjs": "exports.value = 10;",
    });
    await load();
    expect(await call("t")).toBe(11);
    write({ "t/helper.cjs": "exports.value = 2;" });
    await load();
    expect(await call("t")).toBe(12);
    write({ "t/other.cjs": "exports.value = 20;" });
    await load();
    expect(await call("t")).toBe(22);
  });

  test("loads JSON that is imported", async () => {
    const { write, load, call, reasons } = await toolsFolder({
      "t/tool.mjs": toolOf("t", "data.value", 'import data from "./data.json" with { type: "json" };'),
      "t/data.json": '{ "value": 1',
    });
    await load();
    expect(reasons()).toHaveProperty("t");
    for (const value of [1, 2]) {
      write({ "t/data.json": `{ "value": ${value} }` });
      await load();
      expect(await call("t")).toBe(value);
    }
  });

  test.each([
    ["by an ES module before", "t/tool.mjs", "../lib/data.json"],
    ["by an ES module before, and by a name that is only known later", "t/tool.mjs", "../lib/` + `data.json"],
    ["by an ES module of another tool", "u/tool.mjs", "../lib/data.json"],
  ])("loads what CommonJS requires, with JSON that was imported %s", async (_by, importer, required) => {
    const imported = 'import data from "../lib/data.json" with { type: "json" };';
    const { write, remove, load, call, reasons } = await toolsFolder({
      [importer]: toolOf(dirname(importer), "data.value", imported),
      "lib/data.json": '{ "value": 1 }',
    });
    await load();
    if (importer.startsWith("t/")) remove(importer);
    write({
      "t/tool.js": commonJsToolOf("t", "value", 'const { value } = require("./helper.js");'),
      "t/helper.js": `exports.value = require(\`${required}\`).value;`,
    });
    await load();
    expect(reasons()).toEqual({});
    expect(await call("t")).toBe(1);
    for (const value of [2, 3]) {
      write({
        "lib/data.json": `{ "value": ${value} }`,
        "t/helper.js": `exports.value = require(\`${required}\`).value; // ${value}`,
      });
      await load();
      expect(reasons()).toEqual({});
      expect(await call("t")).toBe(value);
    }
  });

  test("loads what is imported when the tool runs, also under a name that is only known then", async () => {
    const { write, load, call } = await toolsFolder({
      "t/tool.mjs": toolOf("t", 'import("./late.mjs").then(({ value }) => value)'),
      "u/tool.mjs": toolOf(
        "u",
        "import(`./${name}.mjs`).then(({ value }) => value)",
        'const name = ["la", "te"].join("");',
      ),
      "v/tool.mjs": toolOf("v", 'import(new URL("./late.mjs", import.meta.url).href).then(({ value }) => value)'),
    });
    await load();
    expect(await call("t")).toBe("tool_failed");
    for (const value of ["first", "second"]) {
      for (const name of ["t", "u", "v"]) write({ [`${name}/late.mjs`]: `export const value = "${value}";` });
      await load();
      for (const name of ["t", "u", "v"]) expect(await call(name)).toBe(value);
    }
  });

  test("gives a tool's thread the same version of its helpers", async () => {
    const inThread = (name: string, file: string): string =>
      file.endsWith(".mjs")
        ? toolOf(name, "value", 'import { value } from "./helper.mjs";', 'isolation: "thread",')
        : commonJsToolOf(name, "value", 'const { value } = require("./helper.js");').replace(
            "execute",
            'isolation: "thread", execute',
          );
    const { write, load, call } = await toolsFolder({
      "a/tool.mjs": inThread("a", "tool.mjs"),
      "b/tool.js": inThread("b", "tool.js"),
    });
    await load();
    for (const value of [1, 2]) {
      write({ "a/helper.mjs": `export const value = ${value};`, "b/helper.js": `exports.value = ${value};` });
      await load();
      expect([await call("a"), await call("b")]).toEqual([value, value]);
    }
  });

  test("gives tools that share a helper the same one, and a tool that comes later the helper as it is now", async () => {
    const shared = (name: string): string =>
      toolOf(name, "`${value} ${count()}`", 'import { value, count } from "../lib/shared.mjs";');
    const helper = (value: string): string =>
      `let counted = 0; export const count = () => ++counted; export const value = "${value}";`;
    const { write, load, call } = await toolsFolder({
      "a/tool.mjs": shared("a"),
      "b/tool.mjs": shared("b"),
      "lib/shared.mjs": helper("old"),
    });
    await load();
    expect([await call("a"), await call("b")]).toEqual(["old 1", "old 2"]);
    write({ "lib/shared.mjs": helper("new"), "c/tool.mjs": shared("c") });
    await load();
    expect([await call("a"), await call("b"), await call("c")]).toEqual(["new 1", "new 2", "new 3"]);
  });

  test("leaves a tool that has not changed as it is, with its state", async () => {
    const counting = (name: string): string => toolOf(name, "++count", "let count = 0;");
    const { write, load, call } = await toolsFolder({
      "a/tool.mjs": counting("a"),
      "b/tool.mjs": counting("b"),
      "broken/tool.mjs": "throw 1;",
    });
    await load();
    expect([await call("a"), await call("b")]).toEqual([1, 1]);
    write({ "b/tool.mjs": `${counting("b")}\n` });
    await load();
    await load();
    expect([await call("a"), await call("b")]).toEqual([2, 1]);
  });

  test("loads a tool again that failed for a reason outside its files", async () => {
    const { load, call, reasons } = await toolsFolder({
      "t/tool.mjs": toolOf("t", "1", 'if (!globalThis.isReadyForTool) throw new Error("not ready");'),
    });
    await load();
    await load();
    expect(reasons()["t"]).toContain("not ready");
    Object.assign(globalThis, { isReadyForTool: true });
    await load();
    expect(await call("t")).toBe(1);
  });

  test("follows links: folders, modules, and mounted config maps", async () => {
    const { path, write, load, call } = await toolsFolder({
      "elsewhere/t/tool.mjs": "",
      "..1/tool.mjs": toolOf("m", "value", 'import { value } from "./helper.mjs";'),
      "..1/helper.mjs": "export const value = 1;",
      "m/empty.txt": "",
    });
    const link = (target: string, name: string): void => {
      symlinkSync(target, join(path, `${name}.new`));
      renameSync(join(path, `${name}.new`), join(path, name));
    };
    link("..1", "..data");
    link("../..data/tool.mjs", "m/tool.mjs");
    link("../..data/helper.mjs", "m/helper.mjs");
    link("elsewhere/t", "t");
    await load();
    expect(await call("m")).toBe(1);
    write({
      "elsewhere/t/tool.mjs": importing,
      "elsewhere/t/helper.mjs": good,
      "..2/tool.mjs": toolOf("m", "value", 'import { value } from "./helper.mjs";'),
      "..2/helper.mjs": "export const value = 2;",
    });
    link("..2", "..data");
    await load();
    expect([await call("t"), await call("m")]).toEqual(["good", 2]);
    // Back to a release that was loaded, and is another one now.
    write({ "..1/helper.mjs": "export const value = 3;" });
    link("..1", "..data");
    await load();
    expect(await call("m")).toBe(3);
  });
});

describe("a package", () => {
  const count =
    "globalThis.packageLoads = (globalThis.packageLoads ?? 0) + 1; export const loads = () => globalThis.packageLoads;";
  const manifest = (name: string): string => JSON.stringify({ name, type: "module", exports: "./index.js" });

  test("that was loaded stays, whatever else changes or fails", async () => {
    const { write, load, call, reasons } = await toolsFolder({
      "node_modules/counts/package.json": manifest("counts"),
      "node_modules/counts/index.js": count,
      "t/tool.mjs": toolOf("t", "loads()", 'import { loads } from "counts"; import "./helper.mjs";'),
      "t/helper.mjs": "throw 1;",
    });
    await load();
    for (const text of ["throw 2;", "export const value = ;", "export {};"]) {
      write({ "t/helper.mjs": text });
      await load();
    }
    expect(reasons()).toEqual({});
    expect(await call("t")).toBe(1);
  });

  for (const [kind, tool] of [
    ["imported", { "t/tool.mjs": toolOf("t", "value()", 'import { value } from "later";') }],
    ["required", { "t/tool.js": commonJsToolOf("t", "value()", 'const { value } = require("later");') }],
  ] as const) {
    test(`that is installed later is ${kind} then`, async () => {
      const { write, load, call, reasons } = await toolsFolder(tool);
      await load();
      expect(reasons()["t"]).toMatch(/later/);
      await load();
      write({
        "node_modules/later/package.json": manifest("later"),
        "node_modules/later/index.js": "export const value = () => 1;",
      });
      await load();
      expect(reasons()).toEqual({});
      expect(await call("t")).toBe(1);
    });
  }

  test("that failed is tried again, with those that it failed by, and is one for all from then on", async () => {
    const { write, load, call, reasons } = await toolsFolder({
      "node_modules/outer/package.json": manifest("outer"),
      "node_modules/outer/index.js": 'export { value } from "./part.js"; export const counts = { n: 0 };',
      "node_modules/outer/part.js": 'export { value } from "inner";',
      "node_modules/inner/package.json": manifest("inner"),
      "node_modules/inner/index.js": 'throw new Error("half installed");',
      "t/tool.mjs": toolOf("t", "`${value} ${++counts.n}`", 'import { value, counts } from "outer";'),
      "u/tool.mjs": toolOf("u", "`${value} ${++counts.n}`", 'import { value, counts } from "outer";'),
    });
    await load();
    await load();
    expect(Object.keys(reasons())).toEqual(["t", "u"]);
    write({ "node_modules/inner/index.js": "export const value = 1;" });
    await load();
    expect(reasons()).toEqual({});
    expect([await call("t"), await call("u")]).toEqual(["1 1", "1 2"]);
  });
});
