import { type RecordedDialect, recordedTurn } from "../dialects/recorded/recorded-turn.ts";

/** A call of a turn: a tool, and what it is called with. */
export type WrittenCall = readonly [name: string, args: Readonly<Record<string, unknown>>];

type Turn = Record<string, unknown>;
type Writer = (text: string, calls: readonly WrittenCall[], ids: readonly string[]) => Turn;

let written = 0;

/** A recorded turn that says this, and makes these calls. No id is given twice. */
export function says(dialect: AgentDialect, text: string, ...calls: readonly WrittenCall[]): Turn {
  const ids = calls.map(() => `call_${(written += 1)}`);
  return writers[dialect](text, calls, ids);
}

export type AgentDialect = Exclude<RecordedDialect, "openai-responses">;

const writers: Readonly<Record<AgentDialect, Writer>> = {
  openai(text, calls, ids) {
    const toolCalls = calls.map(([name, args], place) => ({
      id: ids[place],
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    const message = {
      role: "assistant",
      content: text === "" ? null : text,
      refusal: null,
      annotations: [],
      ...(calls.length > 0 && { tool_calls: toolCalls }),
    };
    const reason = calls.length > 0 ? "tool_calls" : "stop";
    return {
      ...recordedTurn("openai", "text"),
      choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
    };
  },
  anthropic(text, calls, ids) {
    const blocks = calls.map(([name, input], place) => ({
      type: "tool_use",
      id: `toolu_${ids[place]}`,
      name,
      input,
    }));
    return {
      ...recordedTurn("anthropic", "text"),
      content: [...(text === "" ? [] : [{ type: "text", text }]), ...blocks],
      stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    };
  },
  gemini(text, calls, ids) {
    // The first of several calls is signed, as Gemini 3 does.
    const parts = calls.map(([name, args], place) => ({
      functionCall: { id: ids[place], name, args },
      ...(place === 0 && { thoughtSignature: Buffer.from(String(ids[place])).toString("base64") }),
    }));
    const content = { parts: [...(text === "" ? [] : [{ text }]), ...parts], role: "model" };
    return { ...recordedTurn("gemini", "text"), candidates: [{ content, finishReason: "STOP", index: 0 }] };
  },
  ollama(text, calls, ids) {
    const toolCalls = calls.map(([name, args], index) => ({
      id: ids[index],
      function: { index, name, arguments: args },
    }));
    const message = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: toolCalls }) };
    return { ...recordedTurn("ollama", "text"), message };
  },
};
