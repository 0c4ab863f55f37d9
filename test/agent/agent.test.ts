import { describe, expect, it, vi } from "vitest";
import { type Agent, createAgent } from "../../src/agent/agent.ts";
import type { Model } from "../../src/agent/models/model.ts";
import { hasToolCalls, isToolResult, type ToolCall } from "../../src/agent/types.ts";
import { defineTool, type Tool } from "../../src/tool/tool.ts";
import { createRegistry } from "../../src/create-registry.ts";
import { calls, says, scriptedModel } from "./scripted-model.ts";

const double = defineTool({
  name: "double",
  description: "Doubles a number.",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: ({ n }) => Number(n) * 2,
});
const failing: Tool = {
  name: "failing",
  description: "Fails.",
  parameters: { type: "object" },
  execute() {
    throw Object.assign(new Error("The upstream is down."), { name: "ToolError" });
  },
};

async function piecesOf(stream: AsyncIterable<string>): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

/** What a request holds behind the question. */
function sent(model: ReturnType<typeof scriptedModel>, request: number): unknown[] {
  return model.requests[request]!.messages.slice(1);
}

describe("chat", () => {
  it("answers at once where the model calls nothing", async () => {
    const model = scriptedModel([says("Hello.")]);
    const agent = createAgent({ model });
    expect(await agent.chat("Hi")).toEqual({
      text: "Hello.",
      toolCalls: [],
      finishReason: "stop",
      rounds: 1,
      usage: { inputTokens: 10, outputTokens: 2 },
      warnings: [],
    });
    expect(model.requests[0]).toMatchObject({ tools: [], toolChoice: {}, system: undefined });
  });

  it("tells what each call came to, and nothing of calls that were not run", async () => {
    const made = calls(["a", "double", { n: 2 }], ["b", "failing", {}], ["c", "nobody", {}]);
    const model = scriptedModel([made, calls(["d", "double", { n: 3 }])]);
    const agent = createAgent({ model, tools: [double, failing], maxRounds: 2 });
    const { toolCalls, finishReason } = await agent.chat("Go");
    expect(toolCalls.map(({ id, outcome }) => ({ id, outcome }))).toMatchObject([
      { id: "a", outcome: { status: "ok", result: 4 } },
      { id: "b", outcome: { status: "error", error: { code: "tool_failed", message: "The upstream is down." } } },
      { id: "c", outcome: { status: "error", error: { code: "unknown_tool" } } },
      { id: "d", outcome: undefined },
    ]);
    expect(finishReason).toBe("tool_calls");
    expect(JSON.stringify(agent.messages)).not.toContain("outcome");
  });

  it("runs a call once that the model makes twice, and says so", async () => {
    let runs = 0;
    const counted = defineTool({ ...double, execute: () => ++runs });
    const model = scriptedModel([calls(["a", "double", '{"n":2}'], ["a", "double", '{ "n": 2 }']), says("Done.")]);
    const { toolCalls, warnings } = await createAgent({ model, tools: [counted] }).chat("Go");
    expect({ runs, ids: toolCalls.map(({ id }) => id) }).toEqual({ runs: 1, ids: ["a"] });
    expect(warnings).toEqual([expect.stringContaining("run once")]);
    expect(sent(model, 1)).toMatchObject([{ tool_calls: [{ id: "a" }] }, { role: "tool", tool_call_id: "a" }]);
  });

  it("runs the calls of a turn side by side, and tells their results in the order of the calls", async () => {
    let running = 0;
    let most = 0;
    const slow: Tool = {
      name: "slow",
      description: "Waits.",
      parameters: { type: "object" },
      async execute({ ms }) {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, Number(ms)));
        running--;
        return ms;
      },
    };
    const model = scriptedModel([calls(["a", "slow", { ms: 40 }], ["b", "slow", { ms: 1 }]), says("Done.")]);
    const result = await createAgent({ model, tools: [slow] }).chat("Go");
    expect(most).toBe(2);
    expect(result).toMatchObject({ text: "Done.", rounds: 2, usage: { inputTokens: 20, outputTokens: 4 } });
    expect(result.toolCalls.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(sent(model, 1)).toEqual([
      (calls(["a", "slow", { ms: 40 }], ["b", "slow", { ms: 1 }]) as never as { choices: { message: object }[] })
        .choices[0]!.message,
      { role: "tool", tool_call_id: "a", content: "40" },
      { role: "tool", tool_call_id: "b", content: "1" },
    ]);
  });

  it("tells the model its own mistakes, and what failed, and goes on", async () => {
    const model = scriptedModel([
      calls(["a", "double", { n: "x" }], ["b", "dubble", {}], ["c", "double", "{broken"], ["d", "failing", {}]),
      calls(["e", "double", { n: 2 }]),
      says("4"),
    ]);
    const result = await createAgent({ model, tools: [double, failing], maxRounds: 4 }).chat("Double 2");
    expect(result.text).toBe("4");
    const errors = sent(model, 1)
      .slice(1)
      .map((message) => JSON.parse((message as { content: string }).content) as { error: { code: string } });
    expect(errors.map(({ error }) => error.code)).toEqual([
      "invalid_arguments",
      "unknown_tool",
      "invalid_arguments",
      "tool_failed",
    ]);
    expect(errors[1]).toMatchObject({ error: { suggestion: "double" } });
  });

  it("keeps the model from calling in its last round, so that a text comes", async () => {
    const model = scriptedModel([calls(["a", "double", { n: 1 }]), calls(["b", "double", { n: 2 }]), says("Enough.")]);
    const result = await createAgent({ model, tools: [double], maxRounds: 3 }).chat("Go");
    expect(model.requests.map(({ toolChoice }) => toolChoice["tool_choice"])).toEqual(["auto", "auto", "none"]);
    expect(result).toMatchObject({ text: "Enough.", rounds: 3, finishReason: "stop" });
  });

  it("runs nothing that is called in the last round all the same, and the conversation stays whole", async () => {
    const execute = vi.fn(() => 1);
    const model = scriptedModel([calls(["a", "double", { n: 1 }]), says("Then not.")]);
    const agent = createAgent({ model, tools: [{ ...double, execute }], maxRounds: 1 });
    expect(await agent.chat("Go")).toMatchObject({ finishReason: "tool_calls", text: "" });
    await agent.chat("And now?");
    expect(execute).not.toHaveBeenCalled();
    expect(sent(model, 1)).toMatchObject([
      { role: "assistant" },
      { role: "tool", tool_call_id: "a", content: expect.stringContaining("cancelled") },
      { role: "user", content: "And now?" },
    ]);
  });

  it("forces a choice once", async () => {
    const model = scriptedModel([
      calls(["a", "double", { n: 1 }]),
      says("2"),
      calls(["b", "double", { n: 1 }]),
      says("2"),
    ]);
    const agent = createAgent({ model, tools: [double], toolChoice: "required" });
    await agent.chat("One");
    await agent.chat("Two", { toolChoice: { tool: "double" } });
    expect(model.requests.map(({ toolChoice }) => toolChoice["tool_choice"])).toEqual([
      "required",
      "auto",
      { type: "function", function: { name: "double" } },
      "auto",
    ]);
  });

  it("forces nothing where the conversation only goes on, unless that is asked for", async () => {
    const model = scriptedModel([calls(["a", "double", { n: 1 }]), says("2"), calls(["b", "double", { n: 1 }])]);
    const agent = createAgent({ model, tools: [double], toolChoice: "required" });
    await agent.chatWithTools("One");
    await agent.chatWithTools();
    await agent.chatWithTools(undefined, { toolChoice: "required" });
    expect(model.requests.map(({ toolChoice }) => toolChoice["tool_choice"])).toEqual(["required", "auto", "required"]);
  });

  it("says where maxRounds leaves no room for a choice", async () => {
    const agent = createAgent({ model: scriptedModel([says("No.")]), tools: [double], maxRounds: 1 });
    const { warnings } = await agent.chat("Go", { toolChoice: "required" });
    expect(warnings.join()).toContain("maxRounds");
  });

  it("never lets go of a choice to call nothing", async () => {
    const model = scriptedModel([calls(["a", "double", { n: 1 }]), says("No tools.")]);
    await createAgent({ model, tools: [double], toolChoice: "none" }).chat("One");
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([
      { tool_choice: "none" },
      { tool_choice: "none" },
    ]);
  });

  it("refuses a choice of a tool that is not there", async () => {
    const agent = createAgent({ model: scriptedModel([]), tools: [double] });
    await expect(agent.chat("x", { toolChoice: { tool: "triple" } })).rejects.toThrow("triple");
    expect(agent.messages).toEqual([]);
  });

  it("decides on the calls, not on what the turn says to have ended for", async () => {
    const stopped = says(null, {
      tool_calls: [{ id: "a", type: "function", function: { name: "double", arguments: '{"n":1}' } }],
    });
    const idle = says("I would call a tool.", {}, "tool_calls");
    const model = scriptedModel([stopped, idle]);
    expect(await createAgent({ model, tools: [double] }).chat("Go")).toMatchObject({ rounds: 2, finishReason: "stop" });
  });

  it("runs nothing of a turn that was cut off, and says so to the model", async () => {
    const execute = vi.fn(() => 1);
    const cut = calls(["a", "double", '{"n":1}']) as { choices: { finish_reason: string }[] };
    cut.choices[0]!.finish_reason = "length";
    const model = scriptedModel([cut, says("Shorter.")]);
    const result = await createAgent({ model, tools: [{ ...double, execute }] }).chat("Go");
    expect(execute).not.toHaveBeenCalled();
    expect(sent(model, 1)[1]).toMatchObject({ content: expect.stringContaining("cut off") });
    expect(result.warnings.join()).toContain("cut off");
  });

  it("tells of a text that was cut off", async () => {
    const model = scriptedModel([says("Once upon", {}, "length")]);
    expect(await createAgent({ model }).chat("Tell")).toMatchObject({ text: "Once upon", finishReason: "length" });
  });

  it("takes back a text that the model was never told, so that it can be said again", async () => {
    const model = scriptedModel([new Error("429"), says("Hello.")]);
    const agent = createAgent({ model, system: "Be kind." });
    await expect(agent.chat("Hi")).rejects.toThrow("429");
    expect(agent.messages).toEqual([{ role: "system", content: "Be kind.", raw: "Be kind." }]);
    await agent.chat("Hi");
    expect(model.requests[1]!.messages).toEqual([{ role: "user", content: "Hi" }]);
  });

  it("keeps what was called where a later request fails, and goes on from there", async () => {
    const model = scriptedModel([calls(["a", "double", { n: 1 }]), new Error("503"), says("2")]);
    const agent = createAgent({ model, tools: [double] });
    await expect(agent.chat("Go")).rejects.toThrow("503");
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(await agent.chat()).toMatchObject({ text: "2" });
    expect(model.requests[2]!.messages).toEqual(model.requests[1]!.messages);
  });

  it("is one at a time", async () => {
    const agent = createAgent({ model: scriptedModel([says("One.")]) });
    const first = agent.chat("1");
    await expect(agent.chat("2")).rejects.toThrow("already in progress");
    expect(() => agent.reset()).toThrow("already in progress");
    expect((await first).text).toBe("One.");
  });

  it("ends on its signal: the tool is stopped, and the conversation stays whole", async () => {
    const leave = new AbortController();
    let stopped = false;
    const endless: Tool = {
      name: "endless",
      description: "Never ends.",
      parameters: { type: "object" },
      execute: (_args, { signal }) => {
        signal.addEventListener("abort", () => (stopped = true));
        setTimeout(() => leave.abort(new Error("enough")), 10);
        return new Promise(() => {});
      },
    };
    const model = scriptedModel([calls(["a", "endless", {}]), says("Back.")]);
    const agent = createAgent({ model, tools: [endless] });
    await expect(agent.chat("Go", { signal: leave.signal })).rejects.toThrow("enough");
    expect(stopped).toBe(true);
    await agent.chat("Hello?");
    expect(sent(model, 1)).toMatchObject([
      { role: "assistant" },
      { role: "tool", tool_call_id: "a", content: expect.stringContaining("cancelled") },
      { role: "user", content: "Hello?" },
    ]);
  });

  it("needs a text where nothing was said yet", async () => {
    await expect(createAgent({ model: scriptedModel([]) }).chat()).rejects.toThrow("pass a text to chat");
  });

  it("asks nothing where its signal is aborted already", async () => {
    const model = scriptedModel([]);
    const agent = createAgent({ model, signal: AbortSignal.abort(new Error("over")) });
    await expect(agent.chat("Go")).rejects.toThrow("over");
    expect(model.requests).toEqual([]);
  });

  it("forgets at a reset", async () => {
    const model = scriptedModel([says("One."), says("Two.")]);
    const agent = createAgent({ model });
    await agent.chat("1");
    agent.reset();
    await agent.chat("2");
    expect(model.requests[1]!.messages).toEqual([{ role: "user", content: "2" }]);
  });

  it.each([0, 1.5, NaN, "3"])("takes no maxRounds of %s", (maxRounds) => {
    expect(() => createAgent({ model: scriptedModel([]), maxRounds: maxRounds as number })).toThrow("maxRounds");
  });
});

describe("calls by hand", () => {
  const model = () => scriptedModel([calls(["a", "double", { n: 1 }], ["b", "double", { n: 2 }]), says("Done.")]);

  it("gives the turn's text and calls, and runs nothing", async () => {
    const agent = createAgent({ model: model(), tools: [double] });
    const turn = await agent.chatWithTools("Go");
    expect(hasToolCalls(turn)).toBe(true);
    expect(turn).toMatchObject({ text: "", finishReason: "tool_calls" });
    expect(turn.toolCalls).toEqual([
      { id: "a", type: "function", function: { name: "double", arguments: '{"n":1}' } },
      { id: "b", type: "function", function: { name: "double", arguments: '{"n":2}' } },
    ]);
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("runs one call, and answers those that nobody ran with an error", async () => {
    const asked = model();
    const agent = createAgent({ model: asked, tools: [double] });
    const { toolCalls } = await agent.chatWithTools("Go");
    expect(await agent.executeToolCall(toolCalls[1]!)).toMatchObject({ role: "tool", tool_call_id: "b", content: "4" });
    expect(agent.messages.filter(isToolResult)).toHaveLength(1);
    expect(await agent.chat()).toMatchObject({ text: "Done." });
    expect(sent(asked, 1)).toMatchObject([
      { role: "assistant" },
      { role: "tool", tool_call_id: "a", content: expect.stringContaining('"cancelled"') },
      { role: "tool", tool_call_id: "b", content: "4" },
    ]);
  });

  it("waits for calls that still run when the chat goes on", async () => {
    const asked = model();
    const slow = { ...double, execute: async () => new Promise((resolve) => setTimeout(resolve, 20, "late")) };
    const agent = createAgent({ model: asked, tools: [slow] });
    const { toolCalls } = await agent.chatWithTools("Go");
    const running = toolCalls.map((call) => agent.executeToolCall(call));
    await agent.chat("Well?");
    await Promise.all(running);
    expect(sent(asked, 1)).toMatchObject([{}, { content: "late" }, { content: "late" }, { role: "user" }]);
  });

  it("runs a call as it was changed", async () => {
    const agent = createAgent({ model: model(), tools: [double] });
    const { toolCalls } = await agent.chatWithTools("Go");
    const changed: ToolCall = { ...toolCalls[0]!, function: { name: "double", arguments: '{"n":50}' } };
    expect(await agent.executeToolCall(changed)).toMatchObject({ tool_call_id: "a", content: "100" });
  });

  it("runs no call twice, and none that was not made", async () => {
    const agent = createAgent({ model: model(), tools: [double] });
    const { toolCalls } = await agent.chatWithTools("Go");
    await agent.executeToolCall(toolCalls[0]!);
    await expect(agent.executeToolCall(toolCalls[0]!)).rejects.toThrow("does not contain this call, or");
    await expect(agent.executeToolCall({ ...toolCalls[0]!, id: "z" })).rejects.toThrow(
      "does not contain this call, or",
    );
  });

  it("gives an error as a result", async () => {
    const agent = createAgent({ model: scriptedModel([calls(["a", "failing", {}])]), tools: [failing] });
    const { toolCalls } = await agent.chatWithTools("Go");
    const { content } = await agent.executeToolCall(toolCalls[0]!);
    expect(JSON.parse(content)).toMatchObject({ error: { code: "tool_failed", message: "The upstream is down." } });
  });
});

describe("stream", () => {
  it("gives the text of every turn while it comes, and the result at the end", async () => {
    const model = scriptedModel([
      says("Wait.", {
        tool_calls: [{ id: "a", type: "function", function: { name: "double", arguments: '{"n":1}' } }],
      }),
      says("It is 2."),
    ]);
    const stream = createAgent({ model, tools: [double] }).stream("Go");
    const pieces: string[] = [];
    for await (const piece of stream) pieces.push(piece);
    expect(pieces).toEqual(["Wa", "it.", "It", " is 2."]);
    expect(await stream.result).toMatchObject({ text: "It is 2.", finishReason: "stop", rounds: 2 });
    expect((await stream.result).toolCalls).toHaveLength(1);
  });

  it("runs whether or not its text is read", async () => {
    const agent = createAgent({ model: scriptedModel([says("Hello.")]) });
    const stream = agent.stream("Hi");
    expect((await stream.result).text).toBe("Hello.");
    const late: string[] = [];
    for await (const piece of stream) late.push(piece);
    expect(late.join("")).toBe("Hello.");
  });

  it("ends the chat where its reader leaves", async () => {
    const model = scriptedModel([says("Hello there."), says("Again.")]);
    const agent = createAgent({ model, tools: [double] });
    const stream = agent.stream("Hi");
    for await (const piece of stream) {
      expect(piece).toBe("He");
      break;
    }
    // The loop is left when the chat is over: the next may follow.
    expect((await agent.chat("Still there?")).text).toBe("Again.");
    await expect(stream.result).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is left at once by a reader who waits for more", async () => {
    const stopped = vi.fn();
    const endless: Tool = {
      ...double,
      execute: (_args, { signal }) => {
        signal.addEventListener("abort", stopped);
        return new Promise(() => {});
      },
    };
    const model = scriptedModel([calls(["a", "double", { n: 1 }])]);
    const agent = createAgent({ model, tools: [endless] });
    const reader = agent.stream("Go")[Symbol.asyncIterator]();
    const waiting = reader.next();
    await new Promise((resolve) => setTimeout(resolve, 10));
    await reader.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(stopped).toHaveBeenCalledOnce();
    agent.reset();
    const unread = agent.stream("Again")[Symbol.asyncIterator]();
    await unread.return?.();
    agent.reset();
  });

  it("may be read by several, each from its beginning", async () => {
    const stream = createAgent({ model: scriptedModel([says("Hello.")]) }).stream("Hi");
    const texts = await Promise.all([piecesOf(stream), piecesOf(stream)]);
    expect(texts).toEqual([
      ["He", "llo."],
      ["He", "llo."],
    ]);
  });

  it("rejects where it is read, and in its result", async () => {
    const stream = createAgent({ model: scriptedModel([new Error("down")]) }).stream("Hi");
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow("down");
    await expect(stream.result).rejects.toThrow("down");
  });
});

describe("calls that run while the conversation goes on", () => {
  const slow = (name: string, ms: number): Tool => ({
    name,
    description: "Waits.",
    parameters: { type: "object" },
    execute: async () => new Promise((resolve) => setTimeout(resolve, ms, `${name} done`)),
  });
  const twoCalls = () => [calls(["a", "first", {}], ["b", "second", {}]), says("Done.")];

  it("are not joined by others: what the model is told is what was done", async () => {
    const model = scriptedModel(twoCalls());
    const agent = createAgent({ model, tools: [slow("first", 30), slow("second", 1)] });
    const { toolCalls } = await agent.chatWithTools("Go");
    const first = agent.executeToolCall(toolCalls[0]!);
    const chat = agent.chat();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(agent.executeToolCall(toolCalls[1]!)).rejects.toThrow("does not contain this call, or");
    await Promise.all([first, chat]);
    expect(sent(model, 1)).toMatchObject([
      {},
      { content: "first done" },
      { content: expect.stringContaining("cancelled") },
    ]);
  });

  it("do not hold a chat beyond its signal, and stay open", async () => {
    const model = scriptedModel(twoCalls());
    let end = (): void => undefined;
    const held = { ...slow("first", 0), execute: () => new Promise((resolve) => (end = () => resolve("first done"))) };
    const agent = createAgent({ model, tools: [held, slow("second", 1)] });
    const { toolCalls } = await agent.chatWithTools("Go");
    const first = agent.executeToolCall(toolCalls[0]!);
    let isFirstDone = false;
    void first.then(() => (isFirstDone = true));
    await expect(agent.chat(undefined, { signal: AbortSignal.timeout(20) })).rejects.toThrow();
    expect(isFirstDone).toBe(false);
    await agent.executeToolCall(toolCalls[1]!);
    end();
    await first;
    await agent.chat();
    expect(sent(model, 1)).toMatchObject([{}, { content: "first done" }, { content: "second done" }]);
  });

  it("are found running by a tool that asks for its own call", async () => {
    let runs = 0;
    const model = scriptedModel([calls(["a", "self", {}])]);
    const agent: Agent = createAgent({
      model,
      tools: [
        {
          name: "self",
          description: "Calls itself.",
          parameters: { type: "object" },
          async execute() {
            runs++;
            return agent.executeToolCall(toolCalls[0]!).catch((error: Error) => error.message);
          },
        },
      ],
    });
    const { toolCalls } = await agent.chatWithTools("Go");
    await agent.executeToolCall(toolCalls[0]!);
    expect(runs).toBe(1);
  });

  it("of a turn that was cut off run in no form", async () => {
    const execute = vi.fn(() => 1);
    const cut = calls(["a", "double", '{"n":1}']) as { choices: { finish_reason: string }[] };
    cut.choices[0]!.finish_reason = "length";
    const agent = createAgent({ model: scriptedModel([cut]), tools: [{ ...double, execute }] });
    const { toolCalls } = await agent.chatWithTools("Go");
    const changed: ToolCall = { ...toolCalls[0]!, function: { name: "double", arguments: '{"n":2}' } };
    expect((await agent.executeToolCall(changed)).content).toContain("cut off");
    expect(execute).not.toHaveBeenCalled();
  });

  it("of arguments that cannot be read show what the model wrote, and run once that is mended", async () => {
    const agent = createAgent({ model: scriptedModel([calls(["a", "double", '{"n":1'])]), tools: [double] });
    const { toolCalls } = await agent.chatWithTools("Go");
    expect(toolCalls[0]!.function.arguments).toBe('{"n":1');
    const mended: ToolCall = { ...toolCalls[0]!, function: { name: "double", arguments: '{"n":1}' } };
    expect((await agent.executeToolCall(mended)).content).toBe("2");
  });
});

describe("a model that does not heed the signal", () => {
  it("is left to itself", async () => {
    const model: Model = {
      generate: () => new Promise(() => {}),
      async *stream() {
        yield { type: "text", text: "Hel" };
        await new Promise(() => {});
      },
    };
    const agent = createAgent({ model });
    await expect(agent.chat("Hi", { signal: AbortSignal.timeout(10) })).rejects.toThrow();
    const stream = agent.stream("Hi", { signal: AbortSignal.timeout(10) });
    const pieces: string[] = [];
    await expect(
      (async () => {
        for await (const piece of stream) pieces.push(piece);
      })(),
    ).rejects.toThrow();
    expect(pieces).toEqual(["Hel"]);
    agent.reset();
  });
});

it("a stream that fails gives all that came before, to a reader who comes late", async () => {
  const model: Model = {
    generate: () => Promise.reject(new Error("unused")),
    async *stream() {
      for (const text of ["a", "b", "c"]) yield { type: "text", text };
      throw new Error("broken off");
    },
  };
  const stream = createAgent({ model }).stream("Hi");
  await stream.result.catch(() => undefined);
  const pieces: string[] = [];
  await expect(
    (async () => {
      for await (const piece of stream) pieces.push(piece);
    })(),
  ).rejects.toThrow("broken off");
  expect(pieces).toEqual(["a", "b", "c"]);
});

describe("tools", () => {
  it("are those of a registry, and one's own beside them", async () => {
    const registry = createRegistry({ tools: [double] });
    const model = scriptedModel([calls(["a", "double", { n: 4 }], ["b", "triple", { n: 4 }]), says("Done.")]);
    const agent = createAgent({ model, tools: registry });
    const triple: Tool = { ...double, name: "triple", execute: ({ n }) => Number(n) * 3 };
    agent.registerTool(triple);
    expect(() => agent.registerTool(double)).toThrow("double");
    await agent.chat("Go");
    expect(model.requests[0]!.tools).toHaveLength(2);
    expect(sent(model, 1)).toMatchObject([{}, { content: "8" }, { content: "12" }]);
    expect(registry.find("triple")).toBeUndefined();
  });

  it("are written as OpenAI declares them, with a function", async () => {
    const model = scriptedModel([calls(["a", "greet", { name: "Ada" }], ["b", "now", "{}"]), says("Done.")]);
    const agent = createAgent({
      model,
      tools: [
        {
          definition: {
            type: "function",
            function: {
              name: "greet",
              description: "Greets.",
              parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
            },
          },
          execute: ({ name }: { name: string }) => `Hello, ${name}`,
        },
        { definition: { type: "function", function: { name: "now" } }, execute: async () => 5 },
      ],
    });
    await agent.chat("Go");
    expect(sent(model, 1)).toMatchObject([{}, { content: "Hello, Ada" }, { content: "5" }]);
  });

  it("that give nothing have done their work, where they are written as definitions", async () => {
    const model = scriptedModel([calls(["a", "note", {}]), says("Noted.")]);
    const definition = { type: "function", function: { name: "note" } } as const;
    await createAgent({ model, tools: [{ definition, execute() {} }] }).chat("Go");
    expect(sent(model, 1)[1]).toMatchObject({ content: "null" });
  });

  it("run side by side under one signal without a warning", async () => {
    const warned = vi.spyOn(process, "emitWarning");
    const many = Array.from({ length: 40 }, (_, n): [string, string, object] => [`c${n}`, "double", { n }]);
    const model = scriptedModel([calls(...many), says("Done.")]);
    await createAgent({ model, tools: [double] }).stream("Go").result;
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it("tell an observer of their calls", async () => {
    const onCall = vi.fn();
    const model = scriptedModel([calls(["a", "double", { n: 1 }]), says("2")]);
    await createAgent({ model, tools: [double], observer: { onCall } }).chat("Go");
    expect(onCall).toHaveBeenCalledWith(expect.objectContaining({ tool: "double", code: "ok" }));
  });

  it("that have a fault of their own tell it to whoever runs the agent", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const buggy: Tool = {
      ...double,
      execute() {
        throw new TypeError("my bug");
      },
    };
    const model = scriptedModel([calls(["a", "double", { n: 1 }]), says("Oh.")]);
    await createAgent({ model, tools: [buggy] }).chat("Go");
    expect(warned.mock.calls.map(([warning]) => String(warning))).toEqual(["TypeError: my bug"]);
    expect(JSON.stringify(sent(model, 1))).not.toContain("my bug");
    warned.mockRestore();
  });

  it("that lack their variable are left out, and the warnings say so", async () => {
    const model = scriptedModel([says("Hi.")]);
    const agent = createAgent({
      model,
      tools: [{ ...double, requires: ["NO_SUCH_VARIABLE"] }],
      toolChoice: "required",
    });
    const { warnings } = await agent.chat("Hi");
    expect(warnings).toEqual([
      '"double": This tool is left out, because the environment variable NO_SUCH_VARIABLE is not set.',
      "toolChoice forces a call, but there is no tool to call.",
    ]);
  });

  it.each([
    ["a tool without a list", double, "a registry, or a list of tools"],
    ["a number", 5, "a registry, or a list of tools"],
    ["no URL", "localhost:8080", "such as http://127.0.0.1:8080"],
    ["a URL with a password", "http://me:secret@127.0.0.1:8080", "as { url, key }"],
    [
      "a key that no header holds",
      { url: "http://127.0.0.1:8080", key: "a\nb" },
      "a character that is not allowed in a header",
    ],
    ["a list with a URL in it", ["http://127.0.0.1:8080"], "must be an object"],
  ])("cannot be %s", (_what, tools, message) => {
    const make = () => createAgent({ model: scriptedModel([]), tools: tools as never });
    expect(make).toThrow(message);
    expect(make).not.toThrow(/secret|a\nb/);
  });

  it("that cannot be registered are told at once", () => {
    const broken = { ...double, parameters: { type: "string" } };
    expect(() => createAgent({ model: scriptedModel([]), tools: [broken] })).toThrow('must have type "object"');
  });
});

describe("media that a tool returns and the format cannot show", () => {
  const image = { type: "image", data: Buffer.alloc(2400).toString("base64"), mimeType: "image/png" };
  const chart: Tool = {
    name: "chart",
    description: "Draws a chart.",
    parameters: { type: "object" },
    contentBlocks: true,
    execute: () => ({ content: [{ type: "text", text: "a chart" }, image] }),
  };
  const warning =
    "chart: The format cannot represent what the tool returned: the model reads [image/png, 2 kB] instead.";

  it.each(["chat", "stream"] as const)("are in the warnings of %s, once", async (way) => {
    const model = scriptedModel([calls(["a", "chart", {}], ["b", "chart", {}]), says("Nice.")]);
    const agent = createAgent({ model, tools: [chart] });
    const { warnings } = await (way === "chat" ? agent.chat("Draw") : agent.stream("Draw").result);
    expect(warnings).toEqual([warning]);
  });

  it("are in the warnings of the chat that follows a call by hand", async () => {
    const model = scriptedModel([calls(["a", "chart", {}]), says("Nice."), says("Yes.")]);
    const agent = createAgent({ model, tools: [chart] });
    const { toolCalls, warnings } = await agent.chatWithTools("Draw");
    expect(warnings).toEqual([]);
    await agent.executeToolCall(toolCalls[0]!);
    expect((await agent.chat()).warnings).toEqual([warning]);
    expect((await agent.chat("Sure?")).warnings).toEqual([]);
  });

  it("are not warned of if the format shows them", async () => {
    const call = { type: "tool_use", id: "toolu_1", name: "chart", input: {} };
    const turn = (content: object, reason: string) => ({ role: "assistant", content: [content], stop_reason: reason });
    const script = [turn(call, "tool_use"), turn({ type: "text", text: "Nice." }, "end_turn")];
    const model = scriptedModel(script, "anthropic");
    expect((await createAgent({ model, tools: [chart] }).chat("Draw")).warnings).toEqual([]);
    expect(JSON.stringify(model.requests[1])).toContain(image.data);
  });
});

describe("an option that does not exist", () => {
  it.each([
    ["instructions", 'Did you mean "system"?'],
    ["systemPrompt", 'Did you mean "system"?'],
    ["maxSteps", 'Did you mean "maxRounds"?'],
    ["max_rounds", 'Did you mean "maxRounds"?'],
    ["toolchoice", 'Did you mean "toolChoice"?'],
    ["abortSignal", 'Did you mean "signal"?'],
    ["temperature", 'It has "model", "tools", "system", "maxRounds", "toolChoice", "signal", "observer".'],
    ["constructor", 'It has "model"'],
  ])("of createAgent is refused: %s", (name, hint) => {
    const make = () => createAgent({ model: scriptedModel([]), [name]: "x" });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`"${name}" is not an option of createAgent. ${hint}`);
  });

  it.each([undefined, null, "gpt"])("is not looked for in %j, which is refused", (options) => {
    expect(() => createAgent(options as never)).toThrow("The options of createAgent must be an object.");
  });

  it("of a chat is refused, and nothing is asked", async () => {
    const model = scriptedModel([says("Hi.")]);
    const agent = createAgent({ model });
    const options = { tool_choice: "none" } as object;
    const refusal = '"tool_choice" is not an option of a chat. Did you mean "toolChoice"?';
    await expect(agent.chat("Hi", options)).rejects.toThrow(refusal);
    await expect(agent.chatWithTools("Hi", options)).rejects.toThrow(TypeError);
    expect(() => agent.stream("Hi", options)).toThrow(refusal);
    expect(model.requests).toEqual([]);
    expect((await agent.chat("Hi")).text).toBe("Hi.");
  });
});

describe("messages", () => {
  it("are in OpenAI's shape, each with what is sent", async () => {
    const made = calls(["a", "double", { n: 1 }]) as { choices: { message: object }[] };
    const agent = createAgent({ model: scriptedModel([made, says("2")]), tools: [double], system: "Be short." });
    await agent.chat("Go");
    expect(agent.messages).toEqual([
      { role: "system", content: "Be short.", raw: "Be short." },
      { role: "user", content: "Go", raw: { role: "user", content: "Go" } },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "double", arguments: '{"n":1}' } }],
        raw: made.choices[0]!.message,
      },
      { role: "tool", tool_call_id: "a", content: "2", raw: { role: "tool", tool_call_id: "a", content: "2" } },
      { role: "assistant", content: "2", raw: { role: "assistant", content: "2" } },
    ]);
    expect(agent.messages.filter(isToolResult).map(({ content }) => content)).toEqual(["2"]);
    expect(agent.messages.filter(hasToolCalls)).toHaveLength(1);
  });
});
