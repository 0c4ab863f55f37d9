import { describe, expect, test } from "vitest";
import { ConfigError, readConfig, readToolConfig } from "../../src/config.ts";

/** What is wrong, a line a problem. */
function problemsOf(args: readonly string[], env: Record<string, string> = {}): string[] {
  try {
    readConfig(args, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("the configuration", () => {
  test("has defaults that are safe on a laptop", () => {
    expect(readConfig([], {})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      unixSocket: undefined,
      toolFolders: [],
      bundledTools: true,
      apiKeys: [],
      logLevel: "info",
      shutdownDelayMs: 0,
      shutdownTimeoutMs: 10_000,
    });
  });

  test("is read from the environment", () => {
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
    };
    expect(readConfig([], env)).toEqual({
      host: "::1",
      port: 0,
      unixSocket: "/run/toolhost.sock",
      toolFolders: ["a", "/b/c"],
      bundledTools: false,
      apiKeys: ["one", "two"],
      logLevel: "debug",
      shutdownDelayMs: 5,
      shutdownTimeoutMs: 0,
    });
  });

  test("takes flags over the environment, and adds tool folders up", () => {
    const env = { HOST: "10.0.0.1", PORT: "1", UNIX_SOCKET: "/e", TOOLHOST_TOOLS: "e", LOG_LEVEL: "error" };
    const flags = ["--host=localhost", "--port", "2", "--unix-socket=/f", "--tools=f", "--tools=g", "--log-level=warn"];
    expect(readConfig([...flags, "--no-bundled"], env)).toMatchObject({
      host: "localhost",
      port: 2,
      unixSocket: "/f",
      toolFolders: ["f", "g", "e"],
      bundledTools: false,
      logLevel: "warn",
    });
  });

  test("takes an empty variable as unset", () => {
    const env = { HOST: "", PORT: "", UNIX_SOCKET: "", TOOLHOST_TOOLS: "", TOOLHOST_BUNDLED: "", LOG_LEVEL: "" };
    expect(readConfig([], env)).toEqual(readConfig([], {}));
    expect(readConfig(["--host=", "--unix-socket=", "--tools="], {})).toEqual(readConfig([], {}));
  });

  test("tells every problem at once", () => {
    const env = {
      HOST: "0.0.0.0",
      PORT: "http",
      LOG_LEVEL: "loud",
      TOOLHOST_BUNDLED: "maybe",
      SHUTDOWN_DELAY_MS: "1.5",
      SHUTDOWN_TIMEOUT_MS: "-1",
      TOOLHOST_CONFIG: "toolhost.yaml",
      NATS_URL: "nats://localhost",
      TOOLHOST_EGRESS_ALLOW: "127.0.0.1:9",
    };
    const problems = problemsOf([], env).join("\n");
    for (const name of Object.keys(env)) if (name !== "HOST") expect(problems).toContain(name);
    expect(problems).toContain("0.0.0.0 can be reached from other machines");
  });

  test.each(["65536", "-1", "80 80", "0x50", "1e3", "٨٠", "9999999999"])("refuses the port %s", (port) => {
    expect(problemsOf([`--port=${port}`])).toEqual(["PORT must be a whole number from 0 to 65535"]);
  });

  test.each(["0.0.0.0", "::", "192.168.1.2", "tools.example", "127.0.0.1.example"])(
    "refuses to be reached at %s without keys",
    (host) => {
      expect(problemsOf([], { HOST: host })).toHaveLength(1);
      expect(problemsOf([], { HOST: host, TOOLHOST_API_KEYS: " , " })).toHaveLength(1);
      expect(problemsOf([], { HOST: host, TOOLHOST_API_KEYS: "k" })).toEqual([]);
      expect(problemsOf([], { HOST: host, TOOLHOST_INSECURE: "1" })).toEqual([]);
      expect(problemsOf([], { HOST: host, TOOLHOST_INSECURE: "0" })).toHaveLength(1);
      expect(problemsOf([], { HOST: host, UNIX_SOCKET: "/run/s" })).toEqual([]);
    },
  );

  test.each(["localhost", "::1", "127.0.0.1", "127.1.2.3"])("needs no key at %s", (host) => {
    expect(problemsOf([], { HOST: host })).toEqual([]);
  });

  test("refuses a key that no header can carry, and does not repeat it", () => {
    const problems = problemsOf([], { TOOLHOST_API_KEYS: "good,geh eim" });
    expect(problems).toHaveLength(1);
    expect(problems[0]).not.toContain("geh");
  });

  test.each([["--unknown"], ["--port"], ["--tools", "--port"], ["word"]])("refuses %s in one line", (...args) => {
    expect(problemsOf(args)).toHaveLength(1);
  });
});

describe("the configuration of a command that does not listen", () => {
  test("is not troubled by what only the service needs", () => {
    const env = { HOST: "0.0.0.0", PORT: "http", LOG_LEVEL: "loud", NATS_URL: "nats://x", TOOLHOST_TOOLS: "e" };
    expect(readToolConfig(["f"], env)).toEqual({ toolFolders: ["f", "e"], bundledTools: true });
  });

  test("refuses what would leave tools out unnoticed", () => {
    expect(() => readToolConfig([], { TOOLHOST_BUNDLED: "maybe" })).toThrow(ConfigError);
    expect(() => readToolConfig([], { TOOLHOST_CONFIG: "toolhost.yaml" })).toThrow(ConfigError);
  });
});
