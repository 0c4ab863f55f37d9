import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fixtures, temporaryFolder, toolhostProcess } from "./toolhost.ts";

// What only a process of its own shows.

const tools = `--tools=${join(fixtures, "tools")}`;
const main = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));

/** Runs a line of the shell, in which `toolhost` is the command. */
function shell(line: string): Promise<{ stdout: string; stderr: string }> {
  const script = `toolhost() { "${process.execPath}" "${main}" "$@"; }\n${line}`;
  const child = spawn("bash", ["-o", "pipefail", "-c", script], { stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  return new Promise((resolve) => child.once("close", () => resolve(output)));
}

test("a command whose reader goes away ends without a word", async () => {
  const { stderr } = await shell("toolhost list --json | true");
  expect(stderr).not.toMatch(/EPIPE|at /);
});

test("call reads stdin for -", async () => {
  const { stdout } = await shell(`echo '{"effect":"hearts"}' | toolhost call show_effect -`);
  expect(JSON.parse(stdout)).toMatchObject({ status: "ok", result: { effect: "hearts" } });
});

test("call ends though the tool left a timer behind, and what the tool prints is not in its answer", async () => {
  const { code, stdout, stderr } = await toolhostProcess(["call", "lingers", '{"text":"x"}', tools]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ result: "x" });
  expect(stderr).toBe("a word of the tool's own\n");
});

test("call waits for the time limit though nothing else keeps the process alive", async () => {
  const { code, stdout } = await toolhostProcess(["call", "hangs", tools]);
  expect(JSON.parse(stdout)).toMatchObject({ status: "error", error: { code: "timeout" } });
  expect(code).toBe(1);
});

test("exit codes and messages are those of the commands", async () => {
  expect(await toolhostProcess(["cal"])).toMatchObject({ code: 2, stdout: "" });
  expect(await toolhostProcess(["new", "a"], { cwd: temporaryFolder() })).toMatchObject({ code: 0, stderr: "" });
  const folder = temporaryFolder();
  writeFileSync(join(folder, "toolhost.yaml"), "tool: []\n");
  const { code, stderr } = await toolhostProcess(["list"], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^toolhost: toolhost\.yaml:1: .*did you mean "tools"\?\n$/);
});
