import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DialectName } from "../../src/dialects/dialects.ts";
import { objectsIn } from "../providers/conversation.ts";
import { ask } from "./reply-answer.ts";
import { runs } from "../runs.ts";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

type Format = Exclude<DialectName, "mcp">;

/** A reply with the calls, as each provider writes it. */
const replies: Readonly<Record<Format, (calls: readonly Call[]) => unknown>> = {
  openai: (calls) => ({
    role: "assistant",
    content: null,
    tool_calls: calls.map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    })),
  }),
  "openai-responses": (calls) =>
    calls.map(({ id, name, args }) => ({ type: "function_call", call_id: id, name, arguments: JSON.stringify(args) })),
  anthropic: (calls) => ({
    role: "assistant",
    content: calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
  }),
  gemini: (calls) => ({
    role: "model",
    parts: calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } })),
  }),
  ollama: (calls) => ({
    role: "assistant",
    content: "",
    tool_calls: calls.map(({ id, name, args }) => ({ id, function: { name, arguments: args } })),
  }),
};

/** How many results go back: those that are paired by ids are one an id, those that go by the order one a call. */
const resultCounts: Readonly<Record<Format, (messages: readonly Record<string, unknown>[]) => number>> = {
  openai: (messages) => messages.length,
  "openai-responses": (messages) => messages.length,
  anthropic: ([message]) => objectsIn(message?.["content"]).length,
  gemini: ([message]) => objectsIn(message?.["parts"]).length,
  ollama: (messages) => messages.length,
};
const pairsById: ReadonlySet<string> = new Set(["openai", "openai-responses", "anthropic"]);
const formats = Object.keys(replies) as Format[];

function counting() {
  const runs: unknown[] = [];
  const execute = (args: unknown) => runs.push(args);
  return { runs, tools: ["f", "g"].map((name) => ({ name, parameters: { type: "object" }, execute })) };
}

describe("a call that a reply makes twice", () => {
  const call: Call = { id: "c1", name: "f", args: { a: 1, b: [2] } };

  it.each(formats)("runs once in %s, with a warning, and has as many results as the provider wants", async (format) => {
    const { runs, tools } = counting();
    const other = { ...call, args: { b: [2], a: 1 } };
    const { results, messages, warnings } = await ask(format, replies[format]([call, other]), { tools });
    expect(runs).toEqual([{ a: 1, b: [2] }]);
    expect(results).toMatchObject([{ id: "c1", name: "f", status: "ok" }]);
    expect(resultCounts[format](messages)).toBe(pairsById.has(format) ? 1 : 2);
    expect(warnings).toEqual([{ call: 1, message: expect.stringContaining("run once") as string }]);
  });

  it.each(formats)("is two calls in %s if the tool or the arguments differ, or there is no id", async (format) => {
    for (const other of [
      { ...call, name: "g" },
      { ...call, args: { a: 2 } },
    ]) {
      const { runs, tools } = counting();
      const { results, messages } = await ask(format, replies[format]([call, other]), { tools });
      expect(runs).toHaveLength(2);
      expect(results).toHaveLength(2);
      expect(resultCounts[format](messages)).toBe(2);
    }
    const { runs, tools } = counting();
    const nameless = { ...call, id: "" };
    await ask(format, replies[format]([nameless, nameless]), { tools });
    expect(runs).toHaveLength(2);
  });

  it("is run as often as it differs, and no more, among any calls", async () => {
    const calls = fc.array(
      fc.record<Call>({
        id: fc.constantFrom("a", "b"),
        name: fc.constantFrom("f", "g"),
        args: fc.record({ n: fc.nat({ max: 2 }) }),
      }),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...formats), calls, async (format, made) => {
        const { runs, tools } = counting();
        const { results } = await ask(format, replies[format](made), { tools });
        const kinds = new Set(made.map((one) => JSON.stringify(one)));
        expect(runs).toHaveLength(kinds.size);
        expect(results.map(({ id, name, result }) => ({ id, name, isRun: typeof result === "number" }))).toEqual(
          [...kinds].map((kind) => {
            const { id, name } = JSON.parse(kind) as Call;
            return { id, name, isRun: true };
          }),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  it("that cannot be read has one error", async () => {
    const broken = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":' } };
    const { results, messages } = await ask("openai", { role: "assistant", tool_calls: [broken, broken] }, counting());
    expect(results).toMatchObject([{ id: "c1", status: "error", error: { code: "invalid_arguments" } }]);
    expect(messages).toHaveLength(1);
  });
});
