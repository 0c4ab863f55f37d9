import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Ended, temporaryFolder, toolhost } from "./toolhost.ts";

interface Files {
  /** The body of `execute({ n })`. */
  readonly body?: string;
  readonly fields?: object;
  readonly examples?: unknown;
}

/** Writes tools that take a number `n` and return one. */
function writeTools(tools: Readonly<Record<string, Files>>): string {
  const folder = temporaryFolder();
  for (const [name, { body = "return n * 2;", fields = {}, examples }] of Object.entries(tools)) {
    mkdirSync(join(folder, name));
    const settings = JSON.stringify({
      name,
      description: "Doubles a number.",
      parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      response: { type: "number" },
      ...fields,
    });
    writeFileSync(
      join(folder, name, "tool.mjs"),
      `export const tool = { ...${settings}, execute({ n }) { ${body} } };\n`,
    );
    if (examples !== undefined) writeFileSync(join(folder, name, "examples.json"), JSON.stringify(examples));
  }
  return folder;
}

async function run(tools: Readonly<Record<string, Files>>, ...args: string[]): Promise<Ended> {
  return toolhost(["test", `--tools=${writeTools(tools)}`, ...args]);
}

describe("test", () => {
  test("runs each example and exits with 0 if all pass", async () => {
    const examples = [{ arguments: { n: 1 } }, { arguments: { n: 2 }, result: 4 }];
    expect(await run({ double: { examples }, other: { examples: [{ arguments: { n: 0 } }] } })).toEqual({
      code: 0,
      stderr: "",
      stdout: `double  example 1  passed
double  example 2  passed
other   example 1  passed

3 passed, 0 failed
`,
    });
  });

  test.each<[string, Files, RegExp]>([
    [
      "arguments do not match",
      { examples: [{ arguments: { n: "1" } }] },
      /^double {2}example 1 {2}failed {2}invalid_arguments: .*\/n must be number/m,
    ],
    [
      "the result does not match",
      { body: "return 'two';", examples: [{ arguments: { n: 1 } }] },
      /^double {2}example 1 {2}failed {2}invalid_result: /m,
    ],
    [
      "the tool throws",
      { body: "throw new Error('inside');", examples: [{ arguments: { n: 1 } }] },
      /failed {2}tool_failed: /,
    ],
    ["the file is wrong", { examples: {} }, /^double {2}- +failed {2}examples\.json must be an array/m],
    [
      "an entry is wrong",
      { examples: [{ args: { n: 1 } }] },
      /failed {2}example 1 contains "args".* did you mean "arguments"\?/,
    ],
    [
      "the tool was skipped",
      { fields: { timeoutMs: 0 }, examples: [] },
      /^double {2}- +failed {2}skipped: "timeoutMs" must be/m,
    ],
  ])("exits with 1 if %s", async (_name, files, line) => {
    const { code, stdout } = await run({ double: files, good: { examples: [{ arguments: { n: 1 } }] } });
    expect(stdout).toMatch(line);
    expect(stdout).toMatch(/\n\n1 passed, 1 failed\n$/);
    expect(code).toBe(1);
  });

  test("shows on stderr what was thrown", async () => {
    const { stdout, stderr } = await run({
      double: { body: "throw new Error('inside');", examples: [{ arguments: { n: 1 } }] },
    });
    expect(stderr).toMatch(/Error: inside\n.*tool\.mjs/);
    expect(stdout).not.toContain("inside");
  });

  test("says where a result differs, which fails with --exact alone", async () => {
    const tools = {
      double: {
        fields: { response: {} },
        body: "return { a: [n, 2], b: 1 };",
        examples: [{ arguments: { n: 1 }, result: { b: 1, a: [1, 3] } }],
      },
    };
    const note = "the result differs from the result of the example at /a/1";
    const passed = await run(tools);
    expect(passed).toMatchObject({ code: 0, stderr: "" });
    expect(passed.stdout).toContain(`passed  ${note} (only --exact makes this a failure)\n`);
    const failed = await run(tools, "--exact");
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain(`failed  ${note}\n`);
  });

  test.each([
    [{ a: 1 }, { a: 1, b: 2 }, "/b"],
    [{ a: 1, b: 2 }, { a: 1 }, "/b"],
    [[1], [1, 2], "/1"],
    [{ a: [] }, { a: {} }, "/a"],
    [1, 2, "the root"],
    [null, {}, "the root"],
    [{ "x/y": 1 }, { "x/y": 2 }, "/x~1y"],
  ])("--exact finds the difference of %j and %j at %s", async (result, returned, place) => {
    const body = `return ${JSON.stringify(returned)};`;
    const examples = [{ arguments: { n: 1 }, result }];
    const { code, stdout } = await run({ double: { fields: { response: {} }, body, examples } }, "--exact");
    expect(code).toBe(1);
    expect(stdout).toContain(`differs from the result of the example at ${place}\n`);
  });

  test("--exact compares values, not the order of keys", async () => {
    const examples = [{ arguments: { n: 1 }, result: { a: 1, b: [2.0] } }];
    const tools = { double: { fields: { response: {} }, body: "return { b: [2], a: 1 };", examples } };
    expect(await run(tools, "--exact")).toMatchObject({ code: 0 });
  });

  test("runs the named tools alone, and suggests a name", async () => {
    const examples = [{ arguments: { n: 1 } }];
    const folder = writeTools({ double: { examples }, other: { body: "throw 1;", examples } });
    expect(await toolhost(["test", "double", "--tools", folder])).toMatchObject({ code: 0 });
    expect(await toolhost(["test", "doubel", "--tools", folder])).toEqual({
      code: 2,
      stdout: "",
      stderr: 'toolhost: there is no tool "doubel"; did you mean "double"?\n',
    });
  });

  test("reports tools that were not run, and fails if none was", async () => {
    const unset = { fields: { requires: ["NO_SUCH_KEY"] }, examples: [{ arguments: { n: 1 } }] };
    const tools = { bare: {}, unset };
    const none = await run(tools);
    expect(none.code).toBe(1);
    expect(none.stdout).toBe(`bare   -  not run  it has no examples.json
unset  -  not run  the environment variable NO_SUCH_KEY is not set

0 passed, 0 failed, 2 not run
`);
    expect(await run({ ...tools, double: { examples: [{ arguments: { n: 1 } }] } })).toMatchObject({ code: 0 });
    const folder = `--tools=${writeTools({ unset })}`;
    expect(await toolhost(["test", folder], { env: { NO_SUCH_KEY: "k" } })).toMatchObject({ code: 0 });
  });

  test("leaves the bundled tools out unless they are asked for", async () => {
    const nothing = await toolhost(["test"]);
    expect(nothing).toMatchObject({ code: 1, stdout: "" });
    expect(nothing.stderr).toMatch(/^No tools of your own: /);
    const { code, stdout } = await toolhost(["test", "show_effect", "get_current_time"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^show_effect +example 1 +passed/m);
  });

  test("--json has the outcomes for programs", async () => {
    const { stdout } = await run({ double: { examples: [{ arguments: { n: 1 } }] }, bare: {} }, "--json");
    expect(JSON.parse(stdout)).toEqual({
      results: [
        { tool: "bare", state: "not run", note: "it has no examples.json" },
        { tool: "double", example: 1, state: "passed", outcome: expect.objectContaining({ status: "ok", result: 2 }) },
      ],
    });
  });
});
