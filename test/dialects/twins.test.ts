import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FixtureCall, fixturesOf, dialectsWithText } from "./fixtures.ts";
import { ask } from "./reply-answer.ts";
import { runs } from "../runs.ts";

function counting() {
  const runs: unknown[] = [];
  const execute = (args: unknown) => runs.push(args);
  return { runs, tools: ["f", "g"].map((name) => ({ name, parameters: { type: "object" }, execute })) };
}

describe("a call that a reply makes twice", () => {
  const call: FixtureCall = { id: "c1", name: "f", args: { a: 1, b: [2] } };

  it.each(dialectsWithText)(
    "runs once in %s, with a warning, and has as many results as the provider wants",
    async (format) => {
      const { runs, tools } = counting();
      const other = { ...call, args: { b: [2], a: 1 } };
      const { results, messages, warnings } = await ask(format, fixturesOf(format).reply([call, other]), { tools });
      expect(runs).toEqual([{ a: 1, b: [2] }]);
      expect(results).toMatchObject([{ id: "c1", name: "f", status: "ok" }]);
      expect(fixturesOf(format).resultsIn(messages)).toBe(fixturesOf(format).pairsById ? 1 : 2);
      expect(warnings).toEqual([{ call: 1, message: expect.stringContaining("run once") as string }]);
    },
  );

  it.each(dialectsWithText)(
    "is two calls in %s if the tool or the arguments differ, or there is no id",
    async (format) => {
      for (const other of [
        { ...call, name: "g" },
        { ...call, args: { a: 2 } },
      ]) {
        const { runs, tools } = counting();
        const { results, messages } = await ask(format, fixturesOf(format).reply([call, other]), { tools });
        expect(runs).toHaveLength(2);
        expect(results).toHaveLength(2);
        expect(fixturesOf(format).resultsIn(messages)).toBe(2);
      }
      const { runs, tools } = counting();
      const nameless = { ...call, id: "" };
      await ask(format, fixturesOf(format).reply([nameless, nameless]), { tools });
      expect(runs).toHaveLength(2);
    },
  );

  it("is run as often as it differs, and no more, among any calls", async () => {
    const calls = fc.array(
      fc.record<FixtureCall>({
        id: fc.constantFrom("a", "b"),
        name: fc.constantFrom("f", "g"),
        args: fc.record({ n: fc.nat({ max: 2 }) }),
      }),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...dialectsWithText), calls, async (format, made) => {
        const { runs, tools } = counting();
        const { results } = await ask(format, fixturesOf(format).reply(made), { tools });
        const kinds = new Set(made.map((one) => JSON.stringify(one)));
        expect(runs).toHaveLength(kinds.size);
        expect(results.map(({ id, name, result }) => ({ id, name, isRun: typeof result === "number" }))).toEqual(
          [...kinds].map((kind) => {
            const { id, name } = JSON.parse(kind) as FixtureCall;
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
