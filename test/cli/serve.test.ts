import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../src/service/listen.ts";
import { temporaryFolder, toolhost } from "./toolhost.ts";

// What serve refuses before it starts; serve.slow.test.ts has the rest.

describe("serve", () => {
  test.each([
    ["a reachable address without keys", ["--host=0.0.0.0"], {}, "TOOLHOST_INSECURE=1"],
    ["an unknown flag", ["--prot=1"], {}, "unknown flag --prot; did you mean --port?"],
    ["a folder without its flag", ["my-tools"], {}, 'unexpected argument "my-tools"; did you mean --tools my-tools?'],
    ["a file without its flag", ["--port=0", "t.yaml"], {}, "did you mean --config t.yaml or --openapi t.yaml?"],
    ["a bad port", ["--port=http"], {}, "toolhost: --port must be a whole number from 0 to 65535"],
    ["a bad port of the environment", [], { PORT: "http" }, "toolhost: PORT must be a whole number from 0 to 65535"],
    ["a bad level", ["--log-level=loud"], {}, "toolhost: --log-level must be one of trace, debug,"],
    ["a document without its flag", ["api.json"], {}, "did you mean --openapi api.json?"],
    ["a URL without its flag", ["https://a.example/openapi"], {}, "did you mean --openapi https://a.example/openapi?"],
    ["the configuration without its flag", ["toolhost.prod.yml"], {}, "did you mean --config toolhost.prod.yml?"],
    [
      "a socket whose path is too long",
      [`--unix-socket=/tmp/${"x".repeat(200)}`],
      {},
      "--unix-socket must be a path of at most",
    ],
  ])("refuses %s in one line", async (_name, args, env, reason) => {
    const { code, stdout, stderr } = await toolhost(["serve", ...args], { env: { PORT: "0", ...env } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^toolhost: [^\n]+\n$/);
    expect(stderr).toContain(reason);
  });

  test("reports several problems, a line each", async () => {
    const { code, stderr } = await toolhost(["serve"], { env: { PORT: "x", LOG_LEVEL: "y", HOST: "0.0.0.0" } });
    expect(code).toBe(2);
    expect(stderr.trimEnd().split("\n")).toHaveLength(3);
  });
});

describe("listen", () => {
  test("says what to do if the port is taken", async () => {
    const taken = createServer();
    await listen(taken, { unixSocket: undefined, host: "127.0.0.1", port: 0 });
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    await expect(listen(createServer(), { unixSocket: undefined, host: "127.0.0.1", port })).rejects.toThrow(
      `cannot listen at 127.0.0.1:${port}: the port is already in use; choose another with --port`,
    );
  });

  test("says what to do if the socket is taken", async () => {
    const unixSocket = join(temporaryFolder(), "s.sock");
    const taken = createServer();
    await listen(taken, { unixSocket, host: "127.0.0.1", port: 0 });
    onTestFinished(() => void taken.close());
    await expect(listen(createServer(), { unixSocket, host: "127.0.0.1", port: 0 })).rejects.toThrow(
      `cannot listen at ${unixSocket}: the socket is already in use; choose another with --unix-socket`,
    );
  });
});
