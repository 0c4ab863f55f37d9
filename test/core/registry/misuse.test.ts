import { describe, expect, it } from "vitest";
import {
  createApp,
  createRegistry,
  defineTool,
  invoke,
  type JsonSchema,
  type ToolDefinition,
} from "../../../src/index.ts";
import { toolOf } from "../one-tool.ts";

// What a program in plain JavaScript may hand in.
const misuse = <T>(value: unknown): T => value as T;

describe("in plain JavaScript", () => {
  it.each<[string, () => unknown, string]>([
    ["createRegistry([tool])", () => createRegistry(misuse([toolOf({})])), "createRegistry({ tools: [ … ] })"],
    ["createRegistry(null)", () => createRegistry(misuse(null)), "createRegistry({ tools: [ … ] })"],
    ["createRegistry({ tools: tool })", () => createRegistry(misuse({ tools: toolOf({}) })), "tools must be an array"],
    ["createApp(registry)", () => createApp(misuse(createRegistry())), "createApp({ registry:"],
    ["createApp()", () => createApp(misuse(undefined)), "createApp({ registry:"],
    [
      "defineTool without execute",
      () => defineTool(misuse<ToolDefinition<JsonSchema, JsonSchema>>({ name: "a", parameters: {} })),
      "execute",
    ],
    ["defineTool()", () => defineTool(misuse<ToolDefinition<JsonSchema, JsonSchema>>(undefined)), "execute"],
  ])("%s is a TypeError that says how", (_, act, words) => {
    expect(act).toThrow(TypeError);
    expect(act).toThrow(words);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["invoke(registry, name, args)", () => invoke(createRegistry(), misuse("tool"))],
    ["invoke(registry)", () => invoke(createRegistry(), misuse(undefined))],
    ["invoke(registry, {})", () => invoke(createRegistry(), misuse({}))],
    ["invoke(tool, call)", () => invoke(misuse(toolOf({})), { name: "tool", arguments: {} })],
  ])("%s rejects with a TypeError that says how", async (_, act) => {
    const error = await act().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toHaveProperty("message", expect.stringContaining("invoke(registry, { name, arguments })"));
  });
});
