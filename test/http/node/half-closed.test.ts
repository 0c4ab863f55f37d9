import { describe, expect, it, vi } from "vitest";
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
const patience = { timeout: 20_000, interval: 5 };
/** Longer than three probes are apart. */
const probes = () => new Promise((resolve) => setTimeout(resolve, 300));

describe("a client that ends its side and waits for the answer", () => {
  it("gets it whole", async () => {
    const clients = await Promise.all(
      requests.map(async ([name, text, count]) => {
        const service = await slowService();
        const client = await openSocket(service.port);
        client.socket.end(text);
        await vi.waitFor(() => expect(service.seen.started, name).toBe(count), patience);
        return { name, text, count, client, ...service };
      }),
    );
    await probes();
    for (const { name, text, count, client, seen, finish, refusals } of clients) {
      expect(seen.aborted, name).toBe(0);
      finish();
      const came = await client.closed();
      expect(came.startsWith("HTTP/1.1 200 OK\r\n"), name).toBe(true);
      expect(came.match(/HTTP\/1.1 200 OK\r\n/g), name).toHaveLength(text === call + call ? 2 : 1);
      const answers = Buffer.from(came, "latin1")
        .toString()
        .match(/späte Antwort/g);
      expect(answers, name).toHaveLength(count);
      if (text === call) expect(answersIn(came)).toHaveLength(1);
      expect(refusals, name).toEqual([]);
    }
  });

  it("gets the answer to what it has cut off behind that to its call", async () => {
    const { port, seen, finish } = await slowService();
    const client = await openSocket(port);
    client.socket.end(call + call.slice(0, -1));
    await vi.waitFor(() => expect(seen.started).toBe(1), patience);
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
    }, patience);
  });
});

describe("a client that left", () => {
  it.each(requests)("is found out, and its calls are cancelled: %s", async (_name, text, count) => {
    const { port, seen, refusals } = await slowService();
    const client = await openSocket(port);
    client.send(text);
    await vi.waitFor(() => expect(seen.started).toBe(count), patience);
    client.socket.destroy();
    await vi.waitFor(() => expect(seen.aborted).toBe(count), patience);
    expect(refusals).toEqual([]);
  });
});
