import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { printConfig } from "../../src/config/print.ts";
import { readConfigWithOrigins } from "../../src/config/read-config.ts";
import { fixtures, temporaryFolder, toolhost } from "../cli/toolhost.ts";

const hash = "ab".repeat(32);

const content = [
  "tools: [{ folder: ./mine }, { folder: '${DIR}/theirs' }]",
  "limits: { queueMs: 5 }",
  "auth:",
  `  keys: [{ name: '\${NAME}', sha256: ${hash} }]`,
  "  jwt: { issuer: i, audience: 'x-${AUDIENCE}', jwksUrl: 'https://${TENANT}.example/k' }",
  "egress: { allow: [10.0.0.1] }",
  "overrides: { get_weather: { timeoutMs: 9 } }",
  "publicUrl: https://tools.example/api",
].join("\n");

describe("serve --print-config", () => {
  test("shows the whole configuration with where it came from, and masks what is secret", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "toolhost.yaml"), content);
    const secrets = { NAME: "s3cr3t-name", AUDIENCE: "s3cr3t-audience", TENANT: "s3cr3t-tenant", DIR: "/s3cr3t-dir" };
    const env = {
      ...secrets,
      PORT: "1",
      TOOLHOST_API_KEYS: "s3cr3t-1,s3cr3t-2",
      TOOLHOST_TOOLS: "env",
      TOOLHOST_EGRESS_ALLOW: "::1",
      WEATHER_BASE_URL: "http://s3cr3t-user:s3cr3t-word@127.0.0.1:9/x",
    };
    const { code, stdout, stderr } = await toolhost(["serve", "--print-config", "--host=0.0.0.0"], {
      env,
      cwd: folder,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain("s3cr3t");
    expect(parse(stdout)).toEqual({
      host: "0.0.0.0",
      port: 1,
      unixSocket: null,
      sources: [{ folder: join(folder, "env") }, { folder: join(folder, "mine") }, { folder: "***" }],
      bundledTools: true,
      workerTokens: [],
      overrides: { get_weather: { timeoutMs: 9 } },
      limits: {
        bodyBytes: 1_048_576,
        replyBytes: 16_777_216,
        bytesInFlight: 268_435_456,
        callsInFlight: 10_000,
        queueMs: 5,
        timeoutMs: 10_000,
      },
      egress: { allow: ["::1", "10.0.0.1"], origins: ["http://127.0.0.1:9"] },
      configFile: join(folder, "toolhost.yaml"),
      apiKeys: ["***", "***"],
      logLevel: "info",
      shutdownDelayMs: 0,
      shutdownTimeoutMs: 10_000,
      auth: { keys: [{ name: "***", sha256: hash }], jwt: { issuer: "i", audience: "***", jwksUrl: "***" } },
      hosts: [],
      publicUrl: "https://tools.example/api",
      origins: [],
    });
    for (const line of [
      "host: 0.0.0.0 # --host",
      "port: 1 # PORT",
      "logLevel: info # default",
      "  queueMs: 5 # toolhost.yaml:2",
      "  timeoutMs: 10000 # default",
      `  - folder: ${join(folder, "mine")}`,
      "  # toolhost.yaml",
      `configFile: ${join(folder, "toolhost.yaml")} # default`,
      "# toolhost.yaml:3",
      "publicUrl: https://tools.example/api # toolhost.yaml:8",
    ]) {
      expect(stdout.split("\n")).toContain(line);
    }
    expect(stdout).toContain(`\n  # TOOLHOST_TOOLS\n  - folder: ${join(folder, "env")}\n`);
  });

  test("needs neither a port that is free nor tools that load", async () => {
    const { code, stdout } = await toolhost(["serve", "--print-config", "--port=1", "--tools=/nowhere"]);
    expect(code).toBe(0);
    expect(parse(stdout)).toMatchObject({ port: 1, sources: [{ folder: "/nowhere" }] });
  });

  test("fails where the service would: with every problem", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "toolhost.yaml"), "limits: { queue: 1 }\nhosts: ['${NOT_SET}']");
    const { code, stdout, stderr } = await toolhost(["serve", "--print-config"], { env: { PORT: "x" }, cwd: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(
      [
        'toolhost: toolhost.yaml:1: limits.queue is unknown; did you mean "queueMs"?',
        "toolhost.yaml:2: hosts[0] uses the environment variable NOT_SET, which is not set",
        "PORT must be a whole number from 0 to 65535\n",
      ].join("\n"),
    );
  });

  test("prints texts that YAML would take for something else as texts, and one line a value", async () => {
    const folder = temporaryFolder();
    const path = `yes: # ${"long ".repeat(40)}\n- true`;
    const text = printConfig(await readConfigWithOrigins(["--unix-socket=null", `--tools=${path}`], {}, folder));
    expect(parse(text)).toMatchObject({ unixSocket: "null", sources: [{ folder: join(folder, path) }] });
  });
});

test("list and call read the file for their tools, and refuse a broken one", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "toolhost.yaml");
  writeFileSync(file, `tools: [{ folder: ${JSON.stringify(join(fixtures, "tools"))} }]`);
  const env = { TOOLHOST_BUNDLED: "off", PORT: "not their business" };
  expect((await toolhost(["list"], { cwd: folder, env })).stdout).toMatch(/^echo_mjs /m);
  const called = await toolhost(["call", "echo_mjs", '{"text":"hi"}', `--config=${file}`], { env });
  expect(JSON.parse(called.stdout)).toMatchObject({ status: "ok", result: "hi" });

  writeFileSync(file, "tools: [{ foldr: x }]");
  const refused = {
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("toolhost.yaml:1: tools[0].foldr is unknown"),
  };
  expect(await toolhost(["list"], { cwd: folder, env })).toEqual(refused);
  expect(await toolhost(["call", "echo_mjs"], { env: { ...env, TOOLHOST_CONFIG: file } })).toEqual(refused);
});

test("a broken file in the working folder is not the business of commands that ask a running service", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "toolhost.yaml"));
  const url = "http://127.0.0.1:9";
  for (const args of [
    ["list", "--url", url],
    ["call", "x", "--url", url],
  ]) {
    const { stderr } = await toolhost(args, { cwd: folder });
    expect(stderr).toBe(`toolhost: no Toolhost answers at ${url}\n`);
  }
  expect(await toolhost(["health", "--port=9"], { cwd: folder })).toMatchObject({ code: 1, stderr: "" });
});
