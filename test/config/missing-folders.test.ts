import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfigWithOrigins, rereadConfig } from "../../src/config/read-config.ts";
import { temporaryFolder, toolhost } from "../cli/toolhost.ts";

describe("a tool folder that is named and is not there", () => {
  const commands = [["serve"], ["list"], ["check"], ["call", "t", "{}"]];
  test("stops every command with 2 and the setting that names it", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "toolhost.yaml"), "tools: [{ folder: . }, { folder: ./in-file }]\n");
    writeFileSync(join(cwd, "plain"), "");
    for (const command of commands) {
      const env = { TOOLHOST_TOOLS: "plain:", PORT: "0" };
      const { code, stderr } = await toolhost([...command, "--tools=by/flag"], { cwd, env });
      expect(code).toBe(2);
      expect(stderr).toContain("--tools: the folder flag does not exist\n");
      expect(stderr).toContain("TOOLHOST_TOOLS: the folder plain is not a folder\n");
      expect(stderr).toContain("toolhost.yaml: tools[1].folder: the folder in-file does not exist\n");
      expect(stderr).not.toContain(cwd);
      expect(stderr).not.toContain("tools[0]");
    }
  });

  test("stops no reload if it was there before, and does if the file names it anew", async () => {
    const cwd = temporaryFolder();
    const configure = (...names: string[]): void =>
      writeFileSync(join(cwd, "toolhost.yaml"), `tools: [${names.map((name) => `{ folder: ${name} }`).join()}]\n`);
    mkdirSync(join(cwd, "one"));
    configure("one");
    const before = await readConfigWithOrigins([], {}, cwd);
    renameSync(join(cwd, "one"), join(cwd, "away"));
    expect((await rereadConfig(before, [], {}, cwd)).config.sources).toEqual([{ folder: join(cwd, "one") }]);
    configure("one", "two");
    await expect(rereadConfig(before, [], {}, cwd)).rejects.toThrow(
      /tools\[1\]\.folder: the folder two does not exist$/,
    );
    expect((await readConfigWithOrigins([], {}, cwd)).missingFolders).toHaveLength(2);
  });
});
