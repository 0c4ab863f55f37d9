import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toolhost } from "./toolhost.ts";

const root = new URL("../../", import.meta.url);

test("key makes a new key each time, and prints its sha256", async () => {
  const [first, second] = await Promise.all([toolhost(["key"]), toolhost(["key"])]);
  const [, key = "", sha256] = /^key {5}(th_[\w-]{43})\nsha256 {2}([0-9a-f]{64})\n$/.exec(first.stdout) ?? [];
  expect(sha256).toBe(createHash("sha256").update(key).digest("hex"));
  expect(second.stdout).not.toContain(key);
});

const names = ["serve", "list", "call", "check", "test", "new", "key", "health"];

test.each([["help"], ["--help"], ["-h"], []])("%s shows every command, and the environment", async (...args) => {
  const { code, stdout, stderr } = await toolhost(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const name of names) expect(stdout).toContain(`  toolhost ${name} `);
  for (const variable of ["TOOLHOST_INSECURE=1", "WEATHER_BASE_URL", "TAVILY_BASE_URL", "*_BASE_URL"]) {
    expect(stdout).toContain(variable);
  }
});

test("the help of serve names no flag that serve does not take", async () => {
  expect((await toolhost(["serve", "--help"])).stdout).not.toContain("--url");
});

test.each(names)("%s has a help of its own", async (name) => {
  const help = await toolhost([name, "--help"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toMatch(new RegExp(`^\\S.*\\n\\n  toolhost ${name}\\b`));
  expect(await toolhost(["help", name])).toEqual(help);
  expect(await toolhost([name, "-h", "--tools=x"])).toEqual(help);
  for (const other of names)
    if (other !== name) expect(help.stdout).not.toMatch(new RegExp(`^  toolhost ${other}`, "m"));
});

test.each(["version", "--version"])("%s is the package's", async (command) => {
  const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { version: string };
  expect(await toolhost([command])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test.each([
  ["cal", "call"],
  ["chekc", "check"],
  ["sevre", "serve"],
  ["tests", "test"],
  ["versoin", "version"],
  ["--port", "serve --port"],
])("the unknown command %s is refused with %s in its place", async (name, meant) => {
  const advice = 'Run "toolhost help" for the list of commands.';
  const stderr = `toolhost: unknown command "${name}"; did you mean "toolhost ${meant}"?\n${advice}\n`;
  expect(await toolhost([name])).toEqual({ code: 2, stdout: "", stderr });
  expect(await toolhost(["help", name])).toEqual({ code: 2, stdout: "", stderr });
});

test.each(["constructor", "__proto__", "deploy", ""])("the unknown command %j is refused", async (name) => {
  const { code, stdout, stderr } = await toolhost([name]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr.startsWith(`toolhost: unknown command ${JSON.stringify(name)}\n`)).toBe(true);
});

test.each([
  [["serve", "--prot", "80"], "--prot; did you mean --port?"],
  [["serve", "--log_level=info"], "--log_level; did you mean --log-level?"],
  [["serve", "--no-bundeld"], "--no-bundeld; did you mean --no-bundled?"],
  [["list", "--jsn"], "--jsn; did you mean --json?"],
  [["call", "a", "--tool=x"], "--tool; did you mean --tools?"],
  [["check", "--verbos"], "--verbos; did you mean --verbose?"],
  [["test", "--exakt"], "--exakt; did you mean --exact?"],
  [["new", "a", "--dri", "x"], "--dri; did you mean --dir?"],
  [["health", "--prot=1"], "--prot; did you mean --port?"],
  [["key", "--name=x"], "--name; the command has no flags"],
  [["new", "a", "--zzz"], "--zzz; the only flag is --dir"],
  [["list", "-x"], "-x; the flags are --config, --tools, --no-bundled, --bundled, "],
])("%j is refused with the flag that was meant", async (args, problem) => {
  const { code, stdout, stderr } = await toolhost(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^toolhost: [^\n]+\n$/);
  expect(stderr).toContain(`unknown flag ${problem}`);
});
