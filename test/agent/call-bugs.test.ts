import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { openaiResponses } from "../../src/agent/models/openai-responses.ts";
import { openai } from "../../src/agent/models/openai.ts";
import { isToolResult } from "../../src/agent/types.ts";
import type { ModelDialect } from "../../src/dialects/dialects.ts";
import { checkConversation } from "../providers/check-conversation.ts";
import { objectsIn } from "../providers/conversation.ts";
import { calls, says, scriptedModel } from "./scripted-model.ts";
import { ways } from "./sdk-models.ts";
import { weatherTools } from "./weather-tools.ts";

/** A client whose streams hold these events, one list a request, and what it was sent. */
function streaming(...streams: readonly (readonly object[])[]) {
  const bodies: Record<string, unknown>[] = [];
  async function create(body: object): Promise<unknown> {
    const events = streams[bodies.length] ?? [];
    bodies.push(structuredClone(body) as Record<string, unknown>);
    return (async function* () {
      yield* events;
    })();
  }
  return { bodies, chat: { completions: { create } }, responses: { create } };
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});
/** A fragment of a call. */
const part = (fields: object, name?: string | null, written?: string) =>
  chunk({
    tool_calls: [
      {
        ...fields,
        function: { ...(name !== undefined && { name }), ...(written !== undefined && { arguments: written }) },
      },
    ],
  });
const end = (reason = "tool_calls") => chunk({}, reason);
const text = [chunk({ role: "assistant", content: "Done." }), end("stop")];
const oslo = '{"city":"Oslo"}';
const lima = '{"city":"Lima"}';
const both = [{ city: "Oslo" }, { city: "Lima" }];

describe("calls that a service of OpenAI's kind streams", () => {
  it.each<[string, readonly object[], readonly object[]]>([
    [
      "BerriAI/litellm#21331, google/adk-python#1038: two calls at index 0 are two, whose arguments are not glued",
      [part({ index: 0, id: "a" }, "weather", oslo), part({ index: 0, id: "b" }, "weather", lima)],
      both,
    ],
    [
      "huggingface/smolagents#1958: another id at the same index begins another call, fragments or not",
      [
        part({ index: 0, id: "a" }, "weather", '{"ci'),
        part({ index: 0 }, undefined, 'ty":"Oslo"}'),
        part({ index: 0, id: "b" }, "weather", '{"city"'),
        part({ index: 0, id: "b" }, undefined, ':"Lima"}'),
      ],
      both,
    ],
    [
      "anomalyco/opencode#43328, sgl-project/sglang#35542: id and name of null overwrite none",
      [
        part({ index: 0, id: "a" }, "weather", '{"city":'),
        part({ index: 0, id: null }, null, '"Oslo"}'),
        part({ index: 1, id: "b" }, "weather", ""),
        part({ index: 1, id: null, type: null }, null, lima),
      ],
      both,
    ],
    [
      "anomalyco/opencode#47954: calls without ids get some, which pair them with their results",
      [part({ index: 0 }, "weather", oslo), part({ index: 1, id: "" }, "weather", lima)],
      both,
    ],
    [
      "vercel/ai#14760: the name may come behind the arguments",
      [part({ index: 0, id: "a" }, undefined, '{"city":"Os'), part({ index: 0 }, "weather", 'lo"}')],
      [{ city: "Oslo" }],
    ],
    [
      "BerriAI/litellm#11407: indexes may start at 1, or be left out",
      [part({ index: 1, id: "a" }, "weather", oslo), part({ index: 3, id: "b" }, "weather", lima)],
      both,
    ],
    [
      "QwenLM/Qwen-Agent#943: fragments of several calls may interleave",
      [
        part({ index: 0, id: "a" }, "weather", '{"ci'),
        part({ index: 1, id: "b" }, "weather", '{"city":'),
        part({ index: 0 }, undefined, 'ty":"Oslo"}'),
        part({ index: 1 }, undefined, '"Lima"}'),
      ],
      both,
    ],
    [
      'openai/openai-agents-js#664, langchain-ai/langchainjs#11383, BerriAI/litellm#5064: arguments of "" are none',
      [part({ index: 0, id: "a" }, "now", "")],
      [{}],
    ],
  ])("%s", async (_, called, expected) => {
    const client = streaming([...called, end()], text);
    const { tools, ran } = weatherTools();
    const agent = createAgent({ model: openai(client, "any"), tools });
    expect(await ways.streamed(agent, "Weather?")).toMatchObject({ text: "Done.", rounds: 2 });
    expect(ran).toEqual(expected);
    const messages = objectsIn(client.bodies[1]?.["messages"]);
    expect(checkConversation("openai", messages, [])).toEqual([]);
    expect(objectsIn(messages[1]?.["tool_calls"])).toHaveLength(expected.length);
  });

  it("anomalyco/opencode#14973, vercel/workflow#1387: run, though the turn says that it just stopped", async () => {
    const client = streaming([part({ index: 0, id: "a" }, "weather", oslo), end("stop")], text);
    const { tools, ran } = weatherTools();
    expect((await ways.streamed(createAgent({ model: openai(client, "any"), tools }), "Go")).text).toBe("Done.");
    expect(ran).toHaveLength(1);
  });

  it("anomalyco/opencode#47954: an id that is made is made once in a conversation", async () => {
    const called = [part({ index: 0 }, "weather", oslo), end()];
    const client = streaming(called, called, text, called, text);
    const agent = createAgent({ model: openai(client, "any"), tools: weatherTools().tools });
    await ways.streamed(agent, "Weather?");
    await ways.streamed(agent, "Again?");
    const ids = agent.messages.filter(isToolResult).map((message) => message.tool_call_id);
    expect(new Set(ids).size).toBe(3);
    const sent = objectsIn(client.bodies[4]?.["messages"]);
    expect(sent.flatMap((message) => objectsIn(message["tool_calls"]).map(({ id }) => id))).toEqual(ids);
  });
});

describe("calls that OpenAI Responses streams", () => {
  it("NousResearch/hermes-agent#94961: are run once where the item's id changes on the way", async () => {
    const call = { type: "function_call", call_id: "call_1", name: "weather", arguments: oslo };
    const at = { output_index: 0 };
    const completed = (output: unknown[]) => ({
      type: "response.completed",
      response: { status: "completed", output },
    });
    const client = streaming(
      [
        { type: "response.output_item.added", ...at, item: { ...call, id: "fc_1", arguments: "" } },
        { type: "response.function_call_arguments.delta", ...at, item_id: "fc_2", delta: oslo },
        { type: "response.function_call_arguments.done", ...at, item_id: "fc_3", arguments: oslo },
        { type: "response.output_item.done", ...at, item: { ...call, id: "fc_4" } },
        completed([{ ...call, id: "fc_5" }]),
      ],
      [completed([{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] }])],
    );
    const { tools, ran } = weatherTools();
    const result = await ways.streamed(createAgent({ model: openaiResponses(client, "any"), tools }), "Weather?");
    expect(result).toMatchObject({ text: "Done.", rounds: 2 });
    expect(ran).toEqual([{ city: "Oslo" }]);
    const input = client.bodies[1]?.["input"];
    expect(objectsIn(input).map(({ call_id }) => call_id)).toEqual([undefined, "call_1", "call_1"]);
    expect(checkConversation("openai-responses", input as unknown[], [])).toEqual([]);
  });
});

describe("calls without the id that their results need", () => {
  const rows: [ModelDialect, unknown, unknown][] = [
    ["openai", calls(["", "weather", oslo], ["b", "weather", lima]), says("Done.")],
    [
      "openai-responses",
      {
        status: "completed",
        output: both.map((city) => ({ type: "function_call", name: "weather", arguments: JSON.stringify(city) })),
      },
      { status: "completed", output: [] },
    ],
    [
      "anthropic",
      {
        type: "message",
        role: "assistant",
        content: both.map((input) => ({ type: "tool_use", name: "weather", input })),
        stop_reason: "tool_use",
      },
      { type: "message", role: "assistant", content: [], stop_reason: "end_turn" },
    ],
  ];

  it.each(rows)(
    "earendil-works/pi#9057, %s: get one each, in the model's own turn too, which is not changed",
    async (dialect, turn, last) => {
      const before = structuredClone(turn);
      const model = scriptedModel([turn, turn, last], dialect);
      const { tools, ran } = weatherTools();
      const agent = createAgent({ model, tools });
      expect(await agent.chat("Weather?")).toMatchObject({ rounds: 3, warnings: [] });
      expect(ran).toEqual([...both, ...both]);
      expect(checkConversation(dialect, model.requests[2]!.messages, [])).toEqual([]);
      expect(turn).toEqual(before);
    },
  );
});
