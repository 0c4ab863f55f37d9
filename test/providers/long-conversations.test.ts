import { describe, expect, it } from "vitest";
import { freshTurn } from "../dialects/recorded/fresh-turn.ts";
import { type RecordedDialect, recordedNames } from "../dialects/recorded/recorded-turn.ts";
import type { Json } from "./rules/breach.ts";
import { checkConversation } from "./check-conversation.ts";
import { dig, objectsIn } from "./conversation.ts";
import { sizeOf } from "../runs.ts";

type Message = Json;

/** How a client writes a conversation to the letter. */
interface Client {
  /** Turns that no client can send back as they are. */
  readonly unsendable: readonly string[];
  say(role: "user" | "assistant", text: string): Message;
  echo(turn: Json): Message[];
  results(turn: Json): Message[];
}

const chat: Client["say"] = (role, content) => ({ role, content });

const clients: Readonly<Record<RecordedDialect, Client>> = {
  openai: {
    unsendable: [],
    say: chat,
    echo: (turn) => objectsIn([dig(turn, "choices", 0, "message")]),
    results: (turn) =>
      objectsIn(dig(turn, "choices", 0, "message", "tool_calls")).map(({ id }) => {
        return { role: "tool", tool_call_id: id, content: "4" };
      }),
  },
  "openai-responses": {
    unsendable: [],
    say: chat,
    echo: (turn) => objectsIn(turn["output"]),
    results: (turn) =>
      objectsIn(turn["output"])
        .filter(({ type }) => type === "function_call" || type === "custom_tool_call")
        .map(({ type, call_id, caller }) => {
          return { type: `${String(type)}_output`, call_id, output: "4", ...(caller !== undefined && { caller }) };
        }),
  },
  anthropic: {
    unsendable: ["tool-use-without-calls"],
    say: chat,
    echo: ({ role, content }) => [{ role, content }],
    results(turn) {
      const calls = objectsIn(turn["content"]).filter(({ type }) => type === "tool_use");
      const content = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "4" }));
      return content.length === 0 ? [] : [{ role: "user", content }];
    },
  },
  gemini: {
    unsendable: ["blocked", "malformed"],
    say: (role, text) => ({ role: role === "user" ? "user" : "model", parts: [{ text }] }),
    echo: (turn) => objectsIn([dig(turn, "candidates", 0, "content")]),
    results(turn) {
      const parts = objectsIn(dig(turn, "candidates", 0, "content", "parts"));
      const calls = objectsIn(parts.map(({ functionCall }) => functionCall));
      const answers = calls.map(({ id, name }) => ({ ...(id !== undefined && { id }), name, response: { output: 4 } }));
      if (answers.length === 0) return [];
      return [{ role: "user", parts: answers.map((functionResponse) => ({ functionResponse })) }];
    },
  },
  ollama: {
    unsendable: ["arguments-as-text"],
    say: chat,
    echo: (turn) => objectsIn([turn["message"]]),
    results: (turn) =>
      objectsIn(dig(turn, "message", "tool_calls")).map((call) => {
        const tool_name = dig(call, "function", "name");
        return { role: "tool", tool_name, content: "4", ...(call["id"] !== undefined && { tool_call_id: call["id"] }) };
      }),
  },
};

const rounds = sizeOf(20, 12);

/** Each round: a question, a recorded turn with its results, what the model makes of them, and a word of both. */
function talk(dialect: RecordedDialect, onStep: (messages: readonly Message[], sent: readonly Json[]) => void) {
  const { unsendable, say, echo, results } = clients[dialect];
  const names = recordedNames(dialect).filter((name) => !unsendable.includes(name));
  const messages: Message[] = [];
  const sent: Json[] = [];
  const answer = (name: string) => {
    const turn = freshTurn(dialect, name, sent.length);
    sent.push(turn);
    messages.push(...echo(turn), ...results(turn));
  };
  for (let round = 0; round < rounds; round++) {
    messages.push(say("user", `Question ${round}?`));
    onStep(messages, sent);
    answer(names[round % names.length] ?? "");
    onStep(messages, sent);
    answer("text");
    messages.push(say("user", "Thanks."), say("assistant", "You are welcome."));
  }
  return { messages, sent };
}

const dialects = Object.keys(clients) as RecordedDialect[];

describe.each(dialects)("a long conversation with %s", (dialect) => {
  it("is taken at every step of it", () => {
    talk(dialect, (messages, sent) => expect(checkConversation(dialect, messages, sent)).toEqual([]));
  });

  it("is taken when it begins anew, though the provider has said all that before", () => {
    const first = talk(dialect, () => undefined);
    talk(dialect, (messages, sent) =>
      expect(checkConversation(dialect, messages, [...first.sent, ...sent])).toEqual([]),
    );
  });

  it("is refused without any one of its results", () => {
    const { messages, sent } = talk(dialect, () => undefined);
    const answers = new Set(
      sent.flatMap((turn) => clients[dialect].results(turn)).map((result) => JSON.stringify(result)),
    );
    const places = messages.flatMap((message, place) => (answers.has(JSON.stringify(message)) ? [place] : []));
    expect(places.length).toBeGreaterThan(rounds / 2);
    for (const place of places) {
      const breaches = checkConversation(dialect, messages.toSpliced(place, 1), sent);
      expect(breaches, `without ${place}: ${JSON.stringify(messages[place])}`).not.toEqual([]);
    }
  });

  it("is refused where any turn with calls is left out, and its results are not", () => {
    const { messages, sent } = talk(dialect, () => undefined);
    const echoes = sent.filter((turn) => clients[dialect].results(turn).length > 0).flatMap(clients[dialect].echo);
    const calls = echoes.filter((message) => /call|tool_use/i.test(JSON.stringify(message)));
    for (const call of calls) {
      const without = messages.filter((message) => JSON.stringify(message) !== JSON.stringify(call));
      expect(checkConversation(dialect, without, sent), JSON.stringify(call)).not.toEqual([]);
    }
  });
});

/** What goes back as it came: in whichever turn of a long conversation it is, it cannot be lost. */
describe.each([
  ["openai", /"extra_content":\{.*?\}\},?|,"reasoning_content":"[^"]*"/g, 2],
  ["openai-responses", /"encrypted_content":"[^"]*"|"namespace":"[^"]*",|,"caller":\{[^}]*\}/g, 3],
  ["anthropic", /"signature":"[^"]*"|\{"type":"redacted_thinking"[^}]*\},/g, 3],
  ["gemini", /,"thoughtSignature":"[^"]*"/g, 3],
] as const)("what %s signed", (dialect, pattern, least) => {
  it("is missed in each turn", () => {
    const { messages, sent } = talk(dialect, () => undefined);
    let lost = 0;
    for (const [place, message] of messages.entries()) {
      const text = JSON.stringify(message);
      for (const found of text.matchAll(pattern)) {
        if (!/functionCall|tool_use|tool_calls|function_call|reasoning/.test(text)) continue;
        const rest = text.slice(found.index + found[0].length);
        const changed = text.slice(0, found.index) + rest;
        const without = JSON.parse(changed.replace(/,\}/g, "}").replace(/\{,/g, "{").replace(/,,/g, ",")) as Message;
        lost += 1;
        expect(checkConversation(dialect, messages.with(place, without), sent), found[0]).not.toEqual([]);
      }
    }
    expect(lost).toBeGreaterThanOrEqual(least);
  });
});
