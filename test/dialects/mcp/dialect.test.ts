import { describe, expect, it } from "vitest";
import type { Tool } from "../../../src/tool/tool.ts";
import { ask, codesOf, refusalOf } from "../reply-answer.ts";

const objects = { type: "object" };
const returning = (result: unknown, more: Partial<Tool> = {}): Partial<Tool> => ({
  name: "tool",
  execute: () => result,
  ...more,
});
const messageOf = async (tool: Partial<Tool>) =>
  (await ask("mcp", { name: "tool", arguments: {} }, { tools: [tool] })).messages[0];
const textOf = (text: string) => [{ type: "text", text }];

describe("calls of MCP", () => {
  it("are one, or an array of them, answered with a CallToolResult each", async () => {
    const structuredContent = { location: "Oslo", temperature: 12 };
    const weather = { content: textOf(JSON.stringify(structuredContent)), structuredContent };
    const call = { name: "get_weather", arguments: { location: "Oslo" } };
    expect((await ask("mcp", call)).messages).toEqual([weather]);
    const { messages, results, done } = await ask("mcp", [call, { name: "now" }], { query: "&echo=true" });
    expect(messages).toEqual([
      weather,
      { content: textOf('{"result":"noon"}'), structuredContent: { result: "noon" } },
    ]);
    expect({ ids: results.map(({ id }) => id), done }).toEqual({ ids: ["0", "1"], done: false });
    expect(await ask("mcp", [])).toMatchObject({ messages: [], done: true });
  });

  it("B13: take arguments that are null or absent for {}", async () => {
    const calls = [{ name: "echo", arguments: null }, { name: "echo" }, { name: "echo", arguments: {} }];
    expect((await ask("mcp", calls)).results.map(({ result }) => result)).toEqual([{}, {}, {}]);
  });

  it("have results that are objects, wrapped where their schema is none", async () => {
    expect(await messageOf(returning({ a: 1 }))).toMatchObject({ structuredContent: { a: 1 } });
    expect(await messageOf(returning({ a: 1 }, { response: objects }))).toMatchObject({ structuredContent: { a: 1 } });
    expect(await messageOf(returning({ a: 1 }, { response: { minProperties: 1 } }))).toMatchObject({
      structuredContent: { result: { a: 1 } },
    });
    expect(await messageOf(returning([1]))).toMatchObject({ structuredContent: { result: [1] } });
    expect(await messageOf(returning(null))).toMatchObject({ structuredContent: { result: null } });
    expect(await messageOf(returning("", { response: { type: "string" } }))).toEqual({
      content: textOf('{"result":""}'),
      structuredContent: { result: "" },
    });
  });

  it("have the blocks of a tool that makes content blocks", async () => {
    const content = [{ type: "image", data: "AA==", mimeType: "image/png" }];
    expect(await messageOf(returning({ content }, { contentBlocks: true }))).toEqual({ content });
    expect(await messageOf(returning({ content }))).toMatchObject({ structuredContent: { content } });
  });

  it("have errors that say so: text for the model, the error object in _meta, no structuredContent", async () => {
    const answer = await ask("mcp", [
      { name: "nothing" },
      { name: "get_weather", arguments: {} },
      null,
      { arguments: {} },
      { name: 5 },
      { name: "fail" },
    ]);
    const bad = "invalid_arguments";
    expect(codesOf(answer)).toEqual(["unknown_tool", bad, bad, bad, bad, "tool_failed"]);
    expect(answer.messages).toEqual(
      answer.results.map(({ error }) => ({
        content: textOf(expect.stringContaining(`${error?.message}\nAction: ${error?.action}`) as string),
        isError: true,
        _meta: { "toolhost/error": error },
      })),
    );
  });

  it("have errors that name every issue, with what was probably meant", async () => {
    const properties = { unit: { enum: ["celsius", "fahrenheit"] }, "a/b": { type: "string" } };
    const parameters = { type: "object", properties, additionalProperties: false, required: ["a/b"], maxProperties: 2 };
    const arguments_ = { unit: "celsus", unitt: 1, c: 2 };
    const { messages, results } = await ask(
      "mcp",
      { name: "tool", arguments: arguments_ },
      { tools: [{ name: "tool", parameters }] },
    );
    const message = results[0]?.error?.message ?? "";
    expect(messages[0]).toMatchObject({
      content: textOf(
        [
          message,
          "Action: fix_arguments",
          "Issues:",
          "- the root: must NOT have more than 2 properties",
          "- /a~1b: is required",
          "- /unitt: is not a known property",
          "- /c: is not a known property",
          '- /unit: must be one of celsius, fahrenheit (did you mean "celsius"?)',
        ].join("\n"),
      ),
    });
  });

  it.each([
    {},
    null,
    5,
    { error: {} },
    { arguments: {} },
    { jsonrpc: "2.0", method: "tools/call", params: { name: "now" } },
  ])("are not what %j is", async (body) => {
    await refusalOf("mcp", body);
  });
});
