import { describe, expect, it } from "vitest";
import { appOf, post } from "../app-in-memory.ts";
import { codes, type Result } from "./call-results.ts";

const mebi = 1_048_576;
const parameters = { type: "object" as const };
// Quotes are the worst there is: each is two characters as JSON, and four as text inside JSON.
const large = {
  name: "large",
  parameters,
  resultBytes: 80 * mebi,
  response: {},
  execute: () => ['"'.repeat(15 * mebi)],
};
const small = { name: "small", parameters, response: {}, execute: () => "small" };

describe("results of a reply that are too large together", () => {
  it.each(["openai", "openai-responses", "anthropic", "gemini", "ollama", "mcp"])(
    "leave the messages of %s to the others",
    async (format) => {
      const { app } = appOf([large, small]);
      const names = ["large", "large", "large", "small"];
      const { status, body } = await post(app, `/calls?format=${format}&echo=true`, replyOf(format, names));
      expect(status).toBe(200);
      const { results, messages } = body as unknown as { results: Result[]; messages: unknown[] };
      expect(codes(results)).toEqual(["ok", "ok", "result_too_large", "ok"]);
      expect(JSON.stringify(messages.slice(-3)).length).toBeGreaterThan(60 * mebi);
    },
    20_000,
  );
});

it("a tool that may return any size is bounded all the same", async () => {
  const half = "x".repeat(200 * mebi);
  const { app } = appOf([{ ...large, resultBytes: 1e12, execute: () => [half, half, half] }]);
  const { status, body } = await post(app, "/tools/large/invoke", "{}");
  expect({ status, code: body.error?.code }).toEqual({ status: 200, code: "result_too_large" });
});

function replyOf(format: string, names: readonly string[]): string {
  const calls = names.map((name, index) => ({ name, id: `c${index}` }));
  const replies: Record<string, unknown> = {
    openai: {
      role: "assistant",
      tool_calls: calls.map(({ name, id }) => ({ id, type: "function", function: { name, arguments: "{}" } })),
    },
    "openai-responses": calls.map(({ name, id }) => ({ type: "function_call", call_id: id, name, arguments: "{}" })),
    anthropic: {
      role: "assistant",
      content: calls.map(({ name, id }) => ({ type: "tool_use", id, name, input: {} })),
    },
    gemini: { role: "model", parts: calls.map(({ name }) => ({ functionCall: { name, args: {} } })) },
    ollama: { role: "assistant", tool_calls: calls.map(({ name }) => ({ function: { name, arguments: {} } })) },
    mcp: calls.map(({ name }) => ({ name, arguments: {} })),
  };
  return JSON.stringify(replies[format]);
}
