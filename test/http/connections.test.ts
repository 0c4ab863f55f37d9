import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { endIdleConnections, markUsed } from "../../src/http/connections.ts";
import { listenWith } from "./listening-app.ts";
import { exchangeText } from "./raw-socket.ts";

describe("an idle connection", () => {
  async function open(): Promise<{ socket: Socket; ended: () => boolean }> {
    const server = createServer((incoming, outgoing) => {
      markUsed(incoming.socket);
      outgoing.end("ok");
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

it("the Host is checked whatever came before", async () => {
  const { port } = await listenWith([{}], { hosts: "loopback" });
  const withoutHost = "GET /tools HTTP/1.0\r\n\r\n";
  expect((await exchangeText(port, withoutHost)).status).toBe(403);
  expect((await exchangeText(port, "GET /tools HTTP/1.1\r\nhost: localhost\r\n\r\n")).status).toBe(200);
  expect((await exchangeText(port, withoutHost)).status).toBe(403);
  expect((await exchangeText(port, "GET /livez HTTP/1.0\r\n\r\n")).status).toBe(200);
});
