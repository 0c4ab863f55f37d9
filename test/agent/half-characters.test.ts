import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import type { ModelDialect } from "../../src/dialects/dialects.ts";
import { fixturesOf, modelDialects } from "../dialects/fixtures.ts";
import { scriptedModel } from "./scripted-model.ts";

const half = "x\ud83d";
const args = { a: "q", b: half, [half]: [half] };

/** A turn that holds halves wherever a provider, or a service that imitates it, could write one, and an answer. */
function turnsOf(dialect: ModelDialect): readonly [unknown, unknown] {
  const { reply, response } = fixturesOf(dialect);
  const calls = [
    { id: half, name: "f", args },
    { id: "c2", name: half, args },
  ];
  return [response(reply(calls, half)), response(reply([], "Done"))];
}

const done = fixturesOf("openai").response({ role: "assistant", content: "Done" });
const thoughts = {
  openai: fixturesOf("openai").response({ role: "assistant", content: "Done", reasoning: half }),
  "openai-responses": fixturesOf("openai-responses").response([
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: half }] },
    { type: "message", content: [{ type: "output_text", text: "Done" }] },
  ]),
} as const;

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
  it.each(modelDialects)("is in no request to %s", async (dialect) => {
    const model = scriptedModel(turnsOf(dialect), dialect);
    const { text: said, warnings } = await createAgent({ model, tools: [tool], system: half }).chat(half);
    expect(said).toBe("Done");
    const sent = model.requests.map((request) => JSON.stringify({ ...request, signal: undefined }));
    expect(sent).toHaveLength(2);
    expect(sent.filter((request) => /(?<!\\)\\ud83d/i.test(request))).toEqual([]);
    expect(warnings.join()).toContain("half a surrogate pair");
  });

  it.each(["openai", "openai-responses"] as const)("is in no thought that goes back to %s", async (dialect) => {
    const model = scriptedModel([thoughts[dialect], thoughts[dialect]], dialect);
    const agent = createAgent({ model });
    await agent.chat("One");
    await agent.chat("Two");
    const sent = JSON.stringify(model.requests[1]?.messages);
    expect(sent).toContain("x\ufffd");
    expect(sent).not.toMatch(/(?<!\\)\\ud83d/i);
  });

  it("leaves whole characters as they are", async () => {
    const model = scriptedModel([done]);
    await createAgent({ model, system: "\u{1f600}" }).chat("\u{1f601}");
    expect(model.requests[0]).toMatchObject({ system: "\u{1f600}", messages: [{ content: "\u{1f601}" }] });
  });
});
