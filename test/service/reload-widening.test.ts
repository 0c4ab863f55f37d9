import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { readConfigWithOrigins, rereadConfig } from "../../src/config/read-config.ts";
import { temporaryFolder } from "../cli/toolhost.ts";
import { startInMemory, toolFile } from "./service-in-memory.ts";

const hashes = ["ab".repeat(32), "cd".repeat(32), "ef".repeat(32)];

const key = (more: string): string => `auth: { keys: [{ name: agent-a, sha256: ${hashes[0]}${more} }] }\n`;

describe("a reload", () => {
  let folder: string;
  let files = 0;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "toolhost-widening-"))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function reloadFile(before: string, next: string) {
    const path = join(folder, `${files++}.yaml`);
    writeFileSync(path, before);
    const reading = await readConfigWithOrigins([`--config=${path}`], {});
    writeFileSync(path, next);
    return rereadConfig(reading, [], {});
  }

  // Each reload waits until its file is settled: they wait beside one another.
  test.concurrent.each([
    ["is empty", key(""), "", "The file is empty"],
    ["has comments alone", key(""), "# nothing\n", "The file is empty"],
    ["has no keys any more", key(""), "origins: []\n", '"auth" no longer contains "keys" or "jwt"'],
    ["takes the tools of a key away", key(", tools: [a]"), key(""), 'The key "agent-a" no longer has "tools"'],
    ["takes readOnly of a key away", key(", readOnly: true"), key(""), 'The key "agent-a" no longer has "readOnly"'],
    [
      "makes a key an operator by leaving words out",
      key(", operator: false"),
      key(""),
      'The key "agent-a" no longer has "operator: false"',
    ],
    [
      "takes operator: false and the tools of a key away",
      key(", tools: [a], operator: false"),
      key(""),
      'no longer has "tools" (write tools: ["*"] if this is intended) and "operator: false"',
    ],
    [
      "gives a key another hash and no limits",
      key(", tools: [a]"),
      key("").replace(hashes[0]!, hashes[1]!),
      'The key "agent-a" no longer has "tools"',
    ],
    [
      "takes toolsClaim away",
      "auth: { jwt: { issuer: i, audience: a, jwksUrl: 'https://x.example', toolsClaim: t } }\n",
      "auth: { jwt: { issuer: i, audience: a, jwksUrl: 'https://x.example' } }\n",
      'auth.jwt no longer has "toolsClaim"',
    ],
    ["has no hosts any more", "hosts: [a.example]\nlimits: {}\n", "limits: {}\n", '"hosts" is empty'],
    ["has an empty list of hosts", "hosts: [a.example]\n", "hosts: []\n", '"hosts" is empty'],
    ["is cut within a line", "hosts:\n  - a.example\n", "hosts:\n  - a.ex", "Its last line is incomplete"],
    [
      "loses a rate with its end",
      `auth:\n  keys:\n  - name: a\n    sha256: ${hashes[0]}\n    callsPerMinute: 5\n`,
      `auth:\n  keys:\n  - name: a\n    sha256: ${hashes[0]}\n`,
      'The key "a" no longer has "callsPerMinute"',
    ],
    [
      "loses a switch with its end",
      `${key("")}overrides: { x: { enabled: false } }\n`,
      key(""),
      'overrides.x no longer has "enabled"',
    ],
  ])("is refused if the file %s, and says so in one line", async (_name, before, next, reason) => {
    const problem = await reloadFile(before, next).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(ConfigError);
    const { message } = problem as ConfigError;
    expect(message).toContain(reason);
    expect(message).toMatch(/^[^\n]+$/);
  });

  test.concurrent.each([
    ["every tool", key(", tools: [a]"), key(', tools: ["*"]'), ["agent-a"]],
    ["tools that are not read-only", key(", readOnly: true"), key(", readOnly: false"), ["agent-a"]],
    ["what operators see", key(", operator: false"), key(", operator: true"), ["agent-a"]],
    ["what operators see, beside its tools", key(", tools: [a]"), key(", tools: [a], operator: true"), ["agent-a"]],
    ["what it saw before", key(""), key(", operator: true"), []],
    ["the same as before", key(", tools: [a]"), key(", tools: [a]  "), []],
    ["another tool", key(", tools: [a]"), key(", tools: [b]"), []],
    ["another key", key(""), key("").replace(hashes[0]!, hashes[1]!), []],
    [
      "tokens in place of keys",
      key(""),
      "auth: { jwt: { issuer: i, audience: a, jwksUrl: 'https://x.example' } }\n",
      [],
    ],
    ["any number of calls", key(", callsPerMinute: 5"), key(""), []],
  ])("may give a key %s where the file says so", async (_name, before, next, widenedKeys) => {
    expect(await reloadFile(before, next)).toMatchObject({ widenedKeys });
  });

  test("may take a key away, the last of the file too", async () => {
    const keys = (count: number): string =>
      `auth:\n  keys:\n${hashes
        .slice(0, count)
        .map((hash) => `    - name: ${hash[0]}\n      sha256: ${hash}\n`)
        .join("")}`;
    expect((await reloadFile(keys(3), keys(2))).config.auth.keys).toHaveLength(2);
  });

  test("waits until the file is written", async () => {
    const path = join(temporaryFolder(), "toolhost.yaml");
    const text = `${"# a comment\n".repeat(200)}hosts: [toolhost.internal]\n`;
    const next = text.replace("toolhost.internal", "other.internal");
    writeFileSync(path, text);
    const before = await readConfigWithOrigins([`--config=${path}`], {});
    let written = 0;
    const writing = setInterval(() => {
      written = Math.min(written + 200, next.length);
      writeFileSync(path, next.slice(0, written));
      if (written === next.length) clearInterval(writing);
    }, 20);
    writeFileSync(path, "");
    expect((await rereadConfig(before, [], {})).config.hosts).toEqual(["other.internal"]);
  });

  test("logs at warn which arguments the file binds less strictly, and not to what", async () => {
    const file = (to: string): Record<string, string> => ({
      "toolhost.yaml": `tools: [{ folder: ./tools }]\noverrides: { on*: { bind: { tenant: ${to} } } }\n`,
    });
    const { entries, watch, write } = await startInMemory({
      ...file("{ claim: organization }"),
      "tools/one/tool.js": toolFile("one", "1"),
    });
    const { reload } = watch();
    write(file("{ value: hidden }"));
    reload();
    const last = { msg: "configuration and tools were reloaded" };
    await vi.waitFor(() => expect(entries).toContainEqual(expect.objectContaining(last)), { timeout: 10_000 });
    const warned = { level: "warn", override: "on*", argument: "tenant", before: "claim", now: "value" };
    expect(entries).toContainEqual(expect.objectContaining(warned));
    expect(JSON.stringify(entries)).not.toMatch(/hidden|organization/);
  });
});
