import { describe, expect, it } from "vitest";
import { createAgent } from "../../../src/agent/agent.ts";
import { checkConversation } from "../../providers/check-conversation.ts";
import { dig } from "../../providers/conversation.ts";
import { scriptedModel } from "../../agent/scripted-model.ts";
import { weatherTools } from "../../agent/weather-tools.ts";
import type { RecordedDialect } from "../recorded/recorded-turn.ts";

type Row = readonly [what: string, runs: number, ...parts: unknown[]];

const oslo = { city: "Oslo" };
const text = JSON.stringify(oslo);

interface Writing {
  /** A turn of these calls: items of Responses, blocks of Anthropic, parts of Gemini. */
  turn(parts: readonly unknown[]): unknown;
  readonly answer: unknown;
  /** What of a turn belongs into the conversation, as it came. */
  itemsOf(turn: unknown): readonly unknown[];
}

const completion = (message: object) => ({ choices: [{ index: 0, message, finish_reason: "stop" }] });
const response = (output: readonly unknown[]) => ({ object: "response", status: "completed", output });
const message = (content: readonly unknown[]) => ({ type: "message", role: "assistant", content });
const candidate = (content: unknown) => ({ candidates: [{ content, finishReason: "STOP" }] });

const writings: Readonly<Record<RecordedDialect, Writing>> = {
  openai: {
    turn: (calls) => completion({ role: "assistant", content: null, tool_calls: calls }),
    answer: completion({ role: "assistant", content: "Done." }),
    itemsOf: (turn) => [dig(turn, "choices", 0, "message")],
  },
  "openai-responses": {
    turn: response,
    answer: response([{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] }]),
    itemsOf: (turn) => dig(turn, "output") as unknown[],
  },
  anthropic: {
    turn: message,
    answer: message([{ type: "text", text: "Done." }]),
    itemsOf: (turn) => [{ role: "assistant", content: dig(turn, "content") }],
  },
  gemini: {
    turn: (parts) => candidate({ role: "model", parts }),
    answer: candidate({ role: "model", parts: [{ text: "Done." }] }),
    itemsOf: (turn) => [dig(turn, "candidates", 0, "content")],
  },
  ollama: {
    turn: (calls) => ({ message: { role: "assistant", content: "", tool_calls: calls }, done: true }),
    answer: { message: { role: "assistant", content: "Done." }, done: true },
    itemsOf: (turn) => [dig(turn, "message")],
  },
};

/** What each request of a chat held, in which the model gives these turns and then an answer. */
async function requestsOf(dialect: RecordedDialect, ...turns: readonly unknown[]) {
  const model = scriptedModel([...turns, writings[dialect].answer], dialect);
  const { tools, ran } = weatherTools();
  const before = structuredClone(turns);
  const result = await createAgent({ model, tools, maxRounds: 5 }).chat("Weather?");
  expect(result).toMatchObject({ text: "Done.", finishReason: "stop", rounds: turns.length + 1 });
  expect(turns, "what the SDK gave is not changed").toEqual(before);
  return { requests: model.requests.map(({ messages }) => messages), ran };
}

/** The provider refuses the turns as they came, and takes them as they go back. */
async function expectMended(dialect: RecordedDialect, ...turns: readonly unknown[]) {
  const { requests, ran } = await requestsOf(dialect, ...turns);
  const raw = turns.flatMap((turn, index) => {
    const items = writings[dialect].itemsOf(turn);
    return [...items, ...requests[index + 1]!.slice(requests[index]!.length + items.length)];
  });
  expect(checkConversation(dialect, [requests[0]![0], ...raw]), "as it came").not.toEqual([]);
  expect(checkConversation(dialect, requests.at(-1)!), "as it goes back").toEqual([]);
  return { ran };
}

function describeParts(dialect: RecordedDialect, rows: readonly Row[]): void {
  describe(`a turn of ${dialect} goes back so that it is taken`, () => {
    it.each(rows.map(([what, runs, ...parts]) => [what, runs, parts] as const))(
      "%s, %i runs",
      async (_, runs, parts) => {
        expect((await expectMended(dialect, writings[dialect].turn(parts))).ran).toHaveLength(runs);
      },
    );
  });
}

const use = { type: "tool_use", id: "a", name: "weather", input: oslo };
const { id: _id, ...useWithoutId } = use;
const { input: _input, ...useWithoutInput } = use;
describeParts("anthropic", [
  ["no id", 1, useWithoutId],
  ["an id of null", 1, { ...use, id: null }],
  ["an empty id", 1, { ...use, id: "" }],
  ["an id of other characters", 1, { ...use, id: "functions.weather:0" }],
  ["one id for two calls", 2, use, { ...use, input: { city: "Lima" } }],
  ["one call twice", 1, use, use],
  ["an id that looks as if it was made here", 2, { ...use, id: null }, { ...use, id: "call_1_0" }],
  ["no input", 0, useWithoutInput],
  ["an input of null", 0, { ...use, input: null }],
  ["an input that is text", 1, { ...use, input: text }],
  ["an input that is a list", 0, { ...use, input: [1] }],
  ["a name of null", 0, { ...use, name: null }],
]);

const item = { type: "function_call", call_id: "a", name: "weather", arguments: text };
const { call_id: _callId, ...itemWithoutId } = item;
const { arguments: _arguments, ...itemWithoutArguments } = item;
describeParts("openai-responses", [
  ["no call_id", 1, itemWithoutId],
  ["a call_id of null", 1, { ...item, call_id: null }],
  ["one call_id for two calls", 2, item, { ...item, arguments: '{"city":"Lima"}' }],
  ["one call twice", 1, item, item],
  ["arguments that came twice", 1, { ...item, call_id: null, arguments: text + text }],
  ["no arguments", 0, itemWithoutArguments],
  ["arguments of null", 0, { ...item, arguments: null }],
  ["arguments that are an object", 1, { ...item, arguments: oslo }],
  ["a name of null", 0, { ...item, name: null }],
]);

const called = (fields: object) => ({ function: { name: "weather", ...fields } });
describeParts("ollama", [
  ["no arguments", 0, called({})],
  ["arguments of null", 0, called({ arguments: null })],
  ["arguments that are a list", 0, called({ arguments: [1] })],
  ["arguments that are a number", 0, called({ arguments: 7 })],
  ["arguments that are true", 0, called({ arguments: true })],
  ["arguments that are text", 1, called({ arguments: text })],
  ["a name of null", 0, called({ name: null, arguments: oslo })],
  ["a call without its function", 0, { id: "a" }],
]);

const part = (fields: object) => ({ functionCall: { name: "weather", args: oslo, ...fields } });
describeParts("gemini", [
  ["a name of null", 0, part({ name: null })],
  ["no name", 0, { functionCall: { args: oslo } }],
  ["an empty id", 1, part({ id: "" })],
  ["an id that is a number", 1, part({ id: 7 })],
  ["an id that is too long", 1, part({ id: "x".repeat(600) })],
  ["function_call", 1, { function_call: { name: "weather", args: oslo }, thought_signature: "c2ln" }],
]);

const call = { id: "a", type: "function", function: { name: "weather", arguments: text } };
const { type: _type, ...callWithoutType } = call;
describeParts("openai", [
  ["no arguments", 0, { ...call, function: { name: "weather" } }],
  ["arguments of null", 0, { ...call, function: { name: "weather", arguments: null } }],
  ["arguments that are an object", 1, { ...call, function: { name: "weather", arguments: oslo } }],
  ["a name of null", 0, { ...call, function: { name: null, arguments: text } }],
  ["no type", 1, callWithoutType],
  ["a type of null", 1, { ...call, type: null }],
  ["a call without its function", 0, { id: "a", type: "function" }],
  ["null beside a call", 1, null, call],
  ["an id of null", 1, { ...call, id: null }],
  ["one id for two calls", 2, call, { ...call, function: { ...call.function, arguments: '{"city":"Lima"}' } }],
  ["one call twice", 1, call, call],
]);

describe("an id that an earlier turn had", () => {
  it.each<[RecordedDialect, object]>([
    ["anthropic", use],
    ["openai-responses", item],
  ])("%s: is another one when it goes back", async (dialect, given) => {
    const turn = writings[dialect].turn([given]);
    const { ran } = await expectMended(dialect, turn, turn, turn);
    expect(ran).toEqual([oslo, oslo, oslo]);
  });
});

describe("a message without its role", () => {
  it.each<[RecordedDialect, unknown]>([
    ["openai", completion({ content: null, tool_calls: [call] })],
    ["gemini", candidate({ parts: [part({})] })],
    ["ollama", { message: { content: "", tool_calls: [called({ arguments: oslo })] }, done: true }],
  ])("%s: goes back with it, its call having run", async (dialect, turn) => {
    expect((await expectMended(dialect, turn)).ran).toEqual([oslo]);
  });
});

describe("a call of OpenAI in the old way", () => {
  const old = (fields: object, more: object = {}) =>
    completion({ role: "assistant", content: null, function_call: { name: "weather", ...fields }, ...more });

  it("is answered by a message of the role function", async () => {
    const { requests, ran } = await requestsOf("openai", old({ arguments: text }));
    expect(requests[1]!.slice(2)).toMatchObject([{ role: "function", name: "weather" }]);
    expect(checkConversation("openai", requests[1]!)).toEqual([]);
    expect(ran).toEqual([oslo]);
  });

  it.each([
    ["no arguments", old({})],
    ["arguments that are an object", old({ arguments: oslo })],
    ["a name of null", old({ name: null, arguments: text })],
    ["an empty list of the new ones beside it", old({ arguments: text }, { tool_calls: [] })],
    ["a call in the new way beside it", old({ arguments: text }, { tool_calls: [call] })],
  ])("%s: goes back so that it is taken", async (_, turn) => {
    await expectMended("openai", turn);
  });
});

it("OpenAI's list of calls that holds null alone is none, and the turn does not go back", async () => {
  const model = scriptedModel([writings.openai.turn([null]), writings.openai.answer]);
  const agent = createAgent({ model });
  expect(await agent.chat("One")).toMatchObject({ text: "", toolCalls: [], finishReason: "stop" });
  await agent.chat("Two");
  expect(model.requests[1]!.messages).toHaveLength(2);
});

describe("arguments that are nested too deeply", () => {
  const deep = JSON.parse('{"a":'.repeat(70) + "1" + "}".repeat(70)) as object;
  it.each<[RecordedDialect, readonly unknown[]]>([
    [
      "anthropic",
      [
        { ...use, input: deep },
        { ...use, id: "b" },
      ],
    ],
    ["gemini", [part({ args: deep }), part({})]],
    ["ollama", [called({ arguments: deep }), called({ arguments: oslo })]],
    [
      "openai",
      [
        { ...call, function: { name: "weather", arguments: JSON.stringify(deep) } },
        { ...call, id: "b" },
      ],
    ],
  ])("%s: are an error of that call alone", async (dialect, parts) => {
    const { requests, ran } = await requestsOf(dialect, writings[dialect].turn(parts));
    expect(ran).toEqual([oslo]);
    expect(JSON.stringify(requests[1])).toContain("nested over 64 levels");
    expect(checkConversation(dialect, requests[1]!)).toEqual([]);
  });
});
