import type { ServerResponse } from "node:http";
import { Ollama } from "ollama";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Model, ModelPart, ModelRequest } from "../../../src/agent/models/model.ts";
import { ollama } from "../../../src/agent/models/ollama.ts";
import { StreamError } from "../../../src/dialects/streaming/accumulator.ts";
import { startProvider } from "../../providers/start-provider.ts";
import { brokenOff, refusal } from "../../providers/turns.ts";
import { recordedTurn } from "../../dialects/recorded/recorded-turn.ts";
import { promised, serve } from "./ollama-server.ts";

const question = { role: "user", content: "Weather?" };
const tool = { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } };
const signalOf = (controller: AbortController) => ({ signal: controller.signal });

function ask(more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [question], system: undefined, tools: [], toolChoice: {}, signal: undefined, ...more };
}

const line = (message: object, done = false) => `${JSON.stringify({ model: "m", message, done })}\n`;
const whole = (response: ServerResponse) => {
  response.setHeader("content-type", "application/json").end(line({ role: "assistant", content: "Cold." }, true));
};
/** Begins to answer, and does not go on. */
const begin = (response: ServerResponse) => void response.write(line({ role: "assistant", content: "Co" }));

async function all(parts: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const taken: ModelPart[] = [];
  for await (const part of parts) taken.push(part);
  return taken;
}

describe("what Ollama is sent", () => {
  it("is the name, the conversation behind the system's words, the tools and more fields", async () => {
    const { client, bodies } = await serve(whole);
    const own = { type: "function", function: { name: "own" } };
    const model = ollama(client, "qwen3", { think: true, options: { temperature: 0 }, tools: [own] });
    const more = { system: "Be brief.", tools: [tool] };
    const asked = {
      model: "qwen3",
      messages: [{ role: "system", content: "Be brief." }, question],
      tools: [own, tool],
    };
    await model.generate(ask(more));
    await all(model.stream(ask(more)));
    const fields = { think: true, options: { temperature: 0 } };
    expect(bodies).toEqual([
      { ...asked, ...fields, stream: false },
      { ...asked, ...fields, stream: true },
    ]);
  });

  it("has no tools where there are none, and nothing in the place of what the model sets", async () => {
    const { client, bodies } = await serve(whole);
    await ollama(client, "qwen3", { model: "x", messages: [], stream: true, tools: [] }).generate(ask());
    expect(bodies).toEqual([{ model: "qwen3", messages: [question], stream: false }]);
  });
});

describe("what comes of it", () => {
  it("is the whole reply, streamed or not, at a stand-in that goes by the rules", async () => {
    const turns = ["thinking-and-call", "text"].map((name) => recordedTurn("ollama", name));
    const provider = await startProvider({ dialect: "ollama", turns: [...turns, ...turns] });
    onTestFinished(() => provider.stop());
    const model = ollama(new Ollama({ host: provider.url }), "m");
    const [first, last] = turns;
    const result = { role: "tool", tool_name: "weather", tool_call_id: "call_a9b8c7d6", content: "4" };
    const messages = [question, first?.["message"], result];
    expect(await model.generate(ask())).toEqual(first);
    expect(await model.generate(ask({ messages }))).toEqual(last);
    expect(await all(model.stream(ask()))).toEqual([{ type: "reply", reply: first }]);
    const parts = await all(model.stream(ask({ messages })));
    expect(parts.at(-1)).toEqual({ type: "reply", reply: last });
    expect(
      parts
        .slice(0, -1)
        .map((part) => part.type === "text" && part.text)
        .join(""),
    ).toBe("It is 4 degrees in Oslo.");
    expect(parts.length).toBeGreaterThan(5);
  });

  it("is text as it is written", async () => {
    const { client } = await serve(begin);
    const parts = ollama(client, "m").stream(ask())[Symbol.asyncIterator]();
    expect(await parts.next()).toEqual({ done: false, value: { type: "text", text: "Co" } });
    await parts.return?.();
  });
});

const both: readonly (readonly [way: string, run: (model: Model, request: ModelRequest) => Promise<unknown>])[] = [
  ["at once", (model, request) => model.generate(request)],
  ["as a stream", (model, request) => all(model.stream(request))],
];

describe.each(both)("what goes wrong %s", (_way, run) => {
  it("is the SDK's own error of a status", async () => {
    const provider = await startProvider({ dialect: "ollama", turns: [refusal(503, { message: "server busy" })] });
    onTestFinished(() => provider.stop());
    const asked = run(ollama(new Ollama({ host: provider.url }), "m"), ask());
    await expect(asked).rejects.toMatchObject({ name: "ResponseError", status_code: 503, message: "server busy" });
  });

  it("is the signal's reason, before anything is sent and while nothing has come", async () => {
    const waiting = promised<void>();
    const { client, bodies } = await serve(() => waiting.resolve());
    const controller = new AbortController();
    const reason = new Error("enough");
    const asked = run(ollama(client, "m"), ask(signalOf(controller)));
    const refused = expect(asked).rejects.toBe(reason);
    await waiting.promise;
    controller.abort(reason);
    await refused;
    await expect(run(ollama(client, "m"), ask(signalOf(controller)))).rejects.toBe(reason);
    expect(bodies).toHaveLength(1);
  });

  it("is a connection that breaks off", async () => {
    const provider = await startProvider({ dialect: "ollama", turns: [brokenOff(recordedTurn("ollama", "text"))] });
    onTestFinished(() => provider.stop());
    await expect(run(ollama(new Ollama({ host: provider.url }), "m"), ask())).rejects.toThrow(/./);
  });
});

describe("a stream that does not come to its end", () => {
  it("is closed when the signal aborts in the middle of it", async () => {
    const { client, left } = await serve(begin);
    const controller = new AbortController();
    const reason = new Error("enough");
    const parts = ollama(client, "m")
      .stream(ask(signalOf(controller)))
      [Symbol.asyncIterator]();
    await parts.next();
    const next = expect(parts.next()).rejects.toBe(reason);
    controller.abort(reason);
    await next;
    await left;
  });

  it("is closed when it opens after the signal has aborted", async () => {
    const waiting = promised<ServerResponse>();
    const { client, left } = await serve((response) => waiting.resolve(response));
    const controller = new AbortController();
    const asked = expect(all(ollama(client, "m").stream(ask(signalOf(controller))))).rejects.toThrow("aborted");
    const response = await waiting.promise;
    controller.abort();
    await asked;
    begin(response);
    await left;
  });

  it("is closed when its reader leaves", async () => {
    const { client, left } = await serve(begin);
    for await (const part of ollama(client, "m").stream(ask())) {
      expect(part).toEqual({ type: "text", text: "Co" });
      break;
    }
    await left;
  });

  it("is not asked for before somebody reads", async () => {
    const { client, bodies } = await serve(whole);
    ollama(client, "m").stream(ask());
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(bodies).toEqual([]);
  });

  it("leaves no listener on the signal when it does", async () => {
    const { client } = await serve(whole);
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    await ollama(client, "m").generate(ask({ signal }));
    await all(ollama(client, "m").stream(ask({ signal })));
    expect(listeners).toBe(0);
  });

  it("is an error that the server tells in the middle of it", async () => {
    const turns = [brokenOff(recordedTurn("ollama", "text"), { saying: "error parsing tool call: raw='{'" })];
    const provider = await startProvider({ dialect: "ollama", turns });
    onTestFinished(() => provider.stop());
    const asked = all(ollama(new Ollama({ host: provider.url }), "m").stream(ask()));
    await expect(asked).rejects.toThrow("error parsing tool call: raw='{'");
  });

  it("is an error without the last line, whoever reads the lines", async () => {
    const { client } = await serve((response) => void response.end(line({ role: "assistant", content: "Co" })));
    await expect(all(ollama(client, "m").stream(ask()))).rejects.toThrow("Did not receive done");
    const lines = async function* () {
      yield JSON.parse(line({ role: "assistant", content: "Co" })) as unknown;
    };
    const other = { chat: () => Promise.resolve(lines()) };
    await expect(all(ollama(other, "m").stream(ask()))).rejects.toThrow(StreamError);
  });
});
