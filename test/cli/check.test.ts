import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Ended, fixtures, temporaryFolder, toolhost } from "./toolhost.ts";

const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const keyed = { type: "object", properties: { $top: { type: "integer", minimum: 1 } }, additionalProperties: true };
/** Nothing that is an object fits: only MCP takes schemas as they are. */
const impossible = { type: "object", anyOf: [{ type: "string" }] };

/** Runs `check` on tools of these parameters alone. */
async function check(parameters: Readonly<Record<string, unknown>>, ...args: string[]): Promise<Ended> {
  const folder = temporaryFolder();
  for (const [name, schema] of Object.entries(parameters)) {
    mkdirSync(join(folder, name));
    const module = `export const tool = { name: "${name}", description: "Tries.", execute: () => null };\n`;
    writeFileSync(join(folder, name, "tool.mjs"), module);
    writeFileSync(join(folder, name, "parameters.json"), JSON.stringify(schema));
  }
  return toolhost(["check", `--tools=${folder}`, "--no-bundled", ...args]);
}

test("check of tools that lose nothing prints a line a format and exits with 0", async () => {
  const { code, stdout, stderr } = await check({ text });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toBe(
    [
      "openai                 1 of 1 tools, no losses",
      "openai-responses       1 of 1 tools, no losses",
      "anthropic              1 of 1 tools, no losses",
      "gemini                 1 of 1 tools, no losses",
      "gemini?schema=openapi  1 of 1 tools, no losses",
      "ollama                 1 of 1 tools, no losses",
      "mcp                    1 of 1 tools, no losses",
      "",
    ].join("\n"),
  );
});

test("check names a pattern that fails the request of a provider", async () => {
  const email = { type: "object", properties: { email: { type: "string", pattern: "^(?!\\.)[^@]+@.+$" } } };
  const { code, stdout } = await check({ email }, "--format=openai,anthropic", "--strict");
  expect(code).toBe(0);
  const message = "pattern is said in the description only: the provider cannot compile it.";
  for (const form of ["openai", "openai?strict=true", "anthropic?strict=true"]) {
    expect(stdout).toMatch(
      new RegExp(`^email +${form.replace("?", "\\?")} +widened +/properties/email +${message}$`, "m"),
    );
  }
  expect(stdout).toContain("anthropic              1 of 1 tools, no losses");
});

test("check names each loss, tool by tool, in columns; a loss alone is no failure", async () => {
  const { code, stdout } = await check({ text, keyed, "a-keyed": keyed }, "--format=anthropic,ollama");
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      'a-keyed  anthropic  renamed  /properties/$top  The property "$top" is called _top; calls are taken back.',
      "a-keyed  ollama     widened  /properties/$top  minimum is said in the description only.",
      'keyed    anthropic  renamed  /properties/$top  The property "$top" is called _top; calls are taken back.',
      "keyed    ollama     widened  /properties/$top  minimum is said in the description only.",
      "",
      "anthropic  3 of 3 tools, 2 renamed",
      "ollama     3 of 3 tools, 2 widened",
      "",
    ].join("\n"),
  );
});

test("check exits with 1 where a format leaves a tool out", async () => {
  const { code, stdout } = await check({ text, impossible }, "--format", "openai", "--format", "mcp");
  expect(code).toBe(1);
  expect(stdout).toBe(
    [
      "impossible  openai  omitted  -  Left out: its root accepts nothing.",
      "",
      "openai  1 of 2 tools, 1 omitted",
      "mcp     2 of 2 tools, no losses",
      "",
    ].join("\n"),
  );
  expect(await check({ impossible }, "--format=mcp")).toMatchObject({ code: 0 });
});

test("check exits with 1 where a tool was skipped, and says why apart from what it found", async () => {
  const { code, stdout, stderr } = await check({ text, broken: { type: "strin" } }, "--format=openai");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "openai  1 of 1 tools, no losses\n" });
  expect(stderr).toMatch(/^skipped: broken: parameters: [^\n]+\n$/);
});

test("check --strict looks at the strict form too, where a format has one", async () => {
  const { code, stdout } = await check({ text, keyed }, "--strict");
  expect(code).toBe(0);
  expect(stdout.match(/^\S+ (?= +\d+ of)/gm)?.map((format) => format.trim())).toEqual([
    "openai",
    "openai?strict=true",
    "openai-responses",
    "openai-responses?strict=true",
    "anthropic",
    "anthropic?strict=true",
    "gemini",
    "gemini?schema=openapi",
    "ollama",
    "mcp",
  ]);
  expect(stdout).toMatch(/^text +openai\?strict=true +narrowed +- +Properties that are not named cannot be given\.$/m);
  expect(stdout).toMatch(/^keyed +openai\?strict=true +annotation +- +Not strict: /m);
});

test("check --tool looks at the named tools alone", async () => {
  const tools = { text, keyed, impossible, broken: { type: "strin" } };
  expect(await check(tools, "--format=openai", "--tool=text", "--tool", "keyed")).toEqual({
    code: 0,
    stdout: "openai  2 of 2 tools, no losses\n",
    stderr: "",
  });
  expect(await check(tools, "--format=openai", "--tool=impossible")).toMatchObject({ code: 1, stderr: "" });
  const skipped = await check(tools, "--format=openai", "--tool=broken");
  expect(skipped).toMatchObject({ code: 1, stderr: expect.stringMatching(/^skipped: broken: /) });
});

test("check --json is the same for programs", async () => {
  const { code, stdout } = await check({ text, impossible }, "--json", "--format=gemini?schema=openapi");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    formats: [
      {
        format: "gemini?schema=openapi",
        tools: 2,
        counts: { omitted: 1, widened: 0, narrowed: 0, renamed: 0, annotation: 0 },
        warnings: [{ tool: "impossible", path: "", kind: "omitted", message: "Left out: its root accepts nothing." }],
      },
    ],
    skipped: [],
  });
});

test("check looks at tools that cannot run here", async () => {
  const { code, stdout } = await toolhost(["check", "--tool=web_search", "--format=openai"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "openai  1 of 1 tools, no losses\n" });
});

test("check reads the configuration file, as serve does", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "toolhost.yaml"), `tools: [{ folder: ${JSON.stringify(join(fixtures, "rival"))} }]\n`);
  const { code, stdout } = await toolhost(["check", "--tool=echo_mjs", "--format=openai"], { cwd: folder });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "openai  1 of 1 tools, no losses\n" });
});

test("a key of a schema cannot command the terminal", async () => {
  const { stdout } = await check(
    { red: { type: "object", properties: { "a\u001b[31m\n": {} } } },
    "--format=anthropic",
  );
  expect(stdout).toContain(" /properties/a\\u001b[31m\\u000a  ");
  expect(stdout).not.toContain("\u001b");
});

test.each([
  [["--format=cohere"], "--format cohere: it must be one of openai, openai-responses, anthropic, gemini, "],
  [["--format="], "--format : it must be one of openai"],
  [["--tool=nobody"], "--tool nobody: there is no such tool"],
  [["--unknown"], "Unknown option '--unknown'"],
  [["word"], "Unexpected argument 'word'"],
])("check %j is refused in one line", async (args, reason) => {
  const { code, stdout, stderr } = await toolhost(["check", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^toolhost: [^\n]+\n$/);
  expect(stderr).toContain(reason);
});
