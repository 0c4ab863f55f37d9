import { expect, test, vi } from "vitest";
import { createOutboundFetch } from "../../../src/egress/fetch.ts";
import { UpstreamError } from "../../../src/errors/errors.ts";
import { SourceError } from "../../../src/core/source.ts";
import { createMcpSource } from "../../../src/sources/mcp/source.ts";
import type { ToolContext } from "../../../src/tool/tool.ts";
import { startHttpServer } from "./http-server.ts";
import { commandOf, host, hostSetting } from "./scripted.ts";

const soon = { timeout: 20_000, interval: 10 };
const fetch = createOutboundFetch({ allow: ["127.0.0.1"] });
const forever = new AbortController().signal;

test("a read begins a session again that the server forgot", async () => {
  const server = await startHttpServer({ session: "first" });
  const hosted = await hostSetting({ mcp: { url: server.url } }, 30_000, fetch);
  server.session = "second";
  await expect(hosted.source.read(forever)).resolves.toMatchObject({ skipped: [] });
  expect(await hosted.call("one")).toMatchObject({ status: "ok" });
});

test("a server over stdio that hangs in tools/list is ended and started again", async () => {
  const hosted = await host({ tools: ["one", "control"] });
  await hosted.control({ hangOn: ["tools/list"] });
  const stop = new AbortController();
  const read = hosted.source.read(stop.signal);
  stop.abort(new SourceError("too late"));
  await expect(read).rejects.toThrow("too late");
  await expect(hosted.source.read(forever)).resolves.toMatchObject({ skipped: [] });
  expect(await hosted.call("one")).toMatchObject({ status: "ok" });
});

test("a call that cannot reach the server over HTTP ends no other call, and is one notice", async () => {
  let answer: (() => void) | undefined;
  let isDown = false;
  const server = await startHttpServer();
  const flaky: typeof globalThis.fetch = async (input, init) => {
    const isCall = typeof init?.body === "string" && init.body.includes('"tools/call"');
    if (isDown && isCall) throw new UpstreamError("It cannot be reached.", { ran: "no" });
    if (isCall) await new Promise<void>((resolve) => (answer = resolve));
    return fetch(input, init);
  };
  const source = createMcpSource({ name: "s", setting: { mcp: { url: server.url } }, fetch: flaky });
  const dropped = vi.fn();
  source.watch?.({ changed: () => undefined, dropped });
  const { tools } = await source.read(forever);
  const call = (): Promise<unknown> => Promise.resolve(tools[0]!.execute({}, { signal: forever } as ToolContext));
  const first = call();
  await vi.waitFor(() => expect(answer).toBeDefined(), soon);
  isDown = true;
  await expect(call()).rejects.toMatchObject({ ran: "no" });
  await expect(call()).rejects.toMatchObject({ ran: "no" });
  answer!();
  await expect(first).resolves.toEqual({ name: "one" });
  expect(dropped).toHaveBeenCalledTimes(1);
  await source.close?.();
  await expect(call()).rejects.toMatchObject({ code: "unavailable" });
});

test("a server that ends during a read fails the read, without a notice beside", async () => {
  const source = createMcpSource({ name: "s", setting: { mcp: commandOf({ exitOn: "tools/list" }) }, fetch });
  const dropped = vi.fn();
  source.watch?.({ changed: () => undefined, dropped });
  await expect(source.read(forever)).rejects.toThrow("its process ended with exit code 7");
  expect(dropped).not.toHaveBeenCalled();
  await source.close?.();
});
