import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { expect, it, onTestFinished } from "vitest";
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
