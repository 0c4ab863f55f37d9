import { describe, expect, it } from "vitest";
import { ollamaProvider } from "../../../src/agent/providers/ollama.ts";
import { said } from "./said.ts";
import { noUsage } from "../../../src/agent/providers/provider.ts";
import { recordedTurn } from "../../dialects/recorded/recorded-turn.ts";

const { read, userItem } = ollamaProvider;
const usage = { inputTokens: 84, outputTokens: 31 };

describe("what a reply of Ollama says", () => {
  it.each([
    ["text", { text: "It is 4 degrees in Oslo.", finish: "stop", usage }],
    ["thinking-and-call", { text: "", finish: "stop", usage }],
    ["truncated", { text: "Let me loo", finish: "length", usage }],
  ])("%s", (name, said) => {
    expect(read(recordedTurn("ollama", name))).toEqual(said);
  });

  it("is an error where the server says so", () => {
    expect(read({ error: "out of memory" })).toEqual({ text: "", finish: "error", usage: noUsage });
  });

  it.each([[undefined], [null], ["a"], [[]], [{}], [{ message: 7 }], [{ message: { content: null } }]])(
    "is nothing in %j",
    (reply) => {
      expect(read(reply)).toEqual({ text: "", finish: "stop", usage: noUsage });
    },
  );

  it("has the counts that are there", () => {
    expect(read({ eval_count: 5, prompt_eval_count: "7" }).usage).toEqual({ inputTokens: 0, outputTokens: 5 });
  });
});

it("what the user says is a message", () => {
  expect(userItem("Hello.")).toEqual({ role: "user", content: "Hello." });
});
