import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../src/access/keys.ts";
import { readConfigWithOrigins } from "../../src/config/read-config.ts";

const hash = sha256("a token");
let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "toolhost-worker-tokens-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(tools: string, env: Readonly<Record<string, string>> = {}, more = "") {
  const path = join(folder, "toolhost.yaml");
  writeFileSync(path, `tools: [${tools}]\n${more}`);
  return readConfigWithOrigins([`--config=${path}`], env);
}

test("the tokens of workers are no source", async () => {
  const { config, secrets } = await read(
    `{ workers: { tokens: [{ name: billing, sha256: ${hash}, tools: ["billing_*"] }] } }, { workers: { token: "\${T}" }, trustAnnotations: true }`,
    { T: "s3cr3t" },
  );
  expect(config.sources).toEqual([]);
  expect(config.workerTokens).toEqual([
    { name: "billing", sha256: hash, tools: ["billing_*"], trustAnnotations: false },
    { name: "workers", sha256: sha256("s3cr3t"), trustAnnotations: true },
  ]);
  expect(secrets).toContain("s3cr3t");
  expect(JSON.stringify(config)).not.toContain("s3cr3t");
});

test.each([
  ["{ workers: {} }", 'tools[0].workers must be an object that contains either "tokens" or "token"'],
  [
    `{ workers: { token: a, tokens: [{ name: a, sha256: ${hash} }] } }`,
    'must be an object that contains either "tokens" or "token"',
  ],
  ["{ workers: { tokens: [] } }", "must be a list of at least one token"],
  ['{ workers: { token: "" } }', "must be a text that is not empty"],
  ["{ workers: { tokens: [{ name: a, sha256: x }] } }", "must be 64 lower-case hexadecimal digits"],
  ["{ workers: { tokens: [{ name: a }] } }", "sha256"],
  [`{ workers: { tokens: [{ name: a, sha256: ${hash}, readOnly: true }] } }`, "readOnly is unknown"],
  ["{ workers: { token: a }, name: x }", "name is unknown"],
  [
    `{ workers: { tokens: [{ name: a, sha256: ${hash} }, { name: b, sha256: ${hash} }] } }`,
    "tools[0].workers.tokens[1] is the same token as toolhost.yaml: tools[0].workers.tokens[0]",
  ],
  [
    `{ workers: { token: a token } }, { workers: { tokens: [{ name: b, sha256: ${hash} }] } }`,
    "tools[1].workers.tokens[0] is the same token as toolhost.yaml: tools[0].workers.token",
  ],
])("%s is refused", async (tools, problem) => {
  await expect(read(tools)).rejects.toThrow(problem);
});

test("a token of workers is not also a key", async () => {
  const tools = `{ workers: { tokens: [{ name: billing, sha256: ${hash} }] } }`;
  const problem = 'the worker token "billing" is an API key too';
  await expect(read(tools, { TOOLHOST_API_KEYS: "a token" })).rejects.toThrow(problem);
  await expect(read(tools, {}, `auth: { keys: [{ name: k, sha256: ${hash} }] }\n`)).rejects.toThrow(problem);
});
