import { once } from "node:events";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { exchangeText, requestText } from "../http/node/raw-socket.ts";
import { fixtures, service, temporaryFolder, toolhostProcess } from "./toolhost.ts";

const tools = `--tools=${join(fixtures, "tools")}`;
const oneLine = /^toolhost: [^\n]+\n$/;

function call(url: string, name: string, body: string): Promise<Response> {
  return fetch(`${url}/tools/${name}/invoke`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
}

function getOverSocket(socketPath: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath, path, agent: false }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    asking.on("error", reject);
    asking.end();
  });
}

describe("serve", () => {
  test("says where it listens once it answers, and ends with 0", async () => {
    const running = await service();
    expect(running.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
    expect(await running.stop()).toBe(0);
  });

  test("ends at once at a second signal", async () => {
    const running = await service([], { env: { SHUTDOWN_DELAY_MS: "60000" } });
    const end = running.stop();
    await expect.poll(async () => (await fetch(`${running.url}/readyz`)).status).toBe(503);
    process.kill(running.pid, "SIGTERM");
    expect(await end).toBe(1);
  });

  test("prints an IPv6 address as a URL holds it", async () => {
    const { url } = await service(["--host=::1"]);
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });

  test("answers as the publicUrl of its file, and names it in its documents", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "toolhost.yaml"), "publicUrl: https://tools.example/api");
    const { url } = await service([], { cwd });
    for (const path of ["/openapi.json", "/openapi.json?only=tools"]) {
      const answer = await fetch(url + path, { headers: { origin: "https://tools.example" } });
      expect(await answer.json()).toMatchObject({ servers: [{ url: "https://tools.example/api" }] });
    }
    const { port } = new URL(url);
    const text = requestText("GET /tools", { headers: { host: "tools.example" } });
    expect((await exchangeText(Number(port), text)).status).toBe(200);
  });

  test("logs one JSON object a line, a line a call, and never arguments or results", async () => {
    const running = await service([tools, "--log-level=trace"]);
    const secret = "s3cr3t";
    await call(running.url, "echo_mjs", JSON.stringify({ text: secret }));
    await call(running.url, "echo_mjs", JSON.stringify({ text: [secret], [secret]: secret }));
    await call(running.url, "breaks", JSON.stringify({ text: secret }));
    await call(running.url, "echo_mjs", `{"text": "${secret}`);
    await fetch(`${running.url}/tools?q=${secret}`);
    await running.stop();

    const entries = running.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const entry of entries)
      expect(entry).toMatchObject({
        level: expect.stringMatching(/^(?:trace|debug|info|warn|error)$/),
        time: expect.any(String),
      });
    const calls = entries.filter((entry) => entry["msg"] === "call");
    expect(calls.map(({ tool, code, caller }) => [tool, code, caller])).toEqual([
      ["echo_mjs", "ok", "anonymous"],
      ["echo_mjs", "invalid_arguments", "anonymous"],
      ["breaks", "tool_failed", "anonymous"],
    ]);
    for (const { callId, ms } of calls) expect([callId, ms]).toEqual([expect.any(String), expect.any(Number)]);
    expect(calls[2]).toMatchObject({ err: { type: "TypeError", message: "the inside came out" } });
    expect(entries).toContainEqual(expect.objectContaining({ tool: "throws", msg: "tool skipped" }));
    expect(running.lines().join("\n")).not.toContain(secret);
  });

  test("says nothing but that it listens at LOG_LEVEL=silent", async () => {
    const running = await service([tools], { env: { LOG_LEVEL: "silent" } });
    await call(running.url, "breaks", '{"text":"x"}');
    await running.stop();
    expect(running.lines().map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(["listening"]);
  });

  test("ends with one line where something listens at its port", async () => {
    const { url } = await service();
    const { code, stderr } = await toolhostProcess(["serve", "--port", new URL(url).port, "--log-level=silent"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain("the port is already in use; choose another with --port");
  });

  test("ends with one line where the port is taken, though a tool left a timer at load", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const folder = join(temporaryFolder(), "tools");
    mkdirSync(join(folder, "ticks"), { recursive: true });
    writeFileSync(join(folder, "ticks/tool.mjs"), "setInterval(() => {}, 1000);\n");
    const port = String((taken.address() as AddressInfo).port);
    const { code } = await toolhostProcess(["serve", "--port", port, `--tools=${folder}`]);
    expect(code).toBe(2);
  });

  test.each([
    ["an address of another machine", ["--host=192.0.2.1"], { TOOLHOST_API_KEYS: "k" }],
    ["a name that does not exist", ["--host=no.such.host.invalid"], { TOOLHOST_API_KEYS: "k" }],
    ["a socket in a folder that does not exist", ["--unix-socket=/nowhere/at/all.sock"], {}],
  ])("refuses %s in one line", async (_name, args, env) => {
    const { code, stdout, stderr } = await toolhostProcess(["serve", ...args], {
      env: { PORT: "0", LOG_LEVEL: "silent", ...(env as Record<string, string>) },
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(oneLine);
  });

  test("serves beyond loopback with keys, or where it is told to be insecure", async () => {
    const keyed = await service(["--host=0.0.0.0"], { env: { TOOLHOST_API_KEYS: "k" } });
    const port = new URL(keyed.url).port;
    expect((await fetch(`http://127.0.0.1:${port}/tools`)).status).toBe(401);
    const open = await service(["--host=0.0.0.0"], { env: { TOOLHOST_INSECURE: "1" } });
    expect((await fetch(`http://127.0.0.1:${new URL(open.url).port}/tools`)).status).toBe(200);
  });
});

describe("a UNIX_SOCKET", () => {
  test("is served to its owner alone, and removed at the end", async () => {
    const path = join(temporaryFolder(), "s.sock");
    const running = await service([], { env: { UNIX_SOCKET: path } });
    expect(running.url).toBe(`unix:${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await getOverSocket(path, "/tools")).toBe(200);
    expect(await running.stop()).toBe(0);
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });

  test("is taken over from a process that was killed", async () => {
    const path = join(temporaryFolder(), "s.sock");
    const killed = await service([`--unix-socket=${path}`]);
    process.kill(killed.pid, "SIGKILL");
    await sleep(50);
    expect(statSync(path).isSocket()).toBe(true);
    await service([`--unix-socket=${path}`]);
    expect(await getOverSocket(path, "/readyz")).toBe(200);
  });

  test("is not taken from a process that serves it", async () => {
    const path = join(temporaryFolder(), "s.sock");
    await service([`--unix-socket=${path}`]);
    const { code, stderr } = await toolhostProcess(["serve", `--unix-socket=${path}`, "--log-level=silent"]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `toolhost: cannot listen at ${path}: the socket is already in use; choose another with --unix-socket\n`,
    );
    expect(await getOverSocket(path, "/readyz")).toBe(200);
  });

  test("never replaces a file that is no socket", async () => {
    const path = join(temporaryFolder(), "notes.txt");
    writeFileSync(path, "mine");
    const { code, stderr } = await toolhostProcess(["serve", `--unix-socket=${path}`, "--log-level=silent"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(oneLine);
    expect(statSync(path).size).toBe(4);
  });
});
