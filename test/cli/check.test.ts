import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dialectNames } from "../../src/dialects/dialects.ts";
import { type Ended, fixtures, temporaryFolder, toolhost } from "./toolhost.ts";

const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const keyed = { type: "object", properties: { $top: { type: "integer", minimum: 1 } }, additionalProperties: true };
/** Nothing that is an object fits: only MCP takes schemas as they are. */
const impossible = { type: "object", anyOf: [{ type: "string" }] };

interface Files {
  /** Fields of the tool beside its name, description and execute. */
  readonly fields?: object;
  readonly parameters?: unknown;
  readonly response?: unknown;
  /** Text as it is; anything else as JSON. */
  readonly examples?: unknown;
}

function writeTools(tools: Readonly<Record<string, Files>>): string {
  const folder = temporaryFolder();
  for (const [name, { fields = {}, parameters = text, response, examples }] of Object.entries(tools)) {
    const write = (file: string, value: unknown): void =>
      writeFileSync(join(folder, name, file), typeof value === "string" ? value : JSON.stringify(value));
    mkdirSync(join(folder, name));
    const settings = JSON.stringify({ name, description: "Tries.", ...fields });
    write("tool.mjs", `export const tool = { ...${settings}, execute: ({ text }) => ({ said: text }) };\n`);
    write("parameters.json", parameters);
    if (response !== undefined) write("response.json", response);
    if (examples !== undefined) write("examples.json", examples);
  }
  return folder;
}

/** Every format of the table, and Gemini's second form. */
const formats = dialectNames.flatMap((name) => (name === "gemini" ? [name, "gemini?schema=openapi"] : [name]));

/** Runs `check` on these tools alone. */
async function check(tools: Readonly<Record<string, Files>>, ...args: string[]): Promise<Ended> {
  return toolhost(["check", `--tools=${writeTools(tools)}`, ...args]);
}

describe("check of tools that are all right", () => {
  test("prints a line a tool and a line a format, and exits with 0", async () => {
    const examples = [{ arguments: { text: "a" } }, { arguments: { text: "b" }, result: { said: "b" } }];
    expect(await check({ plain: {}, shown: { examples } })).toEqual({
      code: 0,
      stderr: "",
      stdout: `plain: ok
shown: ok, 2 examples checked

${formats.map((format) => `${format.padEnd(21)}  2 of 2 tools\n`).join("")}`,
    });
  });

  test("counts what formats cannot express, and shows it with --verbose", async () => {
    const tools = { keyed: { parameters: keyed }, "a-keyed": { parameters: keyed } };
    const { code, stdout } = await check(tools, "--format=anthropic,ollama");
    expect(code).toBe(0);
    const counts = "anthropic  2 of 2 tools, renamed: 2\nollama     2 of 2 tools, not enforced: 2\n";
    expect(stdout).toBe(`a-keyed: ok
keyed: ok

${counts}
If a provider does not enforce a rule, the description mentions the rule instead.
For the details: toolhost check --verbose
`);
    expect((await check(tools, "--format=anthropic,ollama", "--verbose")).stdout).toBe(`a-keyed: ok
keyed: ok

a-keyed  anthropic  renamed       /properties/$top  The property "$top" is renamed to "_top"; calls are translated back.
a-keyed  ollama     not enforced  /properties/$top  "minimum" is mentioned in the description only.
keyed    anthropic  renamed       /properties/$top  The property "$top" is renamed to "_top"; calls are translated back.
keyed    ollama     not enforced  /properties/$top  "minimum" is mentioned in the description only.

${counts}`);
  });

  test("names a pattern that fails the request of a provider", async () => {
    const parameters = { type: "object", properties: { email: { type: "string", pattern: "^(?!\\.)[^@]+@.+$" } } };
    const email = { email: { parameters } };
    const { code, stdout } = await check(email, "--format=openai,anthropic", "--strict", "--verbose");
    expect(code).toBe(0);
    const message = '"pattern" is mentioned in the description only, because the provider cannot compile it.';
    for (const form of ["openai", String.raw`openai\?strict=true`, String.raw`anthropic\?strict=true`]) {
      expect(stdout).toMatch(new RegExp(`^email +${form} +not enforced +/properties/email +${message}$`, "m"));
    }
    expect(stdout).toMatch(/^anthropic +1 of 1 tool$/m);
  });

  test("--strict looks at the strict form too, if a format has one", async () => {
    const { code, stdout } = await check(
      { text: {}, keyed: { parameters: keyed } },
      "--strict",
      "--verbose",
      "--format=openai,gemini,mcp",
    );
    expect(code).toBe(0);
    expect(stdout.match(/^\S+ (?= *\d+ of)/gm)?.map((format) => format.trim())).toEqual([
      "openai",
      "openai?strict=true",
      "gemini",
      "mcp",
    ]);
    expect(stdout).toMatch(
      /^text +openai\?strict=true +narrowed +- +Only the properties that the schema defines can be given\.$/m,
    );
    expect(stdout).toMatch(/^keyed +openai\?strict=true +not sent +- +Not strict: /m);
  });
});

describe("check of what is misspelt", () => {
  test("warns with the place and what was meant, and exits with 0", async () => {
    const parameters = { type: "object", properties: { a: { type: "string", minlength: 1 } }, requried: ["a"] };
    const fields = { timeout: 50, annotations: { readonly: true } };
    const { code, stdout } = await check({ my_tool: { fields, parameters } }, "--format=mcp");
    expect(code).toBe(0);
    expect(stdout).toBe(`my_tool:
  warning: /timeout: "timeout" is not a field of a tool and has no effect; did you mean "timeoutMs"?
  warning: /annotations/readonly: "readonly" is not an annotation and has no effect; did you mean "readOnly"?
  warning: /parameters/requried: "requried" is not a keyword of JSON Schema and has no effect; did you mean "required"?
  warning: /parameters/properties/a/minlength: "minlength" is not a keyword of JSON Schema and has no effect; did you mean "minLength"?

mcp  1 of 1 tool
`);
  });

  test("--json has the warnings for programs", async () => {
    const { stdout } = await check({ my_tool: { fields: { timeout: 50 } } }, "--format=mcp", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      warnings: [{ name: "my_tool", path: "/timeout", message: expect.stringContaining("timeoutMs") as string }],
    });
  });
});

describe("check of examples", () => {
  const response = { type: "object", properties: { said: { type: "string" } }, required: ["said"] };

  test.each<[string, unknown, string]>([
    [
      "arguments that the schema refuses",
      [{ arguments: {} }],
      "example 1: its arguments do not match the schema: /text is required",
    ],
    [
      "a result that the schema refuses",
      [{ arguments: { text: "a" }, result: { say: "a" } }],
      "example 1: its result does not match the schema: /said is required",
    ],
    ["arguments that are missing", [{ result: { said: "a" } }], 'example 1 must contain "arguments", an object'],
    ["arguments that are not an object", [{ arguments: ["a"] }], 'example 1 must contain "arguments", an object'],
    [
      "a misspelt field",
      [{ arguments: { text: "a" } }, { argument: { text: "a" } }],
      'example 2 contains "argument", which is not a field of an example; did you mean "arguments"?',
    ],
    [
      "a field of another kind",
      [{ arguments: { text: "a" }, output: { said: "a" } }],
      'example 1 contains "output", which is not a field of an example; did you mean "result"?',
    ],
    [
      "a tool of elsewhere",
      [{ tool: "my_tol", arguments: { text: "a" } }],
      'example 1 is for "my_tol", which the folder does not contain',
    ],
    ["an entry that is not an object", ["a"], "example 1 must be an object"],
    ["an object", {}, 'examples.json must be an array of {"arguments": …, "result": …}'],
    ["half JSON", "[{", "examples.json is not valid JSON at line 1, column 3"],
    [
      "a duplicate key",
      '[{"arguments": {"text": "a", "text": "b"}}]',
      'examples.json has the key "text" twice in one object, at line 1, column 30',
    ],
    [
      "an integer that would be rounded",
      '\uFEFF[{"arguments": {"text": 9007199254740993}}]',
      "examples.json is refused: /0/arguments/text is an integer that ",
    ],
    [
      "a field that every object inherits",
      [{ constructor: 1, arguments: { text: "a" } }],
      'example 1 contains "constructor", which is not a field of an example\n',
    ],
  ])("names %s and exits with 1", async (_name, examples, problem) => {
    const { code, stdout } = await check({ my_tool: { response, examples } }, "--format=mcp");
    expect(code).toBe(1);
    expect(stdout).toContain(`my_tool: problem: ${problem}`);
  });

  test("are those of each tool in a folder of several, whichever is named", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "two"));
    const tool = (name: string): string =>
      `{ name: "${name}", description: "Tries.", parameters: { type: "object" }, execute: () => null }`;
    writeFileSync(join(folder, "two/tool.mjs"), `export const tools = [${tool("one")}, ${tool("other")}];\n`);
    const examples = [{ tool: "one", arguments: {} }, { tool: "other", arguments: {} }, { arguments: {} }];
    writeFileSync(join(folder, "two/examples.json"), JSON.stringify(examples));
    const problem = 'problem: example 3 must contain "tool", because the folder has several tools';
    const both = await toolhost(["check", "--format=mcp", "--tools", folder]);
    expect(both.stdout).toBe(`one: ${problem}\nother: ok, 1 example checked\n\nmcp  2 of 2 tools\n`);
    const named = await toolhost(["check", "one", "--format=mcp", "--tools", folder]);
    expect(named.stdout).toBe(`one: ${problem}\n\nmcp  1 of 1 tool\n`);
  });

  test("runs nothing", async () => {
    const folder = writeTools({ my_tool: { examples: [{ arguments: { text: "a" } }] } });
    writeFileSync(
      join(folder, "my_tool/tool.mjs"),
      `export const tool = { name: "my_tool", description: "Tries.", execute() { throw new Error("it ran"); } };`,
    );
    expect(await toolhost(["check", "--tools", folder])).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("check", () => {
  test("exits with 1 if a format leaves a tool out", async () => {
    const tools = { text: {}, impossible: { parameters: impossible } };
    expect(await check(tools, "--format", "openai", "--format", "mcp")).toEqual({
      code: 1,
      stderr: "",
      stdout: `impossible: problem: openai: This tool is left out, because its root accepts nothing.
text: ok

openai  1 of 2 tools, left out: 1
mcp     2 of 2 tools
`,
    });
    expect(await check({ impossible: { parameters: impossible } }, "--format=mcp")).toMatchObject({ code: 0 });
  });

  test("exits with 1 if a tool was skipped, and says why", async () => {
    const tools = { text: {}, broken: { parameters: { type: "strin" } } };
    const { code, stdout, stderr } = await check(tools, "--format=openai");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toMatch(/^text: ok\nbroken: skipped: the root of the parameters [^\n]+\n\nopenai {2}1 of 1 tool\n$/);
  });

  test("looks at the named tools alone", async () => {
    const tools = { text: {}, keyed: { parameters: keyed }, impossible: { parameters: impossible } };
    const stdout = "keyed: ok\ntext: ok\n\nopenai  2 of 2 tools\n";
    const folder = `--tools=${writeTools({ ...tools, broken: { parameters: { type: "strin" } } })}`;
    const named = [
      ["text", "keyed"],
      ["--tool=text", "--tool", "keyed"],
      ["text", "--tool=keyed"],
    ];
    for (const names of named) {
      expect(await toolhost(["check", "--format=openai", folder, ...names])).toEqual({ code: 0, stdout, stderr: "" });
    }
    expect(await toolhost(["check", "--format=openai", folder, "impossible"])).toMatchObject({ code: 1 });
    const skipped = await toolhost(["check", folder, "broken"]);
    expect(skipped).toMatchObject({ code: 1, stdout: expect.stringMatching(/^broken: skipped: [^\n]+\n$/) as string });
  });

  test("--json is the same for programs", async () => {
    const tools = { text: { examples: [{ arguments: {} }] }, impossible: { parameters: impossible } };
    const { code, stdout } = await check(tools, "--json", "--format=gemini?schema=openapi");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      tools: [
        { name: "impossible", arguments: [], examples: 0, problems: [] },
        {
          name: "text",
          arguments: ["text"],
          examples: 1,
          problems: ["example 1: its arguments do not match the schema: /text is required"],
        },
      ],
      skipped: [],
      warnings: [],
      unusedBindings: [],
      formats: [
        {
          format: "gemini?schema=openapi",
          tools: 2,
          counts: { omitted: 1, widened: 0, narrowed: 0, renamed: 0, annotation: 0 },
          warnings: [
            {
              tool: "impossible",
              path: "",
              kind: "omitted",
              message: "This tool is left out, because its root accepts nothing.",
            },
          ],
        },
      ],
    });
  });

  test("describes folders of tools only to an operator who has a folder or no source", async () => {
    const cwd = temporaryFolder();
    const info = { title: "Empty", version: "1" };
    writeFileSync(join(cwd, "api.json"), JSON.stringify({ openapi: "3.1.0", info, paths: {} }));
    writeFileSync(join(cwd, "toolhost.yaml"), "tools: [{ openapi: ./api.json, name: shop }]\n");
    expect(await toolhost(["check", "--config", "toolhost.yaml"], { cwd })).toEqual({
      code: 1,
      stdout: "",
      stderr: "No tools in shop (openapi).\n",
    });
    mkdirSync(join(cwd, "own"));
    expect((await toolhost(["check", "--config", "toolhost.yaml", "--tools", "own"], { cwd })).stderr).toMatch(
      /^No tools in own, shop \(openapi\)\.\nIn a folder/,
    );
  });

  test("leaves the bundled tools out unless they are asked for, those that cannot run here included", async () => {
    const nothing = await toolhost(["check"]);
    expect(nothing).toMatchObject({ code: 1, stdout: "" });
    expect(nothing.stderr).toMatch(/^No tools of your own: .*--tools[^]*tool\.mjs/);
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "a/b"), { recursive: true });
    const empty = await toolhost(["check", "--tools", "a/b"], { cwd });
    expect(empty).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^No tools in a\/b\.\nIn a folder/),
    });
    expect((await toolhost(["check", "a"], { cwd })).stderr).toBe(
      'toolhost: there is no tool "a"; did you mean --tools a?\n',
    );
    for (const args of [["--bundled"], ["web_search"], ["--tool=web_search"]]) {
      const { code, stdout } = await toolhost(["check", "--format=openai", ...args]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^web_search: ok, 2 examples checked$/m);
    }
    expect((await check({ text: {} }, "--format=openai")).stdout).toBe("text: ok\n\nopenai  1 of 1 tool\n");
  });

  test("reads the configuration file, as serve does", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "toolhost.yaml"), `tools: [{ folder: ${JSON.stringify(join(fixtures, "rival"))} }]\n`);
    const { code, stdout } = await toolhost(["check", "--format=openai"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "echo_mjs: ok\n\nopenai  1 of 1 tool\n" });
  });

  test("writes no control character of a schema to the terminal", async () => {
    const parameters = { type: "object", properties: { "a\u001b[31m\n": {} } };
    const { stdout } = await check({ red: { parameters } }, "--format=anthropic", "--verbose");
    expect(stdout).toContain(" /properties/a\\u001b[31m\\u000a  ");
    expect(stdout).not.toContain("\u001b");
  });

  test.each([
    [["--format=no-such"], "--format no-such: it must be one of openai, openai-responses, anthropic, gemini, "],
    [["--format=antropic"], '; did you mean "anthropic"?'],
    [["--format="], "--format : it must be one of openai"],
    [["--tool=nobody"], 'there is no tool "nobody"'],
    [["get_wether"], 'there is no tool "get_wether"; did you mean "get_weather"?'],
    [["--unknown"], "unknown flag --unknown"],
  ])("%j is refused in one line", async (args, reason) => {
    const { code, stdout, stderr } = await toolhost(["check", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^toolhost: [^\n]+\n$/);
    expect(stderr).toContain(reason);
  });
});
