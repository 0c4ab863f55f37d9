import { describe, expect, it } from "vitest";
import { appOf, post } from "../app-in-memory.ts";

const call = { name: "tool", arguments: "{}" };
const replies: [string, unknown][] = [
  ["openai", { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: call }] }],
  ["openai", { role: "assistant", content: null, tool_calls: { id: "a", type: "function", function: call } }],
  ["openai", { role: "assistant", content: null, function_call: call }],
  ["openai", { choices: [{ message: { role: "assistant" } }] }],
  ["openai-responses", { object: "response", output: [] }],
  ["openai-responses", [{ type: "function_call", call_id: "a", ...call }]],
  ["anthropic", { role: "assistant", content: [{ type: "tool_use", id: "a", name: "tool", input: {} }] }],
  ["gemini", { candidates: [] }],
  ["gemini", { role: "model", parts: [{ functionCall: { name: "tool" } }] }],
  ["ollama", { message: { role: "assistant", content: "" } }],
  ["ollama", { role: "assistant", tool_calls: [{ function: { name: "tool", arguments: {} } }] }],
  ["ollama", { role: "assistant", tool_calls: { function: { name: "tool", arguments: {} } } }],
];

async function messageOf(query: string, body: unknown): Promise<string> {
  const answer = await post(appOf([{}]).app, `/calls${query}`, JSON.stringify(body));
  expect(answer.status).toBe(400);
  return answer.body.error?.message ?? "";
}

describe("a reply that was sent to the wrong place", () => {
  it.each(replies)("without a format is named as one of %s", async (format, body) => {
    expect(await messageOf("", body)).toContain(
      `This looks like a reply of ${format}: send it with ?format=${format}.`,
    );
  });

  it("with the format of another provider is named too", async () => {
    expect(await messageOf("?format=openai", replies.find(([format]) => format === "gemini")![1])).toContain(
      "send it with ?format=gemini",
    );
    expect(await messageOf("?format=gemini", replies[0]![1])).toContain("send it with ?format=openai");
  });

  it("is not guessed where it looks like none", async () => {
    for (const body of [
      {},
      [],
      "text",
      { role: "user" },
      { role: "assistant", tool_calls: {} },
      { name: "tool", arguments: {} },
    ]) {
      expect(await messageOf("", body)).not.toContain("looks like");
    }
  });
});
