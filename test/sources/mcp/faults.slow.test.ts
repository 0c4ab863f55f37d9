import { existsSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { createRegistry } from "../../../src/core/registry/registry.ts";
import { SourceError } from "../../../src/core/source.ts";
import { createMcpSource } from "../../../src/sources/mcp/source.ts";
import { createSources } from "../../../src/sources/sources.ts";
import { commandOf, host, namesOf, type Script } from "./scripted.ts";

const soon = { timeout: 30_000, interval: 10 };

test.each<[string, Script, RegExp]>([
  ["exits at once", { exit: 3 }, /its process ended with exit code 3/],
  ["exits in the handshake", { exitOn: "initialize" }, /its process ended with exit code 7/],
  ["writes a line without end", { longLine: 8_000_000 }, /longer than 4194304 bytes/],
  ["floods its stdout", { stdoutFlood: true, hangOn: ["server/discover", "initialize"] }, /something other than MCP/],
  ["answers tools/list with an error", { exitOn: "tools/list", tools: ["a"] }, /its process ended with exit code 7/],
])("a server that %s is reported, tried again, and delays nobody", async (_name, script, reason) => {
  const registry = createRegistry();
  const sources = createSources({ registry, firstRetryMs: 5, longestRetryMs: 20 });
  onTestFinished(() => sources.close(10_000));
  const open = (name: string, given: Script) => ({
    key: name,
    open: () => createMcpSource({ name, setting: { mcp: commandOf(given) }, fetch }),
  });
  await sources.configure([open("broken", { tools: ["one"], ...script }), open("fine", { tools: ["one"] })]);
  await vi.waitFor(() => expect(registry.find("fine_one")).toBeDefined(), soon);
  await vi.waitFor(() => expect(sources.status()[0]?.reason).toMatch(reason), soon);
});

test("a handshake that is answered with an error has its words as the reason, without a stack", async () => {
  const hosted = await host({ refuseHandshake: { code: -32000, message: "No licence." }, tools: ["one"] });
  expect(hosted.status()).toMatchObject({
    state: "failed",
    reason: "it answered with the error -32000: No licence.",
  });
  await expect(hosted.source.read(new AbortController().signal)).rejects.toBeInstanceOf(SourceError);
});

test("a server that hangs in the handshake fails in time, and is ended", async () => {
  const hosted = await host({ hangOn: ["server/discover", "initialize"], tools: ["one"] }, {}, 500);
  expect(hosted.status()).toMatchObject({ state: "failed", reason: "it was not read within 0.5 s" });
});

test("a server that ends by an unknown first message is asked in the old era", async () => {
  const hosted = await host({ exitOn: "server/discover", tools: ["one"] });
  expect(await hosted.call("one")).toMatchObject({ status: "ok" });
});

test("what is not MCP on its stdout is ignored, and goes to the log with its stderr", async () => {
  const stdout = 'Server is starting\n{"half": \n\n[]\nnull\n{"jsonrpc":"2.0","id":4711,"result":{}}\n';
  const hosted = await host({ stdout, stderr: "Ready for people.", tools: ["one"] });
  expect(await hosted.call("one")).toMatchObject({ status: "ok" });
  await vi.waitFor(() => expect(hosted.output).toContain("Ready for people."), soon);
  expect(hosted.output).toEqual(expect.arrayContaining(["Server is starting", '{"half": ']));
});

test("answers to nothing, and answers twice, harm no call", async () => {
  const hosted = await host({ tools: ["raw", "one"] });
  const result = (text: string) =>
    `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"${text}"}]}}\n`;
  const text = `${result("first")}${result("second")}{"jsonrpc":"2.0","id":1000002,"result":{}}\n`;
  expect(await hosted.call("raw", { text })).toMatchObject({ result: { content: [{ text: "first" }] } });
  expect(await hosted.call("one")).toMatchObject({ result: { result: "one" } });
});

test("a result in two halves and with broken UTF-8 is one result", async () => {
  const hosted = await host({ tools: ["raw"] });
  const text = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"\\ud800${"é".repeat(100_000)}"}]}}\r\n`;
  const outcome = await hosted.call("raw", { text });
  expect(outcome).toMatchObject({ status: "ok" });
  expect(JSON.stringify(outcome)).toContain("\ufffdééé");
});

test("a call during which the server ends is upstream_failed, the next is unavailable until it is back", async () => {
  const hosted = await host({ tools: ["die", "slow", "one"] });
  const slow = hosted.call("slow");
  const outcome = await hosted.call("die");
  expect(outcome).toMatchObject({ error: { code: "upstream_failed", ran: "unknown", retryable: false } });
  expect(await slow).toMatchObject({ error: { code: "upstream_failed", ran: "unknown" } });
  expect(await hosted.call("one")).toMatchObject({ error: { code: "unavailable", ran: "no", action: "retry_later" } });
  expect(namesOf(hosted)).toEqual(["s_die", "s_one", "s_slow"]);
  await vi.waitFor(() => expect(hosted.status().state).toBe("ready"), soon);
  expect(await hosted.call("one")).toMatchObject({ status: "ok" });
});

test("a line that is too long during a call ends the server alone, and the call is upstream_failed", async () => {
  const hosted = await host({ tools: ["raw"] });
  expect(await hosted.call("raw", { text: "x".repeat(4_200_000) })).toMatchObject({
    error: { code: "upstream_failed" },
  });
  await vi.waitFor(() => expect(hosted.status().state).toBe("ready"), soon);
});

test("a server gets the few variables of the contract and its own, and its folder; it is started without a shell", async () => {
  process.env["TOOLHOST_TEST_SECRET"] = "hidden";
  onTestFinished(() => void delete process.env["TOOLHOST_TEST_SECRET"]);
  const script = { tools: ["environment"], note: "$(touch /tmp/toolhost-shell) `id` ; exit" };
  const mcp = { ...commandOf(script), env: { OWN: "yes" }, cwd: "/" };
  const hosted = await host(script, { mcp });
  const outcome = (await hosted.call("environment")) as unknown as { result: { names: string[]; cwd: string } };
  const allowed = ["HOME", "LANG", "OWN", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];
  expect(outcome.result.cwd).toBe("/");
  expect(outcome.result.names).toContain("OWN");
  expect(outcome.result.names.filter((name) => !allowed.includes(name))).toEqual([]);
  expect(existsSync("/tmp/toolhost-shell")).toBe(false);
});

test.each([
  ["does not exist", { command: "/nowhere/server" }, /does not exist/],
  ["is not executable", { command: "/etc/passwd" }, /not executable/],
  ["has a folder that is not there", { command: process.execPath, cwd: "/nowhere" }, /does not exist/],
])("a command that %s is a reason for operators", async (_name, mcp, reason) => {
  const hosted = await host({}, { mcp });
  expect(hosted.status()).toMatchObject({ state: "failed", reason: expect.stringMatching(reason) as string });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("closing ends a server that ignores its stdin and signals, and what it started", async () => {
  const hosted = await host({
    tools: ["environment"],
    outlivesStdin: true,
    ignoresSignals: true,
    grandchild: true,
  });
  const { result } = (await hosted.call("environment")) as unknown as { result: { pid: number } };
  expect(isAlive(result.pid)).toBe(true);
  await hosted.sources.close(20_000);
  await vi.waitFor(() => expect(isAlive(result.pid)).toBe(false), soon);
  await vi.waitFor(() => expect(isAlive(-result.pid)).toBe(false), soon);
});
