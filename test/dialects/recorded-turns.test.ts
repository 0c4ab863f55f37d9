import { describe, expect, it } from "vitest";
import { checkConversation } from "../providers/check-conversation.ts";
import { type RecordedDialect, recordedNames, recordedText } from "./recorded/recorded-turn.ts";
import { ask, type ReplyAnswer } from "./reply-answer.ts";

const tools = [
  {
    name: "weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    execute: ({ city }: Record<string, unknown>) => ({ city, temperature: 4 }),
  },
  { name: "now", execute: () => "noon" },
];

const questions: Readonly<Record<RecordedDialect, unknown>> = {
  openai: { role: "user", content: "Weather?" },
  "openai-responses": { role: "user", content: "Weather?" },
  anthropic: { role: "user", content: "Weather?" },
  gemini: { role: "user", parts: [{ text: "Weather?" }] },
  ollama: { role: "user", content: "Weather?" },
};

/** What a turn comes to, in short: `ok` or the code of each result, and how the loop goes on. */
function fateOf({ results, done, resume }: ReplyAnswer): string {
  const next = done ? "done" : resume === true ? "resume" : "answered";
  return [...results.map(({ error }) => error?.code ?? "ok"), next].join(" ");
}

/** Turns that come to something else than results of calls that ran. */
const fates: Readonly<Record<RecordedDialect, Readonly<Record<string, string>>>> = {
  openai: {
    text: "done",
    truncated: "invalid_arguments invalid_arguments answered",
    "custom-call": "unknown_tool answered",
  },
  "openai-responses": {
    text: "done",
    "server-tools": "done",
    truncated: "invalid_arguments answered",
    "custom-call": "unknown_tool answered",
  },
  anthropic: {
    text: "done",
    "server-tools": "done",
    "tool-use-without-calls": "done",
    pause: "resume",
    truncated: "invalid_arguments answered",
  },
  gemini: {
    text: "done",
    "text-and-empty-signed-part": "done",
    "server-tools": "done",
    blocked: "done",
    malformed: "resume",
    truncated: "invalid_arguments answered",
  },
  ollama: { text: "done", truncated: "done" },
};

describe.each(Object.keys(questions) as RecordedDialect[])("a recorded turn of %s", (dialect) => {
  it.each(recordedNames(dialect))("%s is answered so that the provider goes on", async (name) => {
    const text = recordedText(dialect, name);
    const answer = await ask(dialect, text, { tools, query: "&echo=true" });
    const breaches = checkConversation(dialect, [questions[dialect], ...answer.messages], [JSON.parse(text)]);
    // What came in a form that the provider does not take back is echoed all the same, and warned of.
    const isWarned = name === "arguments-as-text";
    expect(breaches.map(({ rule }) => rule)).toEqual(isWarned ? ["arguments"] : []);
    if (isWarned) expect(answer.warnings).toHaveLength(1);
    expect(fateOf(answer)).toMatch(fates[dialect][name] ?? /^(?:ok )+answered$/);
  });
});
