import { describe, expect, test } from "vitest";
import { toolsFolder } from "./tools-folder.ts";

const object = (name: string, more = ""): string =>
  `{ name: "${name}", description: "A tool.", parameters: { type: "object" }, execute() { return this.name; }, ${more} }`;

/** Ways to export tools, each with the names of those that are there. */
const shapes: Record<string, readonly [file: string, source: string, names: readonly string[]]> = {
  "tool by name": ["tool.mjs", `export const tool = ${object("a")};`, ["a"]],
  "tool by default": ["tool.mjs", `export default ${object("a")};`, ["a"]],
  "tool by name and by default": ["tool.mjs", `export const tool = ${object("a")}; export default tool;`, ["a"]],
  "an object that holds tool by default": ["tool.mjs", `export default { tool: ${object("a")} };`, ["a"]],
  "a list by name": ["tool.mjs", `export const tools = [${object("a")}, ${object("b")}];`, ["a", "b"]],
  "a list by default": ["tool.mjs", `export default [${object("a")}, ${object("b")}];`, ["a", "b"]],
  "an object that holds a list by default": ["tool.mjs", `export default { tools: [${object("a")}] };`, ["a"]],
  "tool and tools": [
    "tool.mjs",
    `export const tool = ${object("a")}; export const tools = [tool, ${object("b")}];`,
    ["a", "b"],
  ],
  "exports.tool": ["tool.js", `exports.tool = ${object("a")};`, ["a"]],
  "module.exports with tool": ["tool.js", `module.exports = { tool: ${object("a")} };`, ["a"]],
  "module.exports with a tool of a variable": [
    "tool.js",
    `const made = ${object("a")}; const all = { tool: made }; module.exports = all;`,
    ["a"],
  ],
  "module.exports that is the tool": ["tool.js", `module.exports = ${object("a")};`, ["a"]],
  "module.exports that is a list": ["tool.js", `module.exports = [${object("a")}, ${object("b")}];`, ["a", "b"]],
  "module.exports with a list": [
    "tool.js",
    `module.exports = { tools: [${object("a")}, ${object("b")}] };`,
    ["a", "b"],
  ],
  "a default export that was compiled to CommonJS": [
    "tool.js",
    `Object.defineProperty(exports, "__esModule", { value: true }); exports.default = ${object("a")};`,
    ["a"],
  ],
  "an instance of a class": [
    "tool.mjs",
    'class Made { name = "a"; description = "A tool."; parameters = { type: "object" }; execute() { return this.name; } } export const tool = new Made();',
    ["a"],
  ],
  "an instance of a class with private members": [
    "tool.mjs",
    'class Made { #own = "a"; name = "a"; description = "A tool."; parameters = { type: "object" }; execute() { return this.#own; } } export const tool = new Made();',
    ["a"],
  ],
  "a frozen list of frozen tools": [
    "tool.mjs",
    `export const tools = Object.freeze([Object.freeze(${object("a")})]);`,
    ["a"],
  ],
};

/** Each takes a thread of its own, so that not all shapes are in the quick size. */
const inThread =
  process.env["TEST_SIZE"] === "quick" ? ["tool by name", "module.exports with a list"] : Object.keys(shapes);

describe("a tool module may export", () => {
  for (const [shape, [file, source, expected]] of Object.entries(shapes)) {
    for (const isolation of inThread.includes(shape) ? ["inline", "thread"] : ["inline"]) {
      test(`${shape}, ${isolation}`, async () => {
        const text = source
          .replaceAll("execute()", `isolation: "${isolation}", execute()`)
          // In the body of a class.
          .replace(/isolation: ("\w+"), (execute\(\) \{ return this\.#?\w+; \} \} export)/, "isolation = $1; $2");
        const { load, names, call, reasons } = await toolsFolder({ [`t/${file}`]: text });
        await load();
        expect(reasons()).toEqual({});
        expect(names()).toEqual(expected);
        for (const name of expected) expect(await call(name)).toBe(name);
      });
    }
  }
});

const refused: Record<string, readonly [source: string, reason: RegExp]> = {
  nothing: ["", /^the module does not export a tool: .*; it exports nothing$/],
  "another name": ["export const weather = 1, z = 2;", /it exports weather, z$/],
  "a function by default": ["export default () => 1;", /it exports default, which is a function$/],
  "tool that is a function": ["export const tool = () => 1;", /^"tool" is a function, and must be an object/],
  "tool that is null": ["export const tool = null;", /^"tool" is null, and must be/],
  "tools that is an object": [
    `export const tools = { a: ${object("a")} };`,
    /^"tools" is an object without execute, and must be a list of tools$/,
  ],
  "an empty list": ["export const tools = [];", /^"tools" is an empty list$/],
  "a list with a string": [`export const tools = [${object("a")}, "b"];`, /^the tool at position 2 is a string/],
};

describe("a tool module that exports", () => {
  for (const [what, [source, reason]] of Object.entries(refused)) {
    test(`${what} is skipped with what it exports`, async () => {
      const { load, reasons } = await toolsFolder({ "t/tool.mjs": source });
      await load();
      expect(reasons()["t"]).toMatch(reason);
    });
  }
});

describe("the JSON files of a folder", () => {
  const bare = (name: string): string => `{ name: "${name}", description: "A tool.", execute: () => 1 }`;
  const files = {
    "t/parameters.json": '{ "type": "object", "required": ["a"] }',
    "t/response.json": '{ "type": "string" }',
  };

  test("are the schemas of its only tool, a list of one included", async () => {
    const { load, call } = await toolsFolder({ ...files, "t/tool.mjs": `export const tools = [${bare("t")}];` });
    await load();
    expect(await call("t")).toBe("invalid_arguments");
  });

  test("give way to schemas in the module", async () => {
    const { load, call } = await toolsFolder({ ...files, "t/tool.mjs": `export const tool = ${object("t")};` });
    await load();
    expect(await call("t")).toBe("t");
  });

  test("are of none of several tools, and a warning says so", async () => {
    const { load, names, call, reasons, warnings } = await toolsFolder({
      ...files,
      "t/tool.mjs": `export const tools = [${object("a")}, ${bare("b")}];`,
    });
    await load();
    expect(names()).toEqual(["a"]);
    expect(await call("a")).toBe("a");
    expect(reasons()).toEqual({ b: "it has no parameters: the module exports 2 tools, so each must have its own" });
    expect(warnings()).toEqual([
      "t: parameters.json is not used: the module exports 2 tools, so each must have its own schemas",
      "t: response.json is not used: the module exports 2 tools, so each must have its own schemas",
    ]);
  });
});
