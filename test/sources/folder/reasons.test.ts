import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readArrow } from "../../../src/sources/folder/syntax-place.ts";
import { commonJsToolOf, toolOf, toolsFolder } from "./tools-folder.ts";

const bare = (name: string): string =>
  `export const tool = { name: "${name}", description: "A tool.", execute: () => 1 };`;

/** A folder `t` with one fault, and the reason that names it. */
const faults: Record<string, readonly [files: Record<string, string>, reason: string | RegExp]> = {
  "a module that throws": [
    { "t/tool.mjs": '\n\n  throw new Error("no licence: get one at https://example.org/keys/new or /keys");' },
    "its module threw an error while it was loaded, at tool.mjs:3:9: no licence: get one at https://example.org/keys/new or /keys",
  ],
  "a helper that throws, in a folder beside": [
    {
      "t/tool.mjs": 'import "../lib/part.mjs";',
      "lib/part.mjs": 'const make = () => { throw new TypeError("not so"); };\nmake();',
    },
    "its module threw an error while it was loaded, at ../lib/part.mjs:1:28: not so",
  ],
  "CommonJS that throws": [
    { "t/tool.js": 'require("./deep/part");', "t/deep/part.js": 'throw new Error("not so");' },
    "its module threw an error while it was loaded, at deep/part.js:1:7: not so",
  ],
  "a package that throws": [
    {
      "t/tool.mjs": 'import "broken";',
      "node_modules/broken/package.json": '{ "type": "module", "exports": "./index.js" }',
      "node_modules/broken/index.js": 'throw new Error("not so");',
    },
    "its module threw an error while it was loaded, at node_modules/broken/index.js:1:7: not so",
  ],
  "a module that throws a text": [{ "t/tool.mjs": 'throw "not so";' }, "its module threw a value that is not an error"],
  "JSON.parse at import": [
    { "t/tool.mjs": 'JSON.parse("{");' },
    /^its module threw an error while it was loaded, at tool\.mjs:1:6: .*JSON/,
  ],
  "a syntax error": [
    { "t/tool.mjs": "export const tool = {\n  name: t u\n};" },
    "syntax error in tool.mjs:2:11: Unexpected identifier 'u'",
  ],
  "a syntax error of a helper": [
    { "t/tool.mjs": 'import "./deep/part.mjs";', "t/deep/part.mjs": "\nlet 1;" },
    /^syntax error in deep\/part\.mjs:2:1: /,
  ],
  "a syntax error of CommonJS": [
    { "t/tool.js": 'require("./part.js");', "t/part.js": "const a = {;" },
    /^syntax error in part\.js:1:12: /,
  ],
  "a syntax error in a line that is indented with tabs": [
    { "t/tool.mjs": "export const tool = {\n\texecute() { return 1 +; },\n};" },
    "syntax error in tool.mjs:2:24: Unexpected token ';'",
  ],
  "a module that ends too early": [
    { "t/tool.mjs": 'export const tool = {\n  description: "x",' },
    "syntax error in tool.mjs:2:20: Unexpected end of input",
  ],
  "an ES module that nothing declares as one": [
    { "t/tool.js": 'export const tool = {\n  description: "x" execute() {}\n};' },
    "syntax error in tool.js:2:20: Unexpected identifier 'execute'",
  ],
  "CommonJS that is indented with tabs": [
    { "t/tool.js": 'const fs = require("fs");\nmodule.exports = {\n\tdescription "x" };' },
    "syntax error in tool.js:3:14: Unexpected string",
  ],
  "a syntax error in the last of many helpers": [
    {
      "t/tool.mjs": Array.from({ length: 12 }, (_, index) => `import "./part${index}.mjs";`).join("\n"),
      ...Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`t/part${index}.mjs`, "export {};"])),
      "t/part11.mjs": "\n\n  let 1;",
    },
    /^syntax error in part11\.mjs:3:3: /,
  ],
  "an imported JSON file that is not JSON": [
    { "t/tool.mjs": 'import data from "./data.json" with { type: "json" };', "t/data.json": '{\n  "a": 1,\n}' },
    "data.json is not valid JSON at line 3, column 1",
  ],
  "a required JSON file that is not JSON": [
    { "t/tool.js": 'require("./deep/data.json");', "t/deep/data.json": '{\n  "a": 1,\n}' },
    "deep/data.json is not valid JSON at line 3, column 1",
  ],
  "an export that a helper lacks": [
    { "t/tool.mjs": '\nimport { value } from "./part.mjs";', "t/part.mjs": "export {};" },
    /^syntax error in tool\.mjs:2:\d+: The requested module '\.\/part\.mjs' does not provide an export named 'value'$/,
  ],
  "a package that is missing": [
    { "t/tool.mjs": 'import "left-pad";' },
    "Cannot find package 'left-pad' imported from tool.mjs: run npm install in the tool's folder or above it",
  ],
  "this package, which is not installed there": [
    { "t/tool.mjs": 'import { ToolError } from "toolhost";\nexport const tool = {};' },
    'Cannot find package \'toolhost\' imported from tool.mjs: run npm install with the path of your clone, in the tool\'s folder or above it; or export a plain object as the tool without importing toolhost, and throw errors whose "name" is "ToolError"',
  ],
  "a package that CommonJS misses": [
    { "t/tool.js": 'require("./part.js");', "t/part.js": 'require("@some/left-pad");' },
    "Cannot find module '@some/left-pad', required by part.js: run npm install in the tool's folder or above it",
  ],
  "a helper that is missing": [
    { "t/tool.mjs": 'import "./part.mjs";' },
    "Cannot find module 'part.mjs' imported from tool.mjs",
  ],
  "a helper that CommonJS misses": [
    { "t/tool.js": 'require("./part");' },
    "Cannot find module './part', required by tool.js",
  ],
  "tool.cjs": [
    { "t/tool.cjs": "exports.tool = {};" },
    "its module is called tool.cjs: rename it to tool.js (CommonJS) or tool.mjs (with import and export)",
  ],
  "tool.mts": [{ "t/tool.mts": "export const tool = {};" }, "its module is called tool.mts: rename it to tool.ts"],
  "index.js with parameters": [
    { "t/index.js": "", "t/parameters.json": "{}" },
    "it has no tool.mjs, tool.js or tool.ts: index.js is not loaded: if it is a tool, rename it to tool.js",
  ],
  "no name": [
    { "t/tool.mjs": 'export const tool = { description: "A tool.", parameters: { type: "object" }, execute() {} };' },
    "it has no name",
  ],
  "OpenAI's form of a declaration": [
    { "t/tool.mjs": 'export const tool = { type: "function", function: { name: "t" }, execute() {} };' },
    'it has no name; it is a declaration of OpenAI\'s format: move "name", "description" and "parameters" out of "function"',
  ],
  "JSON that is cut off": [
    { "t/tool.mjs": bare("t"), "t/parameters.json": '{\n  "type": "object",\n' },
    "parameters.json is not valid JSON at line 3, column 1",
  ],
  "JSON with a comma too many": [
    { "t/tool.mjs": bare("t"), "t/parameters.json": '{ "type": "object", }' },
    "parameters.json is not valid JSON at line 1, column 21",
  ],
  "JSON with a comment": [
    { "t/tool.mjs": bare("t"), "t/response.json": '{\r\n  // text\r\n  "type": "string" }' },
    "response.json is not valid JSON at line 2, column 3",
  ],
  "JSON with something behind it": [
    { "t/tool.mjs": bare("t"), "t/parameters.json": '{ "type": "object" } {}' },
    "parameters.json is not valid JSON at line 1, column 22",
  ],
  "JSON that is empty": [{ "t/tool.mjs": bare("t"), "t/parameters.json": "\n" }, "parameters.json is empty"],
  "a key that is given twice": [
    {
      "t/tool.mjs": bare("t"),
      "t/parameters.json":
        '{ "type": "object",\n  "properties": { "a": {}, "b": {},\n    "\\u0061": { "type": "string" } } }',
    },
    'parameters.json has the key "a" twice in one object, at line 3, column 5',
  ],
};

describe("a tool is skipped, with a reason that names the place, for", () => {
  for (const [fault, [files, reason]] of Object.entries(faults)) {
    test(fault, async () => {
      const { path, load, reasons } = await toolsFolder(files);
      for (let round = 0; round < 2; round++) {
        await load();
        if (typeof reason === "string") expect(reasons()).toEqual({ t: reason });
        else expect(reasons()["t"]).toMatch(reason);
        expect(JSON.stringify(reasons())).not.toContain(path.split("/").at(-1));
        expect(JSON.stringify(reasons())).not.toContain("toolhost=");
      }
    });
  }

  test("a fault in a linked folder, or one with a space in its name", async () => {
    const { path, load, reasons } = await toolsFolder({
      "else where/t t/tool.mjs": 'import "./part.mjs";',
      "else where/t t/part.mjs": "throw new Error(`not so: ${import.meta.url}`);",
    });
    symlinkSync(join(path, "else where/t t"), join(path, "linked"));
    await load();
    expect(reasons()).toEqual({
      linked: "its module threw an error while it was loaded, at part.mjs:1:7: not so: part.mjs",
    });
  });
});

describe("JSON files", () => {
  test("may begin with a byte order mark, and hold numbers and keys that calls may not", async () => {
    const { load, call, reasons } = await toolsFolder({
      "t/tool.mjs": bare("t"),
      "t/parameters.json": '\uFEFF{ "type": "object", "properties": { "n": { "maximum": 18446744073709551615 } } }',
      "t/response.json": '\uFEFF{ "type": "number", "description": "\u007f\u0085 \\u0000" }',
    });
    await load();
    expect(reasons()).toEqual({});
    expect(await call("t")).toBe(1);
  });
});

describe("names that are taken or wrong", () => {
  test("are reported with the folders that have them", async () => {
    const { load, names, reasons } = await toolsFolder({
      "dup_a/tool.mjs": toolOf("dup", "1"),
      "dup_b/tool.js": commonJsToolOf("dup", "2"),
      "odd/tool.mjs": toolOf("bad name", "1"),
      "schema/tool.mjs": toolOf("other", "1").replace(
        '{ type: "object" }',
        '{ type: "object", properties: { a: { type: 1 } } }',
      ),
    });
    await load();
    expect(names()).toEqual(["dup"]);
    const { dup, "bad name": bad, other } = reasons();
    expect(dup).toMatch(
      /^the name is taken by the source \S+, in the folder dup_a \(this one is in the folder dup_b\)$/,
    );
    expect(bad).toMatch(/^the name must be .* \(it is in the folder odd\)$/);
    expect(other).toMatch(/^in "parameters", .* \(this one is in the folder schema\)$/);
  });
});

describe("modules that are not at their place", () => {
  test("are warned of, unless a tool imports them", async () => {
    const { load, reasons, warnings } = await toolsFolder({
      "weather.mjs": toolOf("weather", "1"),
      "shared.mjs": "export {};",
      "notes.test.mjs": "",
      "types.d.ts": "",
      "old/index.cjs": "",
      "lib/index.js": "exports.value = 1;",
      "t/tool.mjs": toolOf("t", "1", 'import "../lib/index.js"; import "../shared.mjs";'),
      "texts/README.md": "",
    });
    await load();
    expect(reasons()).toEqual({});
    expect(warnings()).toEqual([
      "weather.mjs: weather.mjs is not loaded: if it is a tool, move it into a separate folder, as weather/tool.mjs",
      "old: index.cjs is not loaded: if it is a tool, rename it to tool.js",
    ]);
  });
});

describe("where Node points to", () => {
  test("is read under several lines of the source, as for TypeScript", () => {
    const stack =
      "/t/tool.ts:2\nexport const tool = {\n  description: string 1,\n                      ^\n};\n\nSyntaxError: x";
    expect(readArrow(stack)).toEqual({ file: "/t/tool.ts", line: 2, column: 23 });
  });
});
