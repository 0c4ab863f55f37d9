import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { petsFolder } from "./pets-folder.ts";
import { toolhost } from "./toolhost.ts";

describe("toolhost check --openapi", () => {
  test("lists each operation with its tool and arguments, and each that is skipped with its reason and line", async () => {
    const { code, stdout } = await toolhost(["check", "--openapi", "pets.yaml", "--format=openai"], {
      cwd: petsFolder(),
    });
    expect(stdout).toBe(
      "pets_getPet: GET /pets/{id}, arguments: id, fields?\n" +
        "POST /files: skipped: its server has another origin than the base URL (line 14 of the document)\n" +
        "\nopenai  1 of 1 tool\n",
    );
    expect(code).toBe(1);
  });
});

test("a document that is not there is named as it was written, by the flag and by the file", async () => {
  const cwd = petsFolder();
  writeFileSync(join(cwd, "toolhost.yaml"), "tools: [{ openapi: ./apis/shop.yaml }, { openapi: /nowhere/crm.yaml }]");
  const { stdout, code } = await toolhost(["check", "--openapi", "apis/../gone.yaml", "--format=openai"], { cwd });
  expect([stdout, code]).toEqual([
    "gone: skipped: the file apis/../gone.yaml does not exist\n" +
      "shop: skipped: the file ./apis/shop.yaml does not exist\n" +
      "crm: skipped: the file crm.yaml does not exist\n",
    1,
  ]);
});

test("check says that the file of the working folder is used too, unless it is named", async () => {
  const cwd = petsFolder();
  writeFileSync(join(cwd, "toolhost.yaml"), "overrides: { pets_*: { timeoutMs: 4321 } }");
  const note = "toolhost.yaml of the working folder is used too";
  const checked = await toolhost(["check", "--openapi", "pets.yaml", "--json"], { cwd });
  expect(checked.stderr).toContain(note);
  expect(JSON.parse(checked.stdout)).toHaveProperty("tools");
  const named = await toolhost(["check", "--openapi", "pets.yaml", "--config", "toolhost.yaml"], { cwd });
  expect(named.stderr).toBe("");
  const own = await toolhost(["check", "--openapi", "pets.yaml"], { cwd, env: { TOOLHOST_CONFIG: "toolhost.yaml" } });
  expect(own.stderr).toBe("");
  expect((await toolhost(["check", "--openapi", "pets.yaml"], { cwd: petsFolder() })).stderr).toBe("");
});

test("a document that the flag and the file name is one source", async () => {
  const cwd = petsFolder();
  writeFileSync(join(cwd, "toolhost.yaml"), "tools: [{ openapi: ./pets.yaml }]");
  const { stdout } = await toolhost(["list", "--openapi", "pets.yaml"], { cwd });
  expect(stdout.match(/getPet/g)).toHaveLength(1);
});

describe("toolhost call --dry-run", () => {
  const call = (args: string, ...flags: string[]) =>
    toolhost(["call", "shop_getPet", args, "--dry-run", "--name", "shop", "--openapi", "pets.yaml", ...flags], {
      cwd: petsFolder(),
    });

  test("prints the request, and sends nothing", async () => {
    expect(await call('{"id": "a/b", "fields": ["name", "x,y"]}')).toEqual({
      code: 0,
      stdout: "GET https://pets.example/v1/pets/a%2Fb?fields=name&fields=x%2Cy\n",
      stderr: "",
    });
    expect((await call('{"id": "1"}', "--base-url", "http://127.0.0.1:9/api")).stdout).toBe(
      "GET http://127.0.0.1:9/api/pets/1\n",
    );
  });

  test("masks secrets", async () => {
    const cwd = petsFolder();
    const yaml = 'tools: [{ openapi: pets.yaml, headers: { X-Key: "${KEY}" }, auth: { bearer: "${TOKEN}" } }]';
    writeFileSync(join(cwd, "toolhost.yaml"), yaml);
    const env = { KEY: "key-secret", TOKEN: "token-secret" };
    const { stdout } = await toolhost(["call", "pets_getPet", '{"id":"1"}', "--dry-run"], { cwd, env });
    expect(stdout).toContain("authorization: Bearer masked");
    expect(stdout).not.toContain("secret");
  });

  test("answers arguments that do not fit as the call would", async () => {
    const { code, stdout } = await call("{}");
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { error: { code: "invalid_arguments" } }]);
  });

  test("is refused for a tool that is not an operation, and for a running service", async () => {
    expect(await toolhost(["call", "get_current_time", "{}", "--dry-run"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"get_current_time" is not an OpenAPI tool') as string,
    });
    expect(await toolhost(["call", "x", "{}", "--dry-run", "--url", "http://127.0.0.1:9"])).toMatchObject({ code: 2 });
  });
});

describe("flags of a document", () => {
  test.each([
    [["--base-url", "http://x", "--openapi", "pets.yaml"], "--base-url must be after its --openapi"],
    [["--openapi", "pets.yaml", "--base-url", "ftp://x"], "--base-url must be an http or https URL"],
    [["--openapi", "pets.yaml", "--name", "shop"], "--name must be before its --openapi"],
    [["--name", "a", "--name", "b", "--openapi", "pets.yaml"], "--name is given twice"],
    [["--name", "bundled", "--openapi", "pets.yaml"], '"bundled" and "local" are reserved'],
    [["--name", "1st", "--openapi", "pets.yaml"], 'does not begin with a digit or "-"'],
    [["--openapi", ""], "--openapi must be a path or an http or https URL of a document"],
    [["--openapi", "ftp://user:s3cret@h/x?key=s3cret"], "--openapi must be a path or an http or https URL"],
    [["--openapi", "https:/user:s3cret@h/x"], "--openapi must not contain a user or a password"],
  ])("%j is refused in one line", async (flags, message) => {
    const { code, stderr } = await toolhost(["list", ...flags], { cwd: petsFolder() });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("leave the bundled tools out, unless --bundled", async () => {
    const flags = ["list", "--openapi", "pets.yaml"];
    expect((await toolhost(flags, { cwd: petsFolder() })).stdout).not.toContain("get_current_time");
    expect((await toolhost([...flags, "--bundled"], { cwd: petsFolder() })).stdout).toContain("get_current_time");
  });

  test("name two documents, each with its name and base", async () => {
    const flags = [
      "--name",
      "a",
      "--openapi",
      "pets.yaml",
      "--base-url",
      "http://h/1",
      "--name",
      "b",
      "--openapi",
      "pets.yaml",
    ];
    const { stdout } = await toolhost(["serve", ...flags, "--print-config"], { cwd: petsFolder() });
    expect(stdout).toMatch(/--openapi[^]*pets\.yaml[^]*name: a[^]*baseUrl: http:\/\/h\/1[^]*name: b/);
  });
});
