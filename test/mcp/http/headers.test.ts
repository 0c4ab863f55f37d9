import { describe, expect, it, test } from "vitest";
import { ask, callTool, mcpApp } from "../messages.ts";

const parameters = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    count: { type: "integer", "x-mcp-header": "Count" },
    deep: { type: "object", properties: { flag: { type: "boolean", "x-mcp-header": "Deep-Flag" } } },
  },
};
const { app } = mcpApp([{ name: "plain" }, { name: "routed", parameters }]);
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

describe("the headers of a modern request", () => {
  it.each([
    ["no Mcp-Method", { "mcp-method": undefined }],
    ["another Mcp-Method", { "mcp-method": "tools/list" }],
    ["an Mcp-Method in upper case", { "mcp-method": "TOOLS/CALL" }],
    ["no Mcp-Name", { "mcp-name": undefined }],
    ["another Mcp-Name", { "mcp-name": "routed" }],
    ["an Mcp-Name in upper case", { "mcp-name": "PLAIN" }],
    ["base64 with wrong padding", { "mcp-name": "=?base64?cGxhaW4?=" }],
    ["base64 with other characters", { "mcp-name": "=?base64?cGxh!!!aW4=?=" }],
    ["base64 of another name", { "mcp-name": base64("routed") }],
    ["base64 that is not UTF-8", { "mcp-name": "=?base64?/w==?=" }],
  ])("are refused with %s", async (_what, headers) => {
    const { status, message } = await callTool(app, "modern", "plain", {}, { headers, id: 5 });
    expect([status, message.error?.code, message.id]).toEqual([400, -32_020, 5]);
  });

  it.each([{}, { "mcp-name": base64("plain") }, { "mcp-name": "  plain  " }])(
    "are accepted with %j",
    async (headers) => {
      const { status, message } = await callTool(app, "modern", "plain", { a: 1 }, { headers });
      expect([status, message.result?.["structuredContent"]]).toEqual([200, { a: 1 }]);
    },
  );

  it("need no name where nothing is named", async () => {
    expect((await ask(app, "modern", "tools/list", {}, { headers: { "mcp-name": "whatever" } })).status).toBe(200);
  });
});

describe("the headers of arguments", () => {
  it.each([
    [{ region: "eu" }, { "mcp-param-region": "eu" }],
    [{ region: "Zürich" }, { "mcp-param-region": base64("Zürich") }],
    [{ region: " eu " }, { "mcp-param-region": base64(" eu ") }],
    [{ region: "" }, { "mcp-param-region": "" }],
    [{ region: "=?base64?" }, { "mcp-param-region": "=?base64?" }],
    [{ count: 42 }, { "mcp-param-count": "42.0" }],
    [{ count: -7 }, { "mcp-param-count": "-7" }],
    [{ deep: { flag: true } }, { "mcp-param-deep-flag": "true" }],
    [{}, {}],
    [undefined, {}],
    [{ deep: {} }, {}],
  ])("of %j are accepted as %j", async (args, headers) => {
    const { status, message } = await callTool(app, "modern", "routed", args, { headers });
    expect([status, message.error]).toEqual([200, undefined]);
  });

  it.each([
    [{ region: "eu" }, {}],
    [{ region: "eu" }, { "mcp-param-region": "us" }],
    [{ region: "eu" }, { "mcp-param-region": "EU" }],
    [{ region: "eu" }, { "mcp-param-region": "=?base64?ZXU?=" }],
    [{ count: 42 }, { "mcp-param-count": "0x2a" }],
    [{ count: 42 }, { "mcp-param-count": "43" }],
    [{ deep: { flag: true } }, { "mcp-param-deep-flag": "True" }],
    [{}, { "mcp-param-region": "eu" }],
    [{ region: null }, { "mcp-param-region": "null" }],
    [{ region: ["eu"] }, { "mcp-param-region": "eu" }],
  ])("of %j are refused as %j", async (args, headers) => {
    const { status, message } = await callTool(app, "modern", "routed", args, { headers });
    expect([status, message.error?.code]).toEqual([400, -32_020]);
  });

  it("do not matter to legacy clients, and not without an annotation", async () => {
    expect((await callTool(app, "legacy", "routed", { region: "eu" })).message.error).toBeUndefined();
    const headers = { "mcp-param-region": "us" };
    expect((await callTool(app, "modern", "plain", { region: "eu" }, { headers })).message.error).toBeUndefined();
  });
});

test("an unknown tool is unknown, whatever headers its arguments would have", async () => {
  const { status, message } = await callTool(app, "modern", "routd", { region: "eu" });
  expect([status, message.error?.code]).toEqual([200, -32_602]);
});
