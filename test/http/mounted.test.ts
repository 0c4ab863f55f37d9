import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { appOf } from "./app-in-memory.ts";

/** An app inside another, on the adapter's own server. */
async function mount(parent: Hono, options: Parameters<typeof appOf>[1] = {}): Promise<string> {
  const tool = { parameters: { type: "object" as const }, execute: (args: object) => args };
  parent.route("/tools-of-mine", appOf([tool], options).app);
  const server = createAdaptorServer({ fetch: parent.fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tools-of-mine/tools/tool/invoke`;
}

function post(url: string, body: string): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
}

it("an app inside another answers calls", async () => {
  const answer = await post(await mount(new Hono()), '{"a":1}');
  expect(await answer.json()).toMatchObject({ status: "ok", result: { a: 1 } });
});

it("an app inside another whose middleware reads bodies answers too", async () => {
  const parent = new Hono();
  parent.use(async (c, next) => {
    await c.req.text();
    await next();
  });
  const answer = await post(await mount(parent), '{"a":1}');
  expect(await answer.json()).toMatchObject({ status: "ok", result: { a: 1 } });
});

it("an app inside another keeps its limit on bodies that come in chunks", async () => {
  const url = await mount(new Hono(), { maxBodyBytes: 100 });
  const body = new Blob(["[", "1,".repeat(100), "1]"]).stream();
  const init = { method: "POST", headers: { "content-type": "application/json" }, body, duplex: "half" as const };
  expect((await fetch(url, init)).status).toBe(413);
});

describe("an app behind what has read the body, as express.json() does", () => {
  async function listenBehindReader(): Promise<string> {
    const answer = getRequestListener(appOf([{ execute: (args: object) => args }]).app.fetch);
    const server = createServer(async (incoming, outgoing) => {
      if (incoming.headers["x-read"] !== undefined) for await (const _chunk of incoming);
      void answer(incoming, outgoing);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const json = { "content-type": "application/json" };
  const chunked = () => ({ body: new Blob(['{"a":1}']).stream(), duplex: "half" as const });
  const whole = () => ({ body: '{"calls":[{"name":"tool"}]}' });

  it.each([
    ["with its length", "/tools/tool/invoke", whole],
    ["in chunks", "/tools/tool/invoke", chunked],
    ["with its length", "/calls", whole],
    ["in chunks", "/calls", chunked],
  ])("refuses a body that was sent %s to %s", async (_how, path, body) => {
    const url = (await listenBehindReader()) + path;
    const answer = await fetch(url, { method: "POST", headers: { ...json, "x-read": "1" }, ...body() });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { code: "bad_request", message: expect.stringContaining("was read before") },
    });
  });

  it("takes an empty one for {}, and one that was left alone as it is", async () => {
    const url = `${await listenBehindReader()}/tools/tool/invoke`;
    const empty = await fetch(url, { method: "POST", headers: { "x-read": "1" } });
    expect(await empty.json()).toMatchObject({ status: "ok", result: {} });
    const unread = await fetch(url, { method: "POST", headers: json, ...chunked() });
    expect(await unread.json()).toMatchObject({ status: "ok", result: { a: 1 } });
  });
});

it.each(["json", "text", "arrayBuffer", "blob"] as const)(
  "a body that a Hono middleware read by %s is taken",
  async (how) => {
    const parent = new Hono();
    parent.use(async (c, next) => {
      await c.req[how]();
      await next();
    });
    parent.route("/", appOf([{ execute: (args: object) => args }]).app);
    for (const body of ['{"a":1}', new Blob(['{"a":1}']).stream()]) {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body, duplex: "half" as const };
      const answer = await parent.request("/tools/tool/invoke", init);
      expect(await answer.json()).toMatchObject({ status: "ok", result: { a: 1 } });
    }
  },
);
