import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { endIdleConnections, enter, leave } from "../../../src/http/node/connections.ts";
import { listenWith } from "../listening-app.ts";
import { exchangeText, requestText } from "./raw-socket.ts";

describe("an idle connection", () => {
  async function open(): Promise<{ socket: Socket; ended: () => boolean }> {
    const server = createServer((incoming, outgoing) => {
      enter(incoming.socket);
      outgoing.end("ok");
      leave(incoming.socket);
    });
    endIdleConnections(server, 200, 20);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    let hasEnded = false;
    socket.on("close", () => (hasEnded = true));
    socket.resume();
    return { socket, ended: () => hasEnded };
  }

  it("is ended after its time, and not while it is used", async () => {
    const { socket, ended } = await open();
    for (let request = 0; request < 6; request++) {
      socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
      await sleep(80);
    }
    expect(ended()).toBe(false);
    await sleep(500);
    expect(ended()).toBe(true);
  });
});

it("the time limits of a request do not end a call that is slow", async () => {
  const { server, port } = await listenWith([
    { execute: () => new Promise((resolve) => setTimeout(resolve, 1400, "done")) },
  ]);
  server.headersTimeout = 100;
  server.requestTimeout = 200;
  const answer = await exchangeText(port, requestText("POST /tools/tool/invoke", { body: "{}" }), 5000);
  expect([answer.status, JSON.parse(answer.body)]).toEqual([200, expect.objectContaining({ result: "done" })]);
});
