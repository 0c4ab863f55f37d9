import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/json/object.ts";
import { createCheck } from "../../src/schema/check.ts";
import { temporaryFolder, toolhost } from "./toolhost.ts";

const root = new URL("../../", import.meta.url);

function read(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
}

test("new writes a tool that runs as it is", async () => {
  const cwd = temporaryFolder();
  const made = await toolhost(["new", "say_back"], { cwd });
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(made.stdout).toContain('npx toolhost call say_back \'{"text": "hello"}\' --tools my-tools');
  for (const line of made.stdout.split("\n").filter((each) => each.includes("toolhost"))) {
    expect(line).toMatch(/^ {2}npx toolhost (?:call|check|test|serve) .*--tools my-tools$/);
  }
  expect(readdirSync(join(cwd, "my-tools/say_back")).sort()).toEqual([
    "examples.json",
    "parameters.json",
    "response.json",
    "tool.mjs",
  ]);

  const called = await toolhost(["call", "say_back", '{"text": "hello"}', "--tools", "my-tools"], { cwd });
  expect(called).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(called.stdout)).toMatchObject({ status: "ok", result: { said: "hello" } });
});

test("its examples fit its schemas, and are what it answers", async () => {
  const cwd = temporaryFolder();
  await toolhost(["new", "a-b", "--dir", "deep/er"], { cwd });
  const folder = join(cwd, "deep/er/a-b");
  const examples = read(folder, "examples.json") as { arguments: object; result: unknown }[];
  const parameters = createCheck(read(folder, "parameters.json") as JsonObject);
  const response = createCheck(read(folder, "response.json") as JsonObject);
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) {
    expect(parameters.accepts(example.arguments)).toBe(true);
    expect(response.accepts(example.result)).toBe(true);
    const called = await toolhost(["call", "a-b", JSON.stringify(example.arguments), "--tools=deep/er"], { cwd });
    expect(JSON.parse(called.stdout)).toMatchObject({ status: "ok", result: example.result });
  }
});

test("check finds nothing wrong with it, and its examples pass", async () => {
  const cwd = temporaryFolder();
  await toolhost(["new", "say_back"], { cwd });
  const checked = await toolhost(["check", "--tools", "my-tools"], { cwd });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  expect(checked.stdout).toMatch(/^say_back: ok, 1 example checked$/m);
  expect(await toolhost(["test", "--exact", "--tools", "my-tools"], { cwd })).toMatchObject({ code: 0, stderr: "" });
});

test("its files are formatted as those of this repository", async () => {
  const cwd = temporaryFolder();
  await toolhost(["new", "say_back", "--dir", "."], { cwd });
  const [config, oxfmt] = [".oxfmtrc.json", "node_modules/.bin/oxfmt"].map((path) =>
    fileURLToPath(new URL(path, root)),
  );
  const files = readdirSync(join(cwd, "say_back")).map((file) => join(cwd, "say_back", file));
  const { status, stdout } = spawnSync(oxfmt ?? "", ["--config", config ?? "", "--check", ...files], {
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("4 files") as string });
});

test("new leaves what exists alone", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "my-tools/mine"), { recursive: true });
  expect(await toolhost(["new", "mine"], { cwd })).toEqual({
    code: 2,
    stdout: "",
    stderr: "toolhost: my-tools/mine exists already\n",
  });
  expect(readdirSync(join(cwd, "my-tools/mine"))).toEqual([]);
});

test.each([["../x"], ["a.b"], ["1st"], ["x".repeat(65)], ["ä"], [""], [], ["one", "two"], ["ok", "--dri=x"]])(
  "new refuses %s in one line",
  async (...args) => {
    const cwd = temporaryFolder();
    const { code, stderr } = await toolhost(["new", ...args], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^toolhost: [^\n]+\n$/);
    expect(readdirSync(cwd)).toEqual([]);
  },
);

test("new says so where it cannot write", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "file"), "");
  const { code, stderr } = await toolhost(["new", "mine", "--dir", "file"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^toolhost: \S+ cannot be written: ENOTDIR\n$/);
});
