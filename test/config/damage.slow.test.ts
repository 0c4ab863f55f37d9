import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRights } from "../../src/access/rights.ts";
import type { Config } from "../../src/config/config.ts";
import { ConfigError } from "../../src/config/config-error.ts";
import { type ConfigReading, readConfigWithOrigins } from "../../src/config/read-config.ts";
import { findWidening } from "../../src/config/widening.ts";
import type { RegisteredTool } from "../../src/core/registry/registered-tool.ts";
import { readEgressRules } from "../../src/egress/rules.ts";
import { temporaryFolder } from "../cli/toolhost.ts";

const hashes = ["ab".repeat(32), "cd".repeat(32), "ef".repeat(32)];

const block = `# who may call
tools: []
hosts:
  - toolhost.internal
origins:
  - https://app.example
egress:
  allow:
    - 10.1.0.0/16
    - "internal.example:443"
overrides:
  web_search:
    enabled: false
auth:
  jwt:
    issuer: https://login.example
    audience: toolhost
    jwksUrl: https://login.example/keys
    operatorClaim: is_admin
    toolsClaim: tools
  keys:
    - name: agent-a
      sha256: ${hashes[0]}
      callsPerMinute: 600
      tools:
        - get_*_ro
        - "*_status"
      readOnly: true
    - name: agent-b
      sha256: ${hashes[1]}
      readOnly: true
      operator: false
    - sha256: ${hashes[2]}
      name: agent-c
      tools: [get_*_ro, web_search]
`;

const flow = `auth: { keys: [
  { name: a, sha256: ${hashes[0]}, readOnly: true, tools: ["get_*_ro"], callsPerMinute: 5 },
  { name: b, sha256: ${hashes[1]}, tools: [ get_*_ro ] },
  { name: c, sha256: ${hashes[2]}, operator: true } ],
  jwt: { issuer: i, audience: a, jwksUrl: "https://login.example/keys", toolsClaim: t } }
hosts: [a.example, b.example]
egress: { allow: [10.1.0.0/16] }
overrides: { web_search: { enabled: false }, other: { timeoutMs: 5 } }
`;

const short = `auth:\n  keys:\n    - name: a\n      sha256: ${hashes[0]}\n      tools: [get_*_ro]\n`;

function read(text: string, path: string): Promise<ConfigReading> {
  writeFileSync(path, text);
  return readConfigWithOrigins([`--config=${path}`], {});
}

/** What a reload makes of the text: the configuration then in force, and whether it is the one before. */
async function reload(before: ConfigReading, text: string, path: string): Promise<Config> {
  try {
    const next = await read(text, path);
    return findWidening(before, next).accidents.length > 0 ? before.config : next.config;
  } catch (error) {
    if (error instanceof ConfigError) return before.config;
    throw error;
  }
}

/** Some of what a configuration allows, each by a name. */
function allowances(config: Config): Set<string> {
  const allowed = new Set<string>();
  const { auth, hosts, origins, egress, overrides, apiKeys } = config;
  if (auth.keys.length === 0 && auth.jwt === undefined && apiKeys.length === 0) allowed.add("calls without a key");
  for (const key of auth.keys) {
    const owner = `key ${hashes.indexOf(key.sha256)}`;
    allowed.add(owner);
    const rights = createRights(key);
    for (const name of ["get_a_ro", "get_b", "x_status", "web_search", "write"]) {
      for (const readOnly of [true, false]) {
        const entry = { tool: { name }, annotations: { readOnly } } as unknown as RegisteredTool;
        if (rights === undefined || rights.allows(entry)) allowed.add(`${owner}: ${name} ${readOnly}`);
      }
    }
    if (key.operator ?? (key.tools === undefined && key.readOnly === undefined)) allowed.add(`${owner}: operator`);
    if (key.callsPerMinute === undefined) allowed.add(`${owner}: any number of calls`);
  }
  if (auth.jwt !== undefined) allowed.add("tokens");
  if (auth.jwt !== undefined && auth.jwt.toolsClaim === undefined) allowed.add("tokens for every tool");
  if (hosts.length === 0) allowed.add("any host");
  if (origins.includes("https://evil.example")) allowed.add("pages of others");
  const { allowsAddress } = readEgressRules(egress);
  for (const address of ["10.200.0.1", "10.1.0.1", "192.168.0.1"])
    if (allowsAddress(address, 443)) allowed.add(address);
  if (overrides["web_search"]?.enabled !== false) allowed.add("web_search");
  return allowed;
}

const damages = {
  cut: (text: string, from: number) => text.slice(0, from),
  "zero-filled": (text: string, from: number, to: number) =>
    text.slice(0, from) + "\0".repeat(to - from) + text.slice(to),
  "zero-filled to its end": (text: string, from: number) => text.slice(0, from).padEnd(text.length, "\0"),
  "written in part over itself": (text: string, from: number, to: number) =>
    text.slice(0, to) + text.slice(from, to) + text.slice(to),
  "followed by itself": (text: string, from: number) => text + text.slice(from),
  "cut behind a line": (text: string, from: number) => text.slice(0, text.indexOf("\n", from) + 1),
};

describe("a file that was damaged while the service runs", () => {
  const samples = [block, flow, short];

  async function newlyAllowed(sample: string, damaged: string, path: string): Promise<string[]> {
    const before = await read(sample, path);
    const allowed = allowances(before.config);
    return [...allowances(await reload(before, damaged, path))].filter((each) => !allowed.has(each));
  }

  test("never allows more than before, wherever it is cut", async () => {
    const path = join(temporaryFolder(), "toolhost.yaml");
    for (const sample of samples) {
      for (let length = 0; length < sample.length; length++) {
        const damaged = sample.slice(0, length);
        expect({ damaged, allowed: await newlyAllowed(sample, damaged, path) }).toEqual({ damaged, allowed: [] });
      }
    }
  }, 120_000);

  test("never allows more than before, whatever became of it", async () => {
    const path = join(temporaryFolder(), "toolhost.yaml");
    const kinds = Object.keys(damages) as Array<keyof typeof damages>;
    const cases = fc.record({
      sample: fc.constantFrom(...samples),
      kind: fc.constantFrom(...kinds),
      places: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ sample, kind, places }) => {
        const [from, to] = places.map((place) => Math.floor(place * sample.length)).toSorted((a, b) => a - b);
        expect(await newlyAllowed(sample, damages[kind](sample, from!, to!), path)).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  }, 120_000);
});
