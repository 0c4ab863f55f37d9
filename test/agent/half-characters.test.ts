import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import type { ModelDialect } from "../../src/dialects/dialects.ts";
import { scriptedModel } from "./scripted-model.ts";

const half = "x\ud83d";
const args = { a: "q", b: half, [half]: [half] };
const text = JSON.stringify(args);

/** A turn that holds halves wherever a provider, or a service that imitates it, could write one. */
const turns: Readonly<Record<ModelDialect, readonly [unknown, unknown]>> = {
  openai: [
    {
      choices: [
        {
          message: {
            role: "assistant",
            content: half,
            reasoning: half,
            tool_calls: [{ id: half, type: "function", function: { name: "f", arguments: text } }],
          },
        },
      ],
    },
    { choices: [{ message: { role: "assistant", content: "Done" } }] },
  ],
  "openai-responses": [
    {
      status: "completed",
      output: [
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: half }] },
        { type: "function_call", call_id: half, name: "f", arguments: text },
      ],
    },
    { status: "completed", output: [{ type: "message", content: [{ type: "output_text", text: "Done" }] }] },
  ],
  anthropic: [
    {
      type: "message",
      role: "assistant",
      content: [
        { type: "text", text: half },
        { type: "tool_use", id: "c1", name: half, input: args },
      ],
      stop_reason: "tool_use",
    },
    { type: "message", role: "assistant", content: [{ type: "text", text: "Done" }], stop_reason: "end_turn" },
  ],
  gemini: [
    {
      candidates: [
        {
          content: { role: "model", parts: [{ text: half }, { functionCall: { id: half, name: half, args } }] },
          finishReason: "STOP",
        },
      ],
    },
    { candidates: [{ content: { role: "model", parts: [{ text: "Done" }] }, finishReason: "STOP" }] },
  ],
  ollama: [
    {
      message: { role: "assistant", content: half, tool_calls: [{ function: { name: half, arguments: args } }] },
      done: true,
    },
    { message: { role: "assistant", content: "Done" }, done: true },
  ],
};

const parameters = {
  type: "object",
  description: half,
  properties: { a: { type: "string", description: half, enum: ["q", half] }, [half]: { type: "array" } },
};
const tool = {
  definition: { type: "function", function: { name: "f", description: half, parameters } },
  execute: () => half,
} as const;

describe("half a surrogate pair", () => {
  it.each(Object.keys(turns) as ModelDialect[])("is in no request to %s", async (dialect) => {
    const model = scriptedModel(turns[dialect], dialect);
    const { text: said, warnings } = await createAgent({ model, tools: [tool], system: half }).chat(half);
    expect(said).toBe("Done");
    const sent = model.requests.map((request) => JSON.stringify({ ...request, signal: undefined }));
    expect(sent).toHaveLength(2);
    expect(sent.filter((request) => /(?<!\\)\\ud83d/i.test(request))).toEqual([]);
    expect(warnings.join()).toContain("half a surrogate pair");
  });

  it("leaves whole characters as they are", async () => {
    const model = scriptedModel([turns.openai[1]]);
    await createAgent({ model, system: "\u{1f600}" }).chat("\u{1f601}");
    expect(model.requests[0]).toMatchObject({ system: "\u{1f600}", messages: [{ content: "\u{1f601}" }] });
  });
});
