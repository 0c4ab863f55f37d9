import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readWorkerConfig } from "../../src/config/read-worker.ts";
import { temporaryFolder, toolhost } from "./toolhost.ts";

const env = { TOOLHOST_WORKER_TOKEN: "a-token-of-the-workers" };
const url = "http://127.0.0.1:8080";

function folderIn(cwd: string, name: string): string {
  mkdirSync(join(cwd, name));
  return name;
}

describe("toolhost worker", () => {
  it.each([
    ["no folder", [], env, "name the folder"],
    ["a folder that does not exist", ["./toolz"], env, "worker: the folder toolz does not exist"],
    ["no token", ["."], {}, "TOOLHOST_WORKER_TOKEN must be set"],
    ["a token that no header can contain", ["."], { TOOLHOST_WORKER_TOKEN: "sécret" }, "that a header cannot contain"],
    ["a variable that is not a URL", ["."], { ...env, TOOLHOST_URL: "8080" }, "TOOLHOST_URL must be the URL"],
    ["a URL without its scheme", [".", "--url", "localhost:8080"], env, "--url must be the URL"],
    ["a URL with a password", [".", "--url", "http://me:secret@host"], env, "without a password"],
    ["a name that a worker cannot have", [".", "--url", url, "--name", "my tools"], env, "--name must be 1 to 64"],
    ["no calls at once", [".", "--url", url, "--concurrency", "0"], env, "--concurrency must be a whole number"],
    ["too many calls at once", [".", "--url", url, "--concurrency", "1001"], env, "from 1 to 1000"],
    ["a flag that it does not have", [".", "--urll", url], env, "did you mean --url?"],
    ["the token as a flag", [".", "--token", "s3cret"], env, "unknown flag --token"],
    ["a rule of egress that cannot be read", ["."], { ...env, TOOLHOST_EGRESS_ALLOW: "a b" }, "TOOLHOST_EGRESS_ALLOW"],
    ["a limit that is not a number", ["."], { ...env, SHUTDOWN_TIMEOUT_MS: "soon" }, "SHUTDOWN_TIMEOUT_MS must be"],
  ])("does not start with %s", async (_, args, variables: Record<string, string>, message) => {
    const { code, stdout, stderr } = await toolhost(["worker", ...args], { env: variables });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/s3cret|sécret|secret@/);
  });

  it("names all problems at once", async () => {
    const { stderr } = await toolhost(["worker", "./toolz", "--name", "ü", "--concurrency", "x"]);
    expect(stderr.trim().split("\n")).toHaveLength(4);
  });

  it("takes its name from the first folder, so that a new version of the tools has the same name", async () => {
    const cwd = temporaryFolder();
    const folders = [folderIn(cwd, "büro tools"), folderIn(cwd, "more")];
    const { name, concurrency, tools, ...config } = await readWorkerConfig(folders, { url }, env, cwd);
    expect([name, concurrency, config.url]).toEqual(["b_ro_tools", 100, `${url}/workers`]);
    expect(tools.sources).toEqual(folders.map((folder) => ({ folder: join(cwd, folder) })));
  });

  it("prefers flags to the environment, and adds the folders of TOOLHOST_TOOLS", async () => {
    const cwd = temporaryFolder();
    const variables = { ...env, TOOLHOST_URL: "https://other.example/", TOOLHOST_TOOLS: folderIn(cwd, "b") };
    const folders = [folderIn(cwd, "a"), "./b"];
    const flags = { url: "https://tools.example/api/", name: "billing", concurrency: "4" };
    const config = await readWorkerConfig(folders, flags, variables, cwd);
    expect(config).toMatchObject({ url: "https://tools.example/api/workers", name: "billing", concurrency: 4 });
    expect(config.tools.sources).toEqual([{ folder: join(cwd, "a") }, { folder: join(cwd, "b") }]);
    const other = await readWorkerConfig(folders, {}, variables, cwd);
    expect(other.url).toBe("https://other.example/workers");
    const local = await readWorkerConfig(folders, {}, env, cwd);
    expect(local.url).toBe("http://127.0.0.1:8080/workers");
  });

  it("does not read a configuration file: that of the working folder is the service's", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "toolhost.yaml"), "tools: [{ openapi: ./missing.yaml }]\n");
    const { tools } = await readWorkerConfig(["."], { url }, env, cwd);
    expect(tools).toMatchObject({ sources: [{ folder: cwd }], bundledTools: false, configFile: undefined });
  });

  it("shows its flags and variables", async () => {
    const { code, stdout } = await toolhost(["help", "worker"]);
    expect(code).toBe(0);
    for (const word of ["--url", "TOOLHOST_URL", "TOOLHOST_WORKER_TOKEN", "--name", "--concurrency", "SIGTERM"]) {
      expect(stdout).toContain(word);
    }
  });
});
