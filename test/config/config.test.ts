import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { readConfig, readListenAddress } from "../../src/config/read-config.ts";
import { readToolConfig } from "../../src/config/read-tools.ts";
import { temporaryFolder } from "../cli/toolhost.ts";

/** What is wrong, a line a problem. */
async function problemsOf(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Promise<string[]> {
  try {
    await readConfig(args, env, cwd);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("the configuration", () => {
  test("has defaults that are safe on a laptop", async () => {
    expect(await readConfig([], {})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      unixSocket: undefined,
      sources: [],
      bundledTools: true,
      workerTokens: [],
      apiKeys: [],
      logLevel: "info",
      shutdownDelayMs: 0,
      shutdownTimeoutMs: 10_000,
      overrides: {},
      limits: {
        bodyBytes: 1_048_576,
        replyBytes: 16_777_216,
        bytesInFlight: 268_435_456,
        callsInFlight: 10_000,
        queueMs: 1000,
        timeoutMs: 10_000,
      },
      auth: { keys: [], jwt: undefined },
      egress: { allow: [], origins: [] },
      hosts: [],
      publicUrl: undefined,
      origins: [],
      configFile: undefined,
    });
  });

  test("is read from the environment", async () => {
    const env = {
      HOST: "::1",
      PORT: "0",
      UNIX_SOCKET: "/run/toolhost.sock",
      TOOLHOST_TOOLS: "a:/b/c:",
      TOOLHOST_BUNDLED: "off",
      TOOLHOST_API_KEYS: "one, two,,",
      LOG_LEVEL: "debug",
      SHUTDOWN_DELAY_MS: "5",
      SHUTDOWN_TIMEOUT_MS: "0",
      TOOLHOST_EGRESS_ALLOW: "10.1.0.0/16, internal.example:443,",
      WEATHER_BASE_URL: "http://user:word@127.0.0.1:9/weather?",
      TAVILY_BASE_URL: "https://Tavily.example:443",
      EMPTY_BASE_URL: "",
    };
    expect(await readConfig([], env, "/srv")).toMatchObject({
      host: "::1",
      port: 0,
      unixSocket: "/run/toolhost.sock",
      sources: [{ folder: "/srv/a" }, { folder: "/b/c" }],
      bundledTools: false,
      workerTokens: [],
      apiKeys: ["one", "two"],
      logLevel: "debug",
      shutdownDelayMs: 5,
      shutdownTimeoutMs: 0,
      egress: {
        allow: ["10.1.0.0/16", "internal.example:443"],
        origins: ["http://127.0.0.1:9", "https://tavily.example"],
      },
    });
  });

  test("takes flags over the environment, and adds tool folders up, each once", async () => {
    const env = { HOST: "10.0.0.1", PORT: "1", UNIX_SOCKET: "/e", TOOLHOST_TOOLS: "e:./g", LOG_LEVEL: "error" };
    const flags = ["--host=localhost", "--port", "2", "--unix-socket=/f", "--tools=f", "--tools=g", "--log-level=warn"];
    expect(await readConfig([...flags, "--no-bundled"], env)).toMatchObject({
      host: "localhost",
      port: 2,
      unixSocket: "/f",
      sources: [{ folder: resolve("f") }, { folder: resolve("g") }, { folder: resolve("e") }],
      bundledTools: false,
      workerTokens: [],
      logLevel: "warn",
    });
  });

  test("takes an empty variable as unset", async () => {
    const env = { HOST: "", PORT: "", UNIX_SOCKET: "", TOOLHOST_TOOLS: "", TOOLHOST_BUNDLED: "", LOG_LEVEL: "" };
    const others = { TOOLHOST_API_KEYS: "", TOOLHOST_CONFIG: "", TOOLHOST_EGRESS_ALLOW: "", NATS_URL: "" };
    const defaults = await readConfig([], {});
    expect(await readConfig([], { ...env, ...others })).toEqual(defaults);
    const flags = ["--host=", "--port=", "--unix-socket=", "--tools=", "--log-level=", "--config="];
    expect(await readConfig(flags, {})).toEqual(defaults);
  });

  test("tells every problem at once", async () => {
    const env = {
      HOST: "0.0.0.0",
      PORT: "http",
      LOG_LEVEL: "loud",
      TOOLHOST_BUNDLED: "maybe",
      SHUTDOWN_DELAY_MS: "1.5",
      SHUTDOWN_TIMEOUT_MS: "-1",
      TOOLHOST_CONFIG: "no-such.yaml",
      NATS_URL: "nats://localhost",
      TOOLHOST_EGRESS_ALLOW: "127.0.0.1:9,http://x",
    };
    const problems = (await problemsOf([], env)).join("\n");
    const told = Object.keys(env).filter((name) => name !== "HOST" && name !== "TOOLHOST_CONFIG");
    for (const name of told) expect(problems).toContain(name);
    expect(problems).toContain("no-such.yaml does not exist");
    expect(problems).toContain("TOOLHOST_EGRESS_ALLOW: entry 2 must be");
  });

  test.each(["65536", "-1", "80 80", "0x50", "1e3", "٨٠", "9999999999"])("refuses the port %s", async (port) => {
    expect(await problemsOf([`--port=${port}`])).toEqual(["--port must be a whole number from 0 to 65535"]);
  });

  test.each(["0.0.0.0", "::", "192.168.1.2", "tools.example", "127.0.0.1.example"])(
    "refuses to be reached at %s without keys",
    async (host) => {
      expect(await problemsOf([], { HOST: host })).toHaveLength(1);
      expect(await problemsOf([], { HOST: host, TOOLHOST_API_KEYS: " , " })).toHaveLength(1);
      expect(await problemsOf([], { HOST: host, TOOLHOST_API_KEYS: "k" })).toEqual([]);
      expect(await problemsOf([], { HOST: host, TOOLHOST_INSECURE: "1" })).toEqual([]);
      expect(await problemsOf([], { HOST: host, TOOLHOST_INSECURE: "0" })).toHaveLength(1);
      expect(await problemsOf([], { HOST: host, UNIX_SOCKET: "/run/s" })).toEqual([]);
    },
  );

  test.each(["localhost", "LOCALHOST", "::1", "0:0:0:0:0:0:0:1", "127.0.0.1", "127.1.2.3"])(
    "needs no key at %s",
    async (host) => {
      expect(await problemsOf([], { HOST: host })).toEqual([]);
    },
  );

  test("refuses a key that no header can carry, and does not repeat it", async () => {
    const problems = await problemsOf([], { TOOLHOST_API_KEYS: "good,geh eim" });
    expect(problems).toHaveLength(1);
    expect(problems[0]).not.toContain("geh");
  });

  test.each([["--unknown"], ["--port"], ["--tools", "--port"], ["word"]])("refuses %s in one line", async (...args) => {
    expect(await problemsOf(args)).toHaveLength(1);
  });
});

describe("the configuration of a command that does not listen", () => {
  test("is not troubled by what only the service needs", async () => {
    const env = { HOST: "0.0.0.0", PORT: "http", LOG_LEVEL: "loud", NATS_URL: "nats://x", TOOLHOST_TOOLS: "test" };
    expect(await readToolConfig({ tools: ["src"] }, env)).toMatchObject({
      sources: [{ folder: resolve("src") }, { folder: resolve("test") }],
      bundledTools: true,
      workerTokens: [],
    });
  });

  test("refuses what would leave tools out unnoticed", async () => {
    await expect(readToolConfig({}, { TOOLHOST_BUNDLED: "maybe" })).rejects.toThrow(ConfigError);
    await expect(readToolConfig({}, { TOOLHOST_CONFIG: "no-such.yaml" })).rejects.toThrow(
      "no-such.yaml does not exist",
    );
    await expect(readToolConfig({ config: "no-such.yaml" }, {})).rejects.toThrow("no-such.yaml does not exist");
  });
});

describe("where the service listens", () => {
  test("is known whatever became of the file, and whoever may call", () => {
    const env = { HOST: "0.0.0.0", PORT: "1", TOOLHOST_CONFIG: "no-such.yaml" };
    expect(readListenAddress(["--port=2"], env)).toEqual({ host: "0.0.0.0", port: 2, unixSocket: undefined });
    expect(() => readListenAddress(["--port=x"], env)).toThrow(ConfigError);
  });
});

test("a key may not be in the file and in the environment: which rights it has must not be left to chance", async () => {
  const folder = temporaryFolder();
  const sha256 = createHash("sha256").update("k").digest("hex");
  writeFileSync(join(folder, "toolhost.yaml"), `auth: { keys: [{ name: a, sha256: ${sha256}, tools: [x] }] }`);
  expect(await problemsOf([], { TOOLHOST_API_KEYS: "other" }, folder)).toEqual([]);
  expect(await problemsOf([], { TOOLHOST_API_KEYS: "other,k" }, folder)).toEqual([
    "auth.keys[0] is in TOOLHOST_API_KEYS too, and keys of that variable may use every tool",
  ]);
});

test.each(["not a url", "nowhere", "/path", "file:///etc", "http://", "ftp://a.example"])(
  "a *_BASE_URL that is not a web address stops the start, and is named without its value: %s",
  async (value) => {
    for (const name of ["WEATHER_BASE_URL", "MY_OWN_BASE_URL"]) {
      expect(await problemsOf([], { [name]: value })).toEqual([`${name} must be an http or https URL`]);
    }
  },
);
