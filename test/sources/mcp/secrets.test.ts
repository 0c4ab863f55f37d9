import { inspect } from "node:util";
import { expect, test, vi } from "vitest";
import { createOutboundFetch } from "../../../src/egress/fetch.ts";
import type { McpSetting } from "../../../src/sources/mcp/setting.ts";
import type { ToolContext } from "../../../src/tool/tool.ts";
import { startHttpServer } from "./http-server.ts";
import { commandOf, host, hostSetting } from "./scripted.ts";

const soon = { timeout: 60_000, interval: 10 };
const secret = "sk-live-0123456789";
const fetch = createOutboundFetch({ allow: ["127.0.0.1"] });

test("a server over stdio that quotes its environment: errors of calls and lines of output are masked", async () => {
  const script = { tools: ["answer"], stderr: `key ${secret}` };
  const hosted = await host(script, { mcp: { ...commandOf(script), env: { API_KEY: secret } } });
  const failed = await hosted.call("answer", {
    result: { isError: true, content: [{ type: "text", text: `${"x".repeat(1990)} ${secret}` }] },
  });
  expect(failed).toMatchObject({
    error: { code: "upstream_failed", message: expect.stringMatching(/\*\*\*$/) as string },
  });
  const refused = await hosted.call("answer", { error: { code: -32000, message: `bad key ${secret}` } });
  expect(refused).toMatchObject({ error: { message: expect.stringContaining("bad key ***") as string } });
  await vi.waitFor(() => expect(hosted.output).toContain("key ***"), soon);
});

const settings: [string, Partial<McpSetting>][] = [
  ["a bearer token", { auth: { bearer: secret } }],
  ["a header", { headers: { "X-Key": `Token ${secret}` } }],
  ["an API key in the query", { auth: { apiKey: { in: "query", name: "key", value: secret } } }],
];

test.each(settings)("a server over HTTP that quotes %s: the failure of a call is masked", async (_name, setting) => {
  const server = await startHttpServer({
    call: () => ({ isError: true, content: [{ type: "text", text: `refused: ${secret}` }] }),
  });
  const hosted = await hostSetting({ mcp: { url: server.url }, ...setting }, 30_000, fetch);
  expect(await hosted.call("one")).toMatchObject({ error: { message: "refused: ***" } });
});

test("a server over HTTP that quotes a credential in a status or an error: neither the cause nor the reason contains it", async () => {
  const server = await startHttpServer();
  const hosted = await hostSetting({ mcp: { url: server.url }, auth: { bearer: secret } }, 30_000, fetch);
  const { signal } = new AbortController();
  const { tools } = await hosted.source.read(signal);
  server.refuse = () => 500;
  server.refusal = `no: ${secret}`;
  await expect(hosted.source.read(signal)).rejects.toThrow("it answered with the HTTP status 500");
  const failure = await Promise.resolve(tools[0]!.execute({}, { signal } as ToolContext)).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ status: 500 });
  expect(inspect(failure)).toContain("***");
  expect(inspect(failure)).not.toContain(secret);
});

test("the error of a handshake that quotes the environment is a reason for operators, masked", async () => {
  for (const method of ["initialize", "tools/list"]) {
    const script = { tools: ["one"], failOn: { [method]: `bad key ${secret}` } };
    const hosted = await host(script, { mcp: { ...commandOf(script), env: { API_KEY: secret } } });
    expect(hosted.status()).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("bad key ***") as string,
    });
  }
});
