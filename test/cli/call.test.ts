import { runCommandLine } from "../../src/cli/command-line.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { servedTools } from "./served-tools.ts";
import { stdinOf, fixtures, temporaryFolder, toolhost } from "./toolhost.ts";

const tools = `--tools=${join(fixtures, "tools")}`;

describe("call in this process", () => {
  test("prints the outcome and exits 0", async () => {
    const { code, stdout, stderr } = await toolhost(["call", "show_effect", '{"effect": "confetti"}']);
    expect(JSON.parse(stdout)).toMatchObject({ status: "ok", result: { effect: "confetti" } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("prints an outcome that is an error and exits 1", async () => {
    const wrong = await toolhost(["call", "show_effect", '{"effect": "smoke"}']);
    expect(JSON.parse(wrong.stdout)).toMatchObject({ status: "error", error: { code: "invalid_arguments" } });
    expect(wrong.code).toBe(1);
    const unknown = await toolhost(["call", "show_efect"]);
    expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { code: "unknown_tool", suggestion: "show_effect" } });
    expect(unknown.code).toBe(1);
  });

  test("takes arguments that are left out as none", async () => {
    const { stdout } = await toolhost(["call", "inline", tools]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "ok", result: "here" });
  });

  test("tells the author on stderr what the outcome keeps from a model", async () => {
    const { code, stdout, stderr } = await toolhost(["call", "breaks", '{"text":"x"}', tools]);
    expect(code).toBe(1);
    expect(stdout).not.toContain("the inside came out");
    expect(stderr).toContain('warn: about to break {"step":1}\n');
    expect(stderr).toContain("TypeError: the inside came out");
    expect(stderr).toContain("breaks/tool.mjs");
  });

  test("reads the arguments from stdin for -", async () => {
    const { stdout } = await toolhost(["call", "echo_mjs", "-", tools], { input: '{"text":"über"}\n' });
    expect(JSON.parse(stdout)).toMatchObject({ status: "ok", result: "über" });
    expect(await toolhost(["call", "inline", "-", tools], { input: "" })).toMatchObject({ code: 0 });
    const broken = await toolhost(["call", "echo_mjs", "-", tools], { input: "{" });
    expect(broken).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^toolhost: the arguments cannot be read: .* line 1, column 2; put single quotes/,
      ) as string,
    });
  });

  test("needs nothing that only the service needs", async () => {
    const env = { PORT: "http", HOST: "0.0.0.0" };
    expect(await toolhost(["call", "show_effect", '{"effect": "hearts"}'], { env })).toMatchObject({ code: 0 });
  });
});

describe("call of a tool that was skipped", () => {
  const line =
    'skipped "throws": its module threw an error while it was loaded, at tool.mjs:1:7: no licence for this machine\n';

  test("prints the reason on stderr, and the outcome as ever", async () => {
    const { code, stdout, stderr } = await toolhost(["call", "throws", "{}", tools]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: "error", error: { code: "unknown_tool" } });
    expect(stderr).toBe(line);
  });

  test("prints the reason first, because a terminal shows both", async () => {
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    const io = { env: {}, cwd: fixtures, out: print, err: print, ...stdinOf("") };
    await runCommandLine(["call", "throws", "{}", tools], io);
    expect(printed).toEqual([line, expect.stringContaining("unknown_tool")]);
  });

  test("prints the reason for a misspelt name too, and for --help", async () => {
    expect((await toolhost(["call", "thrws", "{}", tools])).stderr).toBe(line);
    const { code, stderr } = await toolhost(["call", "throws", "--help", tools]);
    expect(code).toBe(1);
    expect(stderr).toBe(`${line}toolhost: there is no tool "throws"\n`);
  });

  test("prints no reason of others if a listed tool was meant", async () => {
    const { stdout, stderr } = await toolhost(["call", "echo_mj", "{}", tools]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { suggestion: "echo_mjs" } });
    expect(stderr).toBe("");
  });

  test("prints every reason if nothing resembles the name, which may be a folder's", async () => {
    const { stderr } = await toolhost(["call", "quite_another", "{}", tools]);
    expect(stderr).toMatch(/^skipped "throws": /m);
    expect(stderr).toMatch(/^skipped "no_module": /m);
  });

  test("prints the reason that a running service knows", async () => {
    const url = await servedTools([tools]);
    const { code, stderr } = await toolhost(["call", "throws", "{}", "--url", url]);
    expect(code).toBe(1);
    expect(stderr).toBe(line);
  });
});

describe("call NAME --help", () => {
  test("shows the arguments of the tool", async () => {
    const { code, stdout, stderr } = await toolhost(["call", "show_effect", "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^show_effect: Shows a short animation/);
    expect(stdout).toMatch(/^ {2}effect +"confetti" \| "hearts" \| "sparkles", required /m);
    expect(stdout).toContain(`toolhost call show_effect '{"effect":"confetti"}'`);
    expect(stdout).toContain("--url URL");
  });

  test("asks a running service for them", async () => {
    const url = await servedTools([tools]);
    const { stdout } = await toolhost(["call", "echo_mjs", "--help", "--url", url]);
    expect(stdout).toMatch(/^ {2}text +string, required$/m);
    expect(await toolhost(["call", "throws", "-h", "--url", url])).toMatchObject({ code: 1 });
  });
});

describe("call --url", () => {
  test("runs a tool of a running service", async () => {
    const url = await servedTools([tools]);
    const ok = await toolhost(["call", "echo_mjs", '{"text":"über"}', "--url", url]);
    expect(JSON.parse(ok.stdout)).toMatchObject({ status: "ok", result: "über" });
    expect(ok.code).toBe(0);
    const failed = await toolhost(["call", "refuses", '{"text":"tea"}', "--url", url]);
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: "error", error: { code: "tool_failed" } });
    expect(failed.code).toBe(1);
  });

  test("sends the key, and shows what the service says without", async () => {
    const env = { TOOLHOST_API_KEYS: "th_key" };
    const url = await servedTools([], env);
    const args = ["call", "show_effect", '{"effect": "hearts"}', "--url", url];
    expect(await toolhost(args, { env })).toMatchObject({ code: 0 });
    const refused = await toolhost(args);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: "unauthorized" } });
    expect(refused.code).toBe(1);
  });

  test("sends numbers as they were written", async () => {
    const url = await servedTools([tools]);
    const refused = await toolhost(["call", "echo_mjs", '{"text":12345678901234567890}', "--url", url]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/\/text/) as string });
  });
});

test("call says how to quote JSON that the shell took apart", async () => {
  const quoted = /single quotes around the JSON/;
  expect((await toolhost(["call", "show_effect", "{effect:", "hearts}"])).stderr).toMatch(quoted);
  expect((await toolhost(["call", "show_effect", "{effect:hearts}"])).stderr).toMatch(quoted);
  expect((await toolhost(["call", "show_effect", "{'effect':'hearts'}"])).stderr).toMatch(quoted);
  const inside = await toolhost(["call", "show_effect", '{"effect" "hearts"}']);
  expect(inside.stderr).toBe(
    "toolhost: the arguments cannot be read: the text is not valid JSON at line 1, column 11\n",
  );
});

test.each([
  ["half JSON", ["show_effect", '{"effect": ']],
  ["JSON5", ["show_effect", "{effect: 'hearts'}"]],
  ["a duplicate key", ["show_effect", '{"a":1,"a":2}']],
  ["a number that cannot be held", ["show_effect", '{"effect":12345678901234567890}']],
  ["no name", []],
  ["a word too many", ["show_effect", "{}", "{}"]],
  ["an unknown flag", ["show_effect", "--effect=hearts"]],
  ["a flag without its value", ["show_effect", "--url"]],
])("call refuses %s in one line and exits 2, here and with --url", async (_name, args) => {
  for (const remote of [[], ["--url", "http://127.0.0.1:9"]]) {
    const { code, stdout, stderr } = await toolhost(["call", ...args, ...(args.includes("--url") ? [] : remote)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^toolhost: [^\n]+\n$/);
  }
});

test("call prints no stack for a ToolError: the outcome has all that it says", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "tools/refuses"), { recursive: true });
  writeFileSync(join(cwd, "tools/refuses/parameters.json"), '{"type":"object"}');
  writeFileSync(
    join(cwd, "tools/refuses/tool.mjs"),
    `export const tool = { name: "refuses", description: "Refuses.", execute() {
      throw Object.assign(new Error("There is no order 17."), { name: "ToolError" });
    } };`,
  );
  const { stdout, stderr } = await toolhost(["call", "refuses", "--tools", "tools"], { cwd });
  expect([stderr, JSON.parse(stdout)]).toMatchObject([
    "",
    { error: { code: "tool_failed", message: "There is no order 17." } },
  ]);
});

test("call prints one line for an API that cannot be reached", async () => {
  const cwd = temporaryFolder();
  const document = { openapi: "3.1.0", info: {}, paths: { "/a": { get: { operationId: "getA", responses: {} } } } };
  writeFileSync(join(cwd, "api.json"), JSON.stringify(document));
  const { stdout, stderr } = await toolhost(
    ["call", "api_getA", "--openapi", "api.json", "--base-url", "http://127.0.0.1:9"],
    { cwd },
  );
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: "upstream_failed" } });
  expect(stderr).toMatch(/^cause: connect ECONNREFUSED 127\.0\.0\.1:9\n$/);
});
