import { describe, expect, it } from "vitest";
import { callTool, errorOf, resultOf } from "../core/one-tool.ts";

const returning = (result: unknown) => callTool({ contentBlocks: true, execute: () => result });
const text = { type: "text", text: "a text" };

describe("the result of a tool with contentBlocks", () => {
  it.each<[string, unknown]>([
    ["no blocks", []],
    ["text", [text]],
    ["an image", [{ type: "image", data: "aGk=", mimeType: "image/png" }]],
    ["audio", [{ type: "audio", data: "", mimeType: "audio/wav" }]],
    ["a resource with text", [{ type: "resource", resource: { uri: "a:b", text: "x" } }]],
    ["a resource with bytes", [{ type: "resource", resource: { uri: "a:b", blob: "aGk=", mimeType: "a/b" } }]],
    ["a link", [{ type: "resource_link", uri: "a:b", name: "b" }]],
    ["several, with annotations", [text, { ...text, annotations: { audience: ["user"] } }]],
  ])("is passed on: %s", async (_, content) => {
    expect(resultOf(await returning({ content }))).toEqual({ content });
    expect(resultOf(await returning({ content, isError: false }))).toEqual({ content, isError: false });
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, ""],
    ["a text", "canary", ""],
    ["blocks alone", [text], ""],
    ["no content", { text: "canary" }, "/content"],
    ["content that is a text", { content: "canary" }, "/content"],
    ["a text among blocks", { content: [text, "canary"] }, "/content/1"],
    ["an unknown block", { content: [{ type: "canary" }] }, "/content/0/type"],
    ["a text block without text", { content: [{ type: "text" }] }, "/content/0/text"],
    ["an image without a type", { content: [{ type: "image", data: "aGk=" }] }, "/content/0/mimeType"],
    [
      "an image that is no base64",
      { content: [{ type: "image", data: "canary!", mimeType: "a/b" }] },
      "/content/0/data",
    ],
    ["an image of base64url", { content: [{ type: "image", data: "a-_=", mimeType: "a/b" }] }, "/content/0/data"],
    [
      "a resource without content",
      { content: [{ type: "resource", resource: { uri: "a:b" } }] },
      "/content/0/resource",
    ],
    ["a resource without uri", { content: [{ type: "resource", resource: { text: "" } }] }, "/content/0/resource/uri"],
    ["a link without a name", { content: [{ type: "resource_link", uri: "a:b" }] }, "/content/0/name"],
    ["isError that is a text", { content: [], isError: "true" }, "/isError"],
  ])("is invalid_result if it is %s", async (_, result, path) => {
    const error = errorOf(await returning(result));
    expect(error).toMatchObject({ code: "invalid_result", retryable: false, action: "stop", issues: [{ path }] });
    expect(JSON.stringify(error)).not.toContain("canary");
  });

  it("gives at most 20 issues", async () => {
    const content = Array.from({ length: 100 }, () => 1);
    expect(errorOf(await returning({ content })).issues).toHaveLength(20);
  });

  it.each<[string, unknown[], string]>([
    ["its text", [text, { type: "image", data: "aGk=", mimeType: "image/png" }, text], "a text\na text"],
    ["general words if it has none", [], "The tool failed."],
    ["bounded words", [{ type: "text", text: "x".repeat(5000) }], "x".repeat(2000)],
  ])("is tool_failed with isError, in %s", async (_, content, message) => {
    const error = errorOf(await returning({ content, isError: true }));
    expect(error).toEqual({ code: "tool_failed", message, action: "stop", retryable: false });
  });

  it("is any JSON without the switch", async () => {
    const result = { content: "x", isError: true };
    expect(resultOf(await callTool({ execute: () => result }))).toEqual(result);
  });
});
