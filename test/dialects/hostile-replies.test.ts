import { expect, it } from "vitest";
import { dialectNames } from "../../src/dialects/dialects.ts";
import { appOf } from "../http/app-in-memory.ts";
import { fixturesOf } from "./fixtures.ts";
import { runs } from "../runs.ts";
import { weatherTools } from "./reply-answer.ts";

const functionOf = (args: unknown) => ({
  id: "a",
  type: "function",
  function: { name: "get_weather", arguments: args },
});
const place = { location: "Oslo" };

/** Replies with more places than those of the fixtures. */
const replies: Readonly<Record<string, unknown>> = {
  openai: {
    choices: [
      {
        message: { role: "assistant", content: "x", tool_calls: [functionOf('{"location":"Oslo"}'), functionOf("")] },
        finish_reason: "stop",
      },
    ],
  },
  "openai-responses": {
    status: "completed",
    output: [
      { type: "reasoning", summary: [] },
      { type: "function_call", call_id: "a", name: "now", arguments: "{}", caller: { type: "direct" } },
      { type: "custom_tool_call", call_id: "b", name: "x", input: "y" },
    ],
  },
  anthropic: {
    type: "message",
    role: "assistant",
    content: [
      { type: "text", text: "x" },
      { type: "tool_use", id: "a", name: "get_weather", input: place },
      { type: "tool_use", id: "b", name: "now", input: {} },
    ],
    stop_reason: "tool_use",
  },
  gemini: {
    candidates: [
      {
        content: {
          role: "model",
          parts: [{ functionCall: { name: "get_weather", args: place } }, { functionCall: { name: "now", id: "b" } }],
        },
        finishReason: "STOP",
      },
    ],
  },
  ollama: {
    message: {
      role: "assistant",
      content: "",
      tool_calls: [{ function: { name: "get_weather", arguments: place } }, functionOf({})],
    },
    done: true,
  },
  mcp: [{ name: "get_weather", arguments: place }, { name: "now" }],
};

const odd: readonly string[] = [
  "null",
  "true",
  "0",
  "1e999",
  "9007199254740993",
  '""',
  '"x"',
  "[]",
  "{}",
  "[null]",
  '{"a":1,"a":2}',
  '{"__proto__":1}',
  '"parallel"',
  '"{\\"tool_uses\\":[1,{\\"recipient_name\\":\\"now\\"}]}"',
];

/** Equal at every run. */
function createDice(): (sides: number) => number {
  let state = 7;
  return (sides) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % sides;
  };
}

/** The document's text with some of its values replaced. */
function spoil(value: unknown, roll: (sides: number) => number): string {
  if (roll(12) === 0) return odd[roll(odd.length)]!;
  if (Array.isArray(value)) return `[${value.map((item) => spoil(item, roll)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)} : ${spoil(member, roll)}`);
  return `{${members.join(",")}}`;
}

it.each(dialectNames)("whatever is spoiled in a reply of %s, it is answered or refused as a whole", async (format) => {
  const { app } = appOf(weatherTools);
  const reply = replies[format] ?? fixturesOf(format).reply([{ id: "a", name: "get_weather", args: place }]);
  const roll = createDice();
  const statuses = new Set<number>();
  for (let round = 0; round < runs(1500, 75); round++) {
    const body = spoil(reply, roll);
    const headers = { "content-type": "application/json" };
    const response = await app.request(`/calls?format=${format}&echo=true`, { method: "POST", headers, body });
    const answer = (await response.json()) as {
      results?: { error?: { code: string } }[];
      messages?: object[];
      done?: boolean;
    };
    statuses.add(response.status);
    if (response.status === 400) continue;
    expect(response.status, body).toBe(200);
    expect(
      answer.messages!.every((message) => typeof message === "object"),
      body,
    ).toBe(true);
    expect(
      answer.results!.map(({ error }) => error?.code),
      body,
    ).not.toContain("internal");
  }
  expect(statuses).toEqual(new Set([200, 400]));
});
