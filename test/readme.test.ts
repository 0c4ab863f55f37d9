import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { readConfig } from "../src/config/read-config.ts";
import { toolhost } from "./cli/toolhost.ts";
import { curlExamples, readme } from "./readme-examples.ts";

it("the README and docs/http.md show a good call, a bad call, a provider's list and a model's reply", () => {
  expect(curlExamples.map(({ answer }) => typeof JSON.parse(answer))).toEqual(Array(4).fill("object"));
});

it("the README's configuration is accepted", async () => {
  const folder = configuredFolder();
  expect(await readConfig([], { PETS_TOKEN: "secret" }, folder)).toMatchObject({
    auth: { keys: [{ name: "agent-a", tools: ["pets_*"] }] },
  });
});

const root = fileURLToPath(new URL("..", import.meta.url));

describe("the README's API", () => {
  it("has its commands' tools, and a request that shows what is sent", async () => {
    const [check, call] = [...readme.matchAll(/^npx toolhost (.*--openapi [^#\n]*)/gm)].map(([, words = ""]) =>
      words.trim(),
    );
    const [name, args] = /^call (\S+) '(.*?)'/.exec(call ?? "")?.slice(1) ?? [];
    expect(await toolhost((check ?? "").split(" "), { cwd: root })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        "pets_listPets: GET /shops/{shop}/pets, arguments: shop, status?, tags?",
      ) as string,
    });
    const words = ["call", name!, args!, "--openapi", "examples/pets.yaml", "--dry-run"];
    expect((await toolhost(words, { cwd: root })).stdout).toMatch(
      /^GET https:\/\/pets\.example\/v1\/shops\/s1\/pets\?tags=cat,old\n/,
    );
  });

  it("is configured with words for the model and a bound shop", async () => {
    const folder = configuredFolder();
    const env = { PETS_TOKEN: "secret" };
    const list = await toolhost(["list", "--json", "--no-bundled"], { cwd: folder, env });
    expect(JSON.parse(list.stdout)).toMatchObject({
      tools: [
        { name: "pets_listPets", description: expect.stringMatching(/^Lists the pets/) as string, tags: ["shop"] },
      ],
    });
    expect(list.stdout).not.toContain('"shop": {');
    const request = await toolhost(["call", "pets_listPets", "{}", "--dry-run"], { cwd: folder, env });
    expect(request.stdout).toMatch(
      /^GET https:\/\/pets\.example\/v1\/shops\/s1\/pets\n[^]*authorization: Bearer masked/,
    );
  });
});

/** A folder with the README's configuration and the files that it names. */
function configuredFolder(): string {
  const [, content = ""] = /^```yaml\n([^]+?)^```/m.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "toolhost-readme-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "my-tools"));
  cpSync(join(root, "examples/pets.yaml"), join(folder, "examples/pets.yaml"));
  writeFileSync(join(folder, "toolhost.yaml"), content);
  return folder;
}
