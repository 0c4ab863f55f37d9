import { LLMock } from "@copilotkit/aimock";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { isToolResult } from "../../src/agent/types.ts";
import { defineTool } from "../../src/tool/tool.ts";
import { dialects, sdkModels, ways } from "./sdk-models.ts";

const double = defineTool({
  name: "double",
  description: "Doubles a number.",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: ({ n }) => Number(n) * 2,
});

/** A mock of somebody else's, which has its own opinion on how providers answer. It refuses nothing. */
async function startMock(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, logLevel: "silent" });
  mock.on({ userMessage: "Double 4", hasToolResult: false }, { toolCalls: [{ name: "double", arguments: '{"n":4}' }] });
  mock.on({ userMessage: "Double 4", hasToolResult: true }, { content: "It is 8." });
  mock.on(
    { userMessage: "Double both", hasToolResult: false },
    { content: "Both then.", toolCalls: [5, 6].map((n) => ({ name: "double", arguments: JSON.stringify({ n }) })) },
  );
  mock.on({ userMessage: "Double both", hasToolResult: true }, { content: "10 and 12." });
  mock.on({ userMessage: "Thanks" }, { content: "You are welcome." });
  await mock.start();
  onTestFinished(() => mock.stop());
  return mock;
}

const each = dialects.flatMap((dialect) => Object.entries(ways).map(([way, say]) => ({ dialect, way, say })));

describe.each(each)("aimock as $dialect, $way", ({ dialect, say }) => {
  it("is understood, and understands: a call, two calls behind a text, a text", async () => {
    const mock = await startMock();
    const agent = createAgent({ model: sdkModels[dialect](mock.url), tools: [double], system: "Be brief." });
    const one = await say(agent, "Double 4");
    expect(one).toMatchObject({ text: "It is 8.", rounds: 2, finishReason: "stop" });
    expect(one.toolCalls.map((call) => call.function)).toEqual([{ name: "double", arguments: '{"n":4}' }]);
    const two = await say(agent, "Double both");
    expect(two).toMatchObject({ text: "10 and 12.", rounds: 2 });
    expect(two.pieces.join("")).toMatch(/^(?:Both then\.)?10 and 12\.$/);
    expect((await say(agent, "Thanks")).text).toBe("You are welcome.");
    expect(agent.messages.filter(isToolResult).map(({ content }) => content)).toEqual(["8", "10", "12"]);
    expect(new Set(agent.messages.filter(isToolResult).map((message) => message.tool_call_id)).size).toBe(3);
    expect(mock.getRequests().map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200]);
  });
});
