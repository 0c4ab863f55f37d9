import { describe, expect, it } from "vitest";
import { StreamError } from "../../../src/dialects/streaming/accumulator.ts";
import { createOllamaAccumulator } from "../../../src/dialects/ollama/stream.ts";
import { cutOllama } from "../../providers/stream/ollama.ts";
import { recordedNames, recordedTurn } from "../recorded/recorded-turn.ts";

/** Puts lines together: the pieces of text that it told of, and the whole. */
function gather(...lines: unknown[]) {
  const accumulator = createOllamaAccumulator();
  const texts = lines.map((line) => accumulator.add(line));
  return { texts, reply: accumulator.end() };
}

const said = (message: object) => ({ model: "m", message: { role: "assistant", ...message }, done: false });
const done = {
  model: "m",
  message: { role: "assistant", content: "" },
  done: true,
  done_reason: "stop",
  eval_count: 3,
};
const call = (name: string, more = {}) => ({ function: { name, arguments: {} }, ...more });

describe("a stream of Ollama", () => {
  it.each(recordedNames("ollama"))("is the same reply as without a stream: %s", (name) => {
    const turn = recordedTurn("ollama", name);
    const lines = cutOllama(turn).map((line) => JSON.parse(line) as unknown);
    expect(gather(...lines).reply).toEqual(turn);
  });

  it("tells of text as it comes, and of no thoughts", () => {
    const { texts, reply } = gather(
      said({ content: "", thinking: "Hm" }),
      said({ content: "", thinking: "m." }),
      said({ content: "It " }),
      said({ content: "is." }),
      done,
    );
    expect(texts).toEqual(["", "", "It ", "is.", ""]);
    expect(reply).toEqual({ ...done, message: { role: "assistant", content: "It is.", thinking: "Hmm." } });
  });

  it("takes calls of several lines, with ids and without, and the same call twice", () => {
    const { reply } = gather(
      said({ content: "", tool_calls: [call("now", { id: "call_1" })] }),
      said({ content: "", tool_calls: [call("now"), call("now")] }),
      { ...done, message: { role: "assistant", content: "", tool_calls: [call("then")] } },
    );
    expect(reply).toMatchObject({
      message: { content: "", tool_calls: [call("now", { id: "call_1" }), call("now"), call("now"), call("then")] },
    });
  });

  it("loses nothing by a null, nor by a field that is new to it", () => {
    const { reply } = gather(
      { ...said({ content: "a", tool_calls: [call("now")], extra: 1 }), logprobs: [{ token: "a" }], remark: "x" },
      { ...said({ content: null, thinking: null, tool_calls: null }), logprobs: [{ token: "b" }] },
      { ...done, message: undefined },
    );
    expect(reply).toEqual({
      ...done,
      message: { role: "assistant", content: "a", thinking: null, tool_calls: [call("now")], extra: 1 },
      logprobs: [{ token: "a" }, { token: "b" }],
      remark: "x",
    });
  });

  it("loses no call that has no list around it, and no reason to end by an empty one", () => {
    const lines = [said({ content: "", tool_calls: call("f") }), { ...done, done_reason: "length" }];
    const { reply } = gather(...lines, { done: true, done_reason: "" });
    expect(reply).toMatchObject({ done_reason: "length", message: { tool_calls: [call("f")] } });
  });

  it("fails where the provider reports an error in the middle", () => {
    const accumulator = createOllamaAccumulator();
    accumulator.add(said({ content: "a" }));
    const add = () => accumulator.add({ error: "error parsing tool call: raw='{'" });
    expect(add).toThrow(StreamError);
    expect(add).toThrow("error parsing tool call: raw='{'");
    expect(() => accumulator.add({ error: { code: 7 } })).toThrow('{"code":7}');
  });

  it("fails where it ends before the reply did", () => {
    expect(() => gather()).toThrow(StreamError);
    expect(() => gather(said({ content: "a" }), 7, null, "b")).toThrow(
      "The stream ended before the reply was complete.",
    );
  });
});
