import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, toolhost } from "./toolhost.ts";

const parameters = {
  type: "object",
  properties: { zqTenant: { type: "string" }, text: { type: "string" } },
  required: ["zqTenant", "text"],
  additionalProperties: false,
};
const whole = { arguments: { zqTenant: "t", text: "a" }, result: "t a" };
const without = { arguments: { text: "a" }, result: "acme a" };

/** A folder with a configuration that binds an argument of its only tool. */
function folderWith(bound: string, examples: readonly object[], fields: object = {}): string {
  const folder = temporaryFolder();
  const tool = join(folder, "tools", "mine");
  mkdirSync(tool, { recursive: true });
  const settings = JSON.stringify({ name: "mine", description: "Says whose.", parameters, ...fields });
  const execute = "execute: ({ zqTenant, text }) => `${zqTenant} ${text}`";
  writeFileSync(join(tool, "tool.mjs"), `export const tool = { ...${settings}, ${execute} };\n`);
  writeFileSync(join(tool, "examples.json"), JSON.stringify(examples));
  writeFileSync(
    join(folder, "toolhost.yaml"),
    `overrides: { mine: { bind: { zqTenant: ${bound} } } }\ntools: [{ folder: tools }]\n`,
  );
  return folder;
}

test("examples may contain bound arguments, or leave them out", async () => {
  const value = { cwd: folderWith("{ value: acme }", [without, whole]) };
  expect((await toolhost(["test", "--exact"], value)).stdout).toContain("example 1  passed");
  expect((await toolhost(["test", "--exact"], value)).stdout).toContain("2 passed, 0 failed");
  expect((await toolhost(["check"], value)).stdout).toContain("mine: ok, 2 examples checked");
  const claim = { cwd: folderWith("{ claim: sub }", [without, whole]) };
  expect((await toolhost(["test", "--exact"], claim)).stdout).toMatch(
    /^mine +example 1 +not run +it leaves out an argument that is bound to a claim or the session.*\nmine +example 2 +passed/m,
  );
});

test("check warns of a claim that no caller can have", async () => {
  const examples = [without, whole];
  const cwd = folderWith("{ claim: sub }", examples);
  const warning = '"overrides" binds an argument to a claim, but auth.jwt is not set, so no caller can use the tool';
  const { code, stdout } = await toolhost(["check"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain(`mine: warning: ${warning}\n`);
  const { warnings } = JSON.parse((await toolhost(["check", "--json"], { cwd })).stdout);
  expect(warnings).toEqual([{ name: "mine", message: warning }]);

  const jwt = "{ issuer: https://id.example/, audience: tools, jwksUrl: https://id.example/keys, toolsClaim: tools }";
  appendFileSync(join(cwd, "toolhost.yaml"), `auth: { jwt: ${jwt} }\n`);
  expect((await toolhost(["check"], { cwd })).stdout).toContain("mine: ok, 2 examples checked");
  expect((await toolhost(["check"], { cwd: folderWith("{ session: true }", examples) })).stdout).not.toContain(
    "warning",
  );
});

test("check fails for a pattern that binds an argument of none of its tools", async () => {
  const cwd = folderWith("{ value: acme }", [whole]);
  const overrides = (bind: string): void =>
    writeFileSync(join(cwd, "toolhost.yaml"), `overrides: ${bind}\ntools: [{ folder: tools }]\n`);
  overrides("{ mi*: { bind: { zqTennant: { value: acme } } } }");
  const { code, stdout } = await toolhost(["check"], { cwd });
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('problem: it binds "zqTennant", but no tool that it applies to has this argument'),
  ]);
  const { unusedBindings } = JSON.parse((await toolhost(["check", "--json"], { cwd })).stdout);
  expect(unusedBindings).toEqual([{ override: "mi*", argument: "zqTennant" }]);
  overrides("{ mi*: { bind: { zqTenant: { value: acme } } }, other_*: { bind: { zqTennant: { value: acme } } } }");
  expect(await toolhost(["check"], { cwd })).toMatchObject({ code: 0 });
  overrides("{ mi*: { bind: { zqTenant: { value: acme } } }, mine: { bind: { zqTenant: null } } }");
  expect(await toolhost(["check"], { cwd })).toMatchObject({ code: 0 });
});

test("check says what is wrong with an example, and does not name what is bound", async () => {
  const cwd = folderWith("{ value: acme }", [{ arguments: { text: 5 } }, { arguments: { zqTenant: "t", txt: "a" } }]);
  const { code, stdout } = await toolhost(["check", "--strict", "--verbose"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain("example 1: its arguments do not match the schema: /text must be string");
  expect(stdout).toContain("example 2: its arguments do not match the schema: /text is required; /txt is not a known");
  expect(stdout).not.toContain("zqTenant");
});

test("list and call do not name it, and leave out a tool that only tokens can use", async () => {
  const value = { cwd: folderWith("{ value: acme }", []) };
  expect((await toolhost(["list", "--json"], value)).stdout).not.toContain("zqTenant");
  expect((await toolhost(["call", "mine", "--help"], value)).stdout).toMatch(/text/);
  expect((await toolhost(["call", "mine", "--help"], value)).stdout).not.toContain("zqTenant");
  expect(JSON.parse((await toolhost(["call", "mine", '{"text":"a"}'], value)).stdout)).toMatchObject({
    result: "acme a",
  });
  const claim = { cwd: folderWith("{ claim: sub }", []) };
  const listed = await toolhost(["list"], claim);
  expect(listed.stdout).not.toContain("mine");
  expect(listed.stderr).toContain('unavailable "mine": only callers with a token can use it');
  expect(JSON.parse((await toolhost(["call", "mine", '{"text":"a"}'], claim)).stdout)).toMatchObject({
    error: { code: "unknown_tool" },
  });
});

test("a tool in a thread gets what is bound", async () => {
  const cwd = folderWith("{ value: acme }", [], { isolation: "thread", annotations: { readOnly: true }, retries: 1 });
  const { stdout } = await toolhost(["call", "mine", '{"text":"a"}'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ result: "acme a" });
});
