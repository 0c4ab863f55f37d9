import { describe, expect, it } from "vitest";
import { toolChoice } from "../../src/index.ts";

const warning = [expect.any(String)];
const none: unknown[] = [];

describe("toolChoice", () => {
  const openaiOf = (name: string) => ({ type: "function", function: { name } });

  it.each([
    ["openai", { mode: "auto" }, { tool_choice: "auto" }],
    ["openai", { mode: "none", names: ["a"] }, { tool_choice: "none" }],
    ["openai", { mode: "required" }, { tool_choice: "required" }],
    ["openai", { mode: "required", names: ["a"] }, { tool_choice: openaiOf("a") }],
    [
      "openai",
      { mode: "auto", names: ["a", "b"], parallel: false },
      {
        tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [openaiOf("a"), openaiOf("b")] } },
        parallel_tool_calls: false,
      },
    ],
    ["openai", { mode: "required", names: [] }, { tool_choice: "none" }],
    ["openai-responses", { mode: "required", names: ["a"] }, { tool_choice: { type: "function", name: "a" } }],
    [
      "openai-responses",
      { mode: "required", names: ["a", "b"] },
      {
        tool_choice: {
          type: "allowed_tools",
          mode: "required",
          tools: [
            { type: "function", name: "a" },
            { type: "function", name: "b" },
          ],
        },
      },
    ],
    ["openai-responses", { mode: "none", parallel: false }, { tool_choice: "none", parallel_tool_calls: false }],
    ["anthropic", { mode: "auto" }, { tool_choice: { type: "auto" } }],
    ["anthropic", { mode: "none", parallel: false }, { tool_choice: { type: "none" } }],
    [
      "anthropic",
      { mode: "required", parallel: false },
      { tool_choice: { type: "any", disable_parallel_tool_use: true } },
    ],
    ["anthropic", { mode: "required", names: ["a"] }, { tool_choice: { type: "tool", name: "a" } }],
    ["gemini", { mode: "auto" }, { toolConfig: { functionCallingConfig: { mode: "AUTO" } } }],
    ["gemini", { mode: "none" }, { toolConfig: { functionCallingConfig: { mode: "NONE" } } }],
    [
      "gemini",
      { mode: "required", names: ["a"] },
      { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["a"] } } },
    ],
    ["ollama", { mode: "auto" }, {}],
  ] as const)("%s says %j as %j", (dialect, choice, request) => {
    expect(toolChoice(dialect, choice)).toEqual({ request, warnings: none });
  });

  it("tells which tools to declare where a provider takes no names", () => {
    const names = ["a", "b"];
    expect(toolChoice("anthropic", { mode: "auto", names })).toMatchObject({ tools: names, warnings: none });
    expect(toolChoice("anthropic", { mode: "required", names })).toMatchObject({
      request: { tool_choice: { type: "any" } },
      tools: names,
    });
    expect(toolChoice("gemini", { mode: "auto", names })).toMatchObject({ tools: names, warnings: none });
    expect(toolChoice("ollama", { mode: "auto", names })).toEqual({ request: {}, tools: names, warnings: none });
    expect(toolChoice("ollama", { mode: "none" })).toEqual({ request: {}, tools: [], warnings: none });
    expect(toolChoice("mcp", { mode: "auto", names: [] })).toEqual({ request: {}, tools: [], warnings: none });
  });

  it("warns of what a provider cannot be asked for", () => {
    expect(toolChoice("ollama", { mode: "required", names: ["a"] })).toEqual({
      request: {},
      tools: ["a"],
      warnings: warning,
    });
    expect(toolChoice("ollama", { mode: "auto", parallel: false }).warnings).toEqual(warning);
    expect(toolChoice("gemini", { mode: "auto", parallel: false }).warnings).toEqual(warning);
  });

  it("bug 43: forces no tool on an Anthropic model that thinks, and warns", () => {
    expect(toolChoice("anthropic", { mode: "required", names: ["a"], thinking: true })).toEqual({
      request: { tool_choice: { type: "auto" } },
      tools: ["a"],
      warnings: warning,
    });
    expect(toolChoice("anthropic", { mode: "auto", thinking: true }).warnings).toEqual(none);
  });
});
