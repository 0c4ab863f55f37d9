import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { ResultWithBlocks } from "../../../src/core/result-blocks.ts";
import { callTool, mcpApp } from "../../mcp/messages.ts";

const eras = ["legacy", "modern"] as const;

/** What MCP clients get of blocks, in both eras, alone and beside a result. A strict client accepts it. */
async function passed(...blocks: readonly unknown[]): Promise<readonly unknown[]> {
  let first: readonly unknown[] | undefined;
  for (const era of eras) {
    for (const isBeside of [false, true]) {
      const result = isBeside ? new ResultWithBlocks({ a: 1 }, blocks) : new ResultWithBlocks({ content: blocks });
      const { app } = mcpApp([{ execute: () => result }]);
      const { message } = await callTool(app, era, "tool");
      expect(CallToolResultSchema.safeParse(message.result).error).toBeUndefined();
      const content = (message.result!["content"] as unknown[]).slice(isBeside ? 1 : 0);
      first ??= content;
      expect(content).toEqual(first);
    }
  }
  return first!;
}

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: "AAAA", mimeType: "image/png" };
const link = { type: "resource_link", uri: "file:///a", name: "a" };
const resource = { type: "resource", resource: { uri: "file:///a", text: "words" } };

test.each([
  text("a"),
  image,
  { type: "audio", data: "AAAA", mimeType: "audio/wav", _meta: { a: 1 } },
  { ...link, title: "A", description: "d", mimeType: "text/plain", size: 3, icons: [{ src: "i", theme: "dark" }] },
  { ...resource, annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" } },
  { type: "resource", resource: { uri: "file:///a", blob: "AAAA", mimeType: "a/b", _meta: {} } },
  { ...image, other: ["is", "kept"] },
])("a block that clients know is passed on as it came: %j", async (block) => {
  expect(await passed(block)).toEqual([block]);
});

test.each<[string, unknown, string]>([
  ["a type of later revisions", { type: "video", data: "AAAA", mimeType: "video/mp4" }, "[video]"],
  ["a type that is unknown, with a text", { type: "markdown", text: "# A" }, "# A"],
  ["a type that is too long", { type: "x".repeat(500) }, `[${"x".repeat(100)}]`],
  ["no type", { text: "a" }, "a"],
  ["nothing at all", {}, "[block]"],
  ["a type that is not a text", { type: 7 }, "[block]"],
  ["a text that is missing", { type: "text" }, "[text]"],
  ["a text that is a number", { type: "text", text: 7 }, "[text]"],
  ["an image that is not base64", { ...image, data: "not base64!" }, "[image/png, 8 B]"],
  ["an image without data", { type: "image", mimeType: "image/png" }, "[image/png, 0 B]"],
  ["an image without a type", { type: "image", data: "AAAA" }, "[application/octet-stream, 3 B]"],
  ["a link without a name", { type: "resource_link", uri: "file:///a" }, "[link: file:///a]"],
  ["a link without a URI", { type: "resource_link", name: "a" }, "[resource_link]"],
  ["a resource without a URI", { type: "resource", resource: { text: "words" } }, "words"],
  ["a resource without contents", { type: "resource", resource: { uri: "file:///a", mimeType: "a/b" } }, "[a/b, 0 B]"],
  [
    "a resource whose bytes are not base64",
    { type: "resource", resource: { uri: "file:///a", blob: "?" } },
    "[application/octet-stream, 0 B]",
  ],
  ["a resource that is a text", { type: "resource", resource: "words" }, "[resource]"],
])("%s is a line of text", async (_what, block, line) => {
  expect(await passed(text("before"), block, image)).toEqual([text("before"), text(line), image]);
});

test.each<[string, object, object]>([
  ["annotations", { ...image, annotations: "all" }, image],
  ["an audience", { ...image, annotations: { audience: ["everybody"] } }, image],
  ["a priority", { ...link, annotations: { priority: 7 } }, link],
  ["a date", { ...link, annotations: { lastModified: "yesterday" } }, link],
  ["_meta", { ...text("a"), _meta: "a" }, text("a")],
  ["a size", { ...link, size: "3" }, link],
  ["a title", { ...link, title: null }, link],
  ["icons", { ...link, icons: [{ href: "i" }] }, link],
  ["the type of a resource", { type: "resource", resource: { ...resource.resource, mimeType: null } }, resource],
])("%s that clients refuse is left out of a block that is kept", async (_what, block, kept) => {
  expect(await passed(block)).toEqual([kept]);
});
