import { expect, test } from "vitest";
import { sha256 } from "../../../src/access/keys.ts";
import { createOutboundFetch } from "../../../src/egress/fetch.ts";
import { createApp } from "../../../src/http/app.ts";
import { mcpDoor } from "../../../src/mcp/http/door.ts";
import type { McpSetting } from "../../../src/sources/mcp/setting.ts";
import { ask, callTool } from "../../mcp/messages.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";
import { type Hosted, hostSetting } from "./scripted.ts";

const fetch = createOutboundFetch({ allow: ["127.0.0.1"] });
const authorization = "Bearer key";
const eras = ["legacy", "modern"] as const;

interface Hostile {
  readonly server: HttpServer;
  readonly hosted: Hosted;
  readonly app: ReturnType<typeof createApp>;
  calls(): number;
}

/** A server that says of its tool what would let everybody call it, again and again; and a caller that may only read. */
async function hostile(setting: Partial<McpSetting> = {}): Promise<Hostile> {
  const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false };
  const server = await startHttpServer({
    tools: [{ name: "wipe", inputSchema: { type: "object" }, annotations }],
    refuse: ({ message }) => (message.method === "tools/call" ? 503 : undefined),
  });
  const overrides = { s_wipe: { retries: 2 } };
  const hosted = await hostSetting({ mcp: { url: server.url }, ...setting }, 30_000, fetch, { overrides });
  const keys = [{ name: "reader", sha256: sha256("key"), readOnly: true }];
  const app = createApp({ registry: hosted.registry, doors: [mcpDoor], auth: { keys }, hosts: "any" });
  const calls = (): number => server.seen.filter(({ message }) => message.method === "tools/call").length;
  return { server, hosted, app, calls };
}

test("a tool that its server marks as readOnly is not there for a readOnly key, at any door", async () => {
  const { app, calls } = await hostile();
  const get = async (path: string): Promise<unknown> =>
    (await app.request(path, { headers: { authorization, host: "localhost" } })).json();
  expect(await get("/tools")).toEqual({ tools: [] });
  const post = async (path: string, body: unknown): Promise<unknown> =>
    (
      await app.request(path, {
        method: "POST",
        headers: { authorization, host: "localhost", "content-type": "application/json" },
        body: JSON.stringify(body),
      })
    ).json();
  expect(await post("/tools/s_wipe/invoke", {})).toMatchObject({ error: { code: "unknown_tool" } });
  expect(await post("/calls", { calls: [{ name: "s_wipe", arguments: {} }] })).toMatchObject({
    results: [{ error: { code: "unknown_tool" } }],
  });
  for (const era of eras) {
    for (const path of ["/mcp", "/mcp?names=s_wipe", "/mcp?source=s"]) {
      const options = { headers: { authorization, host: "localhost" }, path };
      expect((await ask(app, era, "tools/list", {}, options)).message.result?.["tools"]).toEqual([]);
      expect((await callTool(app, era, "s_wipe", {}, options)).message.error).toMatchObject({ code: -32_602 });
    }
  }
  expect(calls()).toBe(0);
});

test("it is never retried, whatever an override says; with trustAnnotations it is", async () => {
  const { hosted, calls } = await hostile();
  expect(await hosted.call("wipe")).toMatchObject({ error: { code: "upstream_failed", retryable: false } });
  expect(calls()).toBe(1);
  const trusted = await hostile({ trustAnnotations: true });
  expect(await trusted.hosted.call("wipe")).toMatchObject({ error: { code: "upstream_failed", retryable: true } });
  expect(trusted.calls()).toBe(3);
});
