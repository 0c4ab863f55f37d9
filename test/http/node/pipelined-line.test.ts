import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../../src/tool/tool.ts";
import { listenWith } from "../listening-app.ts";
import { answersIn, openSocket, requestText } from "./raw-socket.ts";
import { sizeOf } from "../../runs.ts";

const call = (number: number): string => requestText("POST /tools/tool/invoke", { body: `{"number":${number}}` });
const timedOut = Object.assign(new Error("timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });

/** A service whose calls finish when the test says so, and the socket that a client's requests come by. */
async function slowService() {
  const started: number[] = [];
  const waiting: (() => void)[] = [];
  const execute: Tool["execute"] = (args) => {
    started.push((args as { number: number }).number);
    return new Promise((resolve) => waiting.push(() => resolve("done")));
  };
  const { server, port } = await listenWith([{ execute, response: {} }]);
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const client = await openSocket(port);
  const socket = await accepted;
  const has = async (count: number): Promise<void> => {
    while (started.length < count) await new Promise(setImmediate);
  };
  return {
    started,
    client,
    socket,
    has,
    finish: () => waiting.splice(0).forEach((resolve) => resolve()),
    timeOut: () => void server.emit("clientError", timedOut, socket),
    settle: async () => {
      for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
    },
  };
}

describe("requests behind eight that take long", () => {
  it("are not the client's slowness: they wait, and each has one answer, that of its run", async () => {
    const { client, has, started, finish, timeOut } = await slowService();
    // The last is not whole yet when Node's patience ends.
    client.send(Array.from({ length: 10 }, (_, number) => call(number)).join("") + call(10).slice(0, -5));
    await has(8);
    timeOut();
    client.send(call(10).slice(-5));
    finish();
    await has(11);
    finish();
    await client.until((text) => answersIn(text).length === 11);
    expect(answersIn(client.text).map(({ status }) => status)).toEqual(Array<number>(11).fill(200));
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    client.socket.destroy();
  });
});

describe("requests that wait in line", () => {
  it.each([
    ["in their headers", "x-filler", ""],
    ["in their bodies", "x-other", "x".repeat(8000)],
  ])("are bounded by their bytes too, and all are answered in the end: bytes %s", async (_where, header, text) => {
    const { client, socket, started, has, finish, settle } = await slowService();
    const headers = { [header]: "x".repeat(text === "" ? 8000 : 1) };
    const count = sizeOf(1000, 400);
    const bytes = Array.from({ length: count }, (_, number) =>
      requestText("POST /tools/tool/invoke", { headers, body: JSON.stringify({ number, text }) }),
    ).join("");
    client.send(bytes);
    await has(8);
    let before = -1;
    while (before < socket.bytesRead) {
      before = socket.bytesRead;
      await settle();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(socket.bytesRead).toBeGreaterThan(500_000);
    expect(socket.bytesRead).toBeLessThan(1_500_000);
    for (let answered = 8; answered <= count; answered += 8) {
      await has(answered);
      finish();
      // What it reads on is no more than that at any time.
      const waiting = socket.bytesRead - (started.length * bytes.length) / count;
      expect(waiting).toBeLessThan(1_500_000);
    }
    await client.until((came) => answersIn(came).length === count, 20_000);
    expect(started).toEqual(Array.from({ length: count }, (_, number) => number));
    client.socket.destroy();
  });
});

describe("a request that was told that it did not arrive in time", () => {
  it("does not start, though the rest of it comes, and neither does what follows", async () => {
    const { client, started, timeOut, settle } = await slowService();
    client.send(call(0).slice(0, -5));
    await settle();
    timeOut();
    client.send(call(0).slice(-5) + call(1));
    const text = await client.closed();
    await settle();
    expect(answersIn(text).map(({ status }) => status)).toEqual([408]);
    expect(started).toEqual([]);
  });

  it("is answered behind the calls that were whole", async () => {
    const { client, started, has, finish, timeOut, settle } = await slowService();
    client.send(call(0) + call(1).slice(0, -5));
    await has(1);
    await settle();
    timeOut();
    client.send(call(1).slice(-5) + call(2));
    await settle();
    finish();
    const text = await client.closed();
    expect(answersIn(text).map(({ status }) => status)).toEqual([200, 408]);
    expect(started).toEqual([0]);
  });
});
