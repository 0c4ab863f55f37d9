import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Tool } from "../../../src/tool/tool.ts";
import type { Refusal } from "../../../src/http/guard/refusal.ts";
import { listenWith } from "../listening-app.ts";
import { answersIn, openSocket, requestText } from "./raw-socket.ts";

/** A service whose calls end when the test says so, or when they are cancelled. */
async function slowService() {
  const finish: (() => void)[] = [];
  const seen = { started: 0, aborted: 0 };
  const refusals: Refusal[] = [];
  const execute: Tool["execute"] = (_args, { signal }) => {
    seen.started++;
    signal.addEventListener("abort", () => void seen.aborted++);
    return new Promise((resolve) => finish.push(() => resolve("späte Antwort")));
  };
  const options = { onRefused: (refusal: Refusal) => void refusals.push(refusal) };
  const { port, server } = await listenWith([{ execute, response: {} }], options);
  return { port, server, seen, refusals, finish: () => finish.splice(0).forEach((end) => end()) };
}

const call = requestText("POST /tools/tool/invoke", { body: "{}" });
const calls = requestText("POST /calls", { body: '{"calls":[{"name":"tool"},{"name":"tool"}]}' });
const stream = requestText("POST /tools/tool/invoke", { body: "{}", headers: { accept: "text/event-stream" } });
const requests: [string, string, number][] = [
  ["a call", call, 1],
  ["a call by HTTP/1.0", call.replace("HTTP/1.1", "HTTP/1.0"), 1],
  ["a list of calls", calls, 2],
  ["a stream", stream, 1],
  ["several calls in a row", call + call, 2],
];
/** Longer than three probes are apart. */
const probes = () => new Promise((resolve) => setTimeout(resolve, 300));

describe("a client that ends its side and waits for the answer", () => {
  it.each(requests)("gets it whole: %s", async (_name, text, count) => {
    const { port, seen, finish, refusals } = await slowService();
    const client = await openSocket(port);
    client.socket.end(text);
    await vi.waitFor(() => expect(seen.started).toBe(count));
    await probes();
    expect(seen.aborted).toBe(0);
    finish();
    const came = await client.closed();
    expect(came.startsWith("HTTP/1.1 200 OK\r\n")).toBe(true);
    expect(came.match(/HTTP\/1.1 200 OK\r\n/g)).toHaveLength(text === call + call ? 2 : 1);
    expect(
      Buffer.from(came, "latin1")
        .toString()
        .match(/späte Antwort/g),
    ).toHaveLength(count);
    if (text === call) expect(answersIn(came)).toHaveLength(1);
    expect(refusals).toEqual([]);
  });

  it("gets the answer to what it has cut off behind that to its call", async () => {
    const { port, seen, finish } = await slowService();
    const client = await openSocket(port);
    client.socket.end(call + call.slice(0, -1));
    await vi.waitFor(() => expect(seen.started).toBe(1));
    await probes();
    finish();
    const answers = answersIn(await client.closed());
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  });

  it("is let go when it has its answers", async () => {
    const { port, server } = await slowService();
    const client = await openSocket(port);
    client.socket.end(requestText("GET /livez"));
    expect(answersIn(await client.closed())).toHaveLength(1);
    await vi.waitFor(async () => {
      const count = await new Promise((resolve) => server.getConnections((_error, open) => resolve(open)));
      expect(count).toBe(0);
    });
  });
});

describe("a client that left", () => {
  it.each(requests)("is found out, and its calls are cancelled: %s", async (_name, text, count) => {
    const { port, seen, refusals } = await slowService();
    const client = await openSocket(port);
    client.send(text);
    await vi.waitFor(() => expect(seen.started).toBe(count));
    client.socket.destroy();
    await vi.waitFor(() => expect(seen.aborted).toBe(count), { timeout: 5000, interval: 5 });
    expect(refusals).toEqual([]);
  });

  it("as a process that was killed has", async () => {
    const { port, seen } = await slowService();
    const code = `require("net").connect(${port}, "127.0.0.1").write(${JSON.stringify(call)})`;
    const child = spawn(process.execPath, ["-e", code], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    await vi.waitFor(() => expect(seen.started).toBe(1), { timeout: 20_000 });
    child.kill("SIGKILL");
    await once(child, "exit");
    await vi.waitFor(() => expect(seen.aborted).toBe(1), { timeout: 5000, interval: 5 });
  });
});
