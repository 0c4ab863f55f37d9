import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { toolhost } from "./toolhost.ts";

const root = new URL("../../", import.meta.url);

test("key makes a new key each time, and prints its sha256", async () => {
  const [first, second] = await Promise.all([toolhost(["key"]), toolhost(["key"])]);
  const [, key = "", sha256] = /^key {5}(th_[\w-]{43})\nsha256 {2}([0-9a-f]{64})\n$/.exec(first.stdout) ?? [];
  expect(sha256).toBe(createHash("sha256").update(key).digest("hex"));
  expect(second.stdout).not.toContain(key);
});

test.each([["help"], ["--help"], ["-h"], [], ["list", "--help"], ["serve", "-h"]])(
  "help is shown for %s",
  async (...args) => {
    const { code, stdout, stderr } = await toolhost(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const command of ["serve", "list", "call", "check", "new", "key", "health"])
      expect(stdout).toContain(`toolhost ${command}`);
  },
);

test.each(["version", "--version"])("%s is the package's", async (command) => {
  const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { version: string };
  expect(await toolhost([command])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test.each(["lst", "constructor", "__proto__", "--port"])(
  "the unknown command %s is told with the help, on stderr",
  async (name) => {
    const { code, stdout, stderr } = await toolhost([name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^toolhost: there is no command ${name}\n\ntoolhost: lists`));
  },
);

test("a command whose reader goes away ends without a word", async () => {
  const main = fileURLToPath(new URL("dist/src/main.js", root));
  const script = `"${process.execPath}" "${main}" list --json | true`;
  const shell = spawn("bash", ["-o", "pipefail", "-c", script], { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  shell.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await new Promise((resolve) => shell.once("close", resolve));
  expect(stderr).not.toMatch(/EPIPE|at /);
});
