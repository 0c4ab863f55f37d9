import { describe, expect, it } from "vitest";
import { type RecordedDialect, recordedTurn } from "../dialects/recorded/recorded-turn.ts";
import { checkConversation } from "./check-conversation.ts";
import { dig, objectsIn } from "./conversation.ts";

type Message = Record<string, unknown>;
interface Case {
  readonly sentence: string;
  /** The conversation after the question: the model's own message, and what the client adds. */
  readonly messages: readonly unknown[];
  readonly sent?: readonly unknown[];
  /** The rules that it breaks. */
  readonly rules: readonly string[];
}

function cases(dialect: RecordedDialect, question: unknown, rows: readonly Case[]) {
  for (const { sentence, messages, sent = [], rules } of rows) {
    it(sentence, () => {
      const breaches = checkConversation(dialect, [question, ...messages], sent);
      expect(breaches.map(({ rule }) => rule)).toEqual(rules);
    });
  }
}

const user = { role: "user", content: "What is the weather?" };

describe("openai", () => {
  const echo = dig(recordedTurn("openai", "two-calls"), "choices", 0, "message");
  const noArguments = dig(recordedTurn("openai", "no-arguments"), "choices", 0, "message");
  const vendor = recordedTurn("openai", "vendor-fields");
  const vendorEcho = dig(vendor, "choices", 0, "message");
  const { extra_content: _signature, ...unsignedCall } = objectsIn(dig(vendorEcho, "tool_calls"))[0] ?? {};
  const result = (id: string, more: Message = {}) => ({ role: "tool", tool_call_id: id, content: "4", ...more });
  const both = [result("call_a1"), result("call_b2")];
  cases("openai", user, [
    { sentence: "takes both results behind their calls", messages: [echo, ...both], rules: [] },
    { sentence: "takes them in any order", messages: [echo, ...both.toReversed()], rules: [] },
    {
      sentence: "takes arguments that are no JSON, as the model wrote them",
      messages: [noArguments, result("call_c3")],
      rules: [],
    },
    {
      sentence: "takes parts of text",
      messages: [echo, result("call_a1", { content: [{ type: "text", text: "4" }] }), both[1]],
      rules: [],
    },
    { sentence: "misses a result at the end", messages: [echo, both[0]], rules: ["unanswered"] },
    {
      sentence: "misses results where a user message stands between",
      messages: [echo, both[0], user, both[1]],
      rules: ["unanswered", "orphan"],
    },
    { sentence: "knows no result of no call", messages: [result("call_a1")], rules: ["orphan"] },
    { sentence: "knows no other id", messages: [echo, both[0], result("call_z"), both[1]], rules: ["unknown-id"] },
    { sentence: "takes one result a call", messages: [echo, ...both, both[0]], rules: ["unknown-id"] },
    {
      sentence: "takes no object as content",
      messages: [echo, result("call_a1", { content: { t: 4 } }), both[1]],
      rules: ["shape"],
    },
    {
      sentence: "takes no picture as a result",
      messages: [echo, result("call_a1", { content: [{ type: "image_url" }] }), both[1]],
      rules: ["content"],
    },
    {
      sentence: "takes no field that it does not know",
      messages: [echo, result("call_a1", { is_error: true }), both[1]],
      rules: ["shape"],
    },
    {
      sentence: "takes no message without content, calls or refusal",
      messages: [
        { role: "assistant", content: null },
        { role: "user", content: null },
        { role: "assistant", content: null, refusal: "No." },
      ],
      rules: ["shape", "shape"],
    },
    {
      sentence: "what another vendor signed and thought comes back with the call",
      messages: [vendorEcho, result("call_j1")],
      sent: [vendor],
      rules: [],
    },
    {
      sentence: "what another vendor signed and thought is lost",
      messages: [{ role: "assistant", tool_calls: [unsignedCall] }, result("call_j1")],
      sent: [vendor],
      rules: ["signature", "reasoning"],
    },
    {
      sentence: "takes no empty list of calls",
      messages: [{ role: "assistant", content: "", tool_calls: [] }],
      rules: ["shape"],
    },
    {
      sentence: "takes arguments as text only",
      messages: [
        {
          role: "assistant",
          tool_calls: [{ id: "call_a1", type: "function", function: { name: "now", arguments: {} } }],
        },
        both[0],
      ],
      rules: ["arguments"],
    },
  ]);
});

describe("openai-responses", () => {
  const reply = recordedTurn("openai-responses", "reasoning-and-two-calls");
  const [reasoning = {}, first = {}, second = {}] = objectsIn(reply["output"]);
  const output = (id: string, more: Message = {}) => ({
    type: "function_call_output",
    call_id: id,
    output: "4",
    ...more,
  });
  const both = [output("call_a1"), output("call_b2")];
  const [spoken = {}] = objectsIn(recordedTurn("openai-responses", "text")["output"]).filter(
    ({ type }) => type === "message",
  );
  const withoutId = objectsIn(recordedTurn("openai-responses", "calls-without-item-id")["output"]);
  const named = recordedTurn("openai-responses", "namespaced-call");
  const { namespace: _namespace, ...nameless } = objectsIn(named["output"])[0] ?? {};
  const byProgram = objectsIn(recordedTurn("openai-responses", "program-call")["output"])[0];
  cases("openai-responses", { role: "user", content: "What is the weather?" }, [
    {
      sentence: "takes all items back, and both outputs",
      messages: [reasoning, first, second, ...both],
      sent: [reply],
      rules: [],
    },
    {
      sentence: "rig#751: a call without its reasoning",
      messages: [first, second, ...both],
      sent: [reply],
      rules: ["reasoning", "reasoning"],
    },
    {
      sentence: "a message without its reasoning",
      messages: [spoken],
      sent: [{ ...reply, output: [reasoning, spoken] }],
      rules: ["reasoning"],
    },
    {
      sentence: "a message with its reasoning",
      messages: [reasoning, spoken],
      sent: [{ ...reply, output: [reasoning, spoken] }],
      rules: [],
    },
    {
      sentence: "reasoning that was changed",
      messages: [{ ...reasoning, encrypted_content: "x" }, first, second, ...both],
      sent: [reply],
      rules: ["reasoning", "reasoning"],
    },
    {
      sentence: "reasoning behind its calls",
      messages: [first, second, reasoning, ...both],
      sent: [reply],
      rules: ["reasoning-alone", "reasoning", "reasoning"],
    },
    {
      sentence: "nodetool#4252: the call's id in place of the item's",
      messages: [{ ...first, id: "call_a1" }, both[0]],
      rules: ["item-id"],
    },
    {
      sentence: "calls without an id of their own",
      messages: [...withoutId, output("call_f6"), output("call_g7")],
      rules: [],
    },
    {
      sentence: "pi#9057: two calls under one id",
      messages: [
        ...withoutId.map((call) => ({ ...call, call_id: "undefined" })),
        output("undefined"),
        output("undefined"),
      ],
      rules: ["duplicate"],
    },
    {
      sentence: "a call without its id",
      messages: [{ type: "function_call", name: "now", arguments: "" }],
      rules: ["shape", "unanswered"],
    },
    {
      sentence: "misses an output",
      messages: [reasoning, first, second, both[0]],
      sent: [reply],
      rules: ["unanswered"],
    },
    { sentence: "knows no output of no call", messages: [output("call_z")], rules: ["orphan"] },
    {
      sentence: "the same item twice",
      messages: [first, both[0], first],
      rules: ["duplicate", "duplicate", "unanswered"],
    },
    {
      sentence: "vercel/ai: the namespace is lost",
      messages: [nameless, output("call_e5")],
      sent: [named],
      rules: ["namespace"],
    },
    {
      sentence: "the namespace is kept",
      messages: [...objectsIn(named["output"]), output("call_e5")],
      sent: [named],
      rules: [],
    },
    { sentence: "the caller is lost", messages: [byProgram, output("call_k2")], rules: ["caller"] },
    {
      sentence: "the caller is told again",
      messages: [byProgram, output("call_k2", { caller: byProgram?.["caller"] })],
      rules: [],
    },
    {
      sentence: "takes no object as output",
      messages: [first, output("call_a1", { output: { t: 4 } })],
      rules: ["shape"],
    },
    {
      sentence: "takes no field that it does not know",
      messages: [first, output("call_a1", { name: "weather" })],
      rules: ["shape"],
    },
  ]);
});

describe("anthropic", () => {
  const echoOf = ({ role, content }: Message) => ({ role, content });
  const echo = echoOf(recordedTurn("anthropic", "two-calls"));
  const five = echoOf(recordedTurn("anthropic", "five-calls"));
  const thinking = recordedTurn("anthropic", "thinking-and-call");
  const hidden = recordedTurn("anthropic", "hidden-thinking-and-call");
  const thought = objectsIn(thinking["content"]);
  const result = (id: string, more: Message = {}) => ({ type: "tool_result", tool_use_id: id, content: "4", ...more });
  const results = (...blocks: unknown[]) => ({ role: "user", content: blocks });
  const both = [result("toolu_a1"), result("toolu_b2")];
  const fiveResults = objectsIn(five.content).map(({ id }) => result(String(id)));
  cases("anthropic", user, [
    { sentence: "takes both results in one message", messages: [echo, results(...both)], rules: [] },
    {
      sentence: "takes text behind the results",
      messages: [echo, results(...both, { type: "text", text: "Go on." })],
      rules: [],
    },
    {
      sentence: "takes an error, and a result without content",
      messages: [
        echo,
        results(result("toolu_a1", { is_error: true }), { type: "tool_result", tool_use_id: "toolu_b2" }),
      ],
      rules: [],
    },
    {
      sentence: "kosong#45: five results in five messages",
      messages: [five, ...fiveResults.map((block) => results(block))],
      rules: ["unanswered", "orphan", "orphan", "orphan", "orphan"],
    },
    { sentence: "five results in one", messages: [five, results(...fiveResults)], rules: [] },
    { sentence: "misses a result", messages: [echo, results(both[0])], rules: ["unanswered"] },
    { sentence: "misses results at the end", messages: [echo], rules: ["unanswered"] },
    {
      sentence: "misses results that stand behind text",
      messages: [echo, results({ type: "text", text: "Here:" }, ...both)],
      rules: ["unanswered"],
    },
    { sentence: "vercel/ai#21832: a result of no call", messages: [results(both[0])], rules: ["orphan"] },
    { sentence: "takes one result a call", messages: [echo, results(...both, both[1])], rules: ["duplicate"] },
    {
      sentence: "takes no message with the fields of a reply",
      messages: [recordedTurn("anthropic", "text")],
      rules: ["shape"],
    },
    {
      sentence: "takes no name in a result",
      messages: [echo, results(result("toolu_a1", { name: "weather" }), both[1])],
      rules: ["shape"],
    },
    {
      sentence: "takes no JSON as a block",
      messages: [echo, results(result("toolu_a1", { content: [{ type: "json" }] }), both[1])],
      rules: ["content"],
    },
    {
      sentence: "takes no empty text",
      messages: [echo, results(...both, { type: "text", text: "" })],
      rules: ["empty-text"],
    },
    { sentence: "has no role of tools", messages: [{ role: "tool", content: "4" }], rules: ["role"] },
    {
      sentence: "takes a turn without anything in it at the end alone",
      messages: [{ role: "assistant", content: [] }, user, { role: "assistant", content: [] }],
      rules: ["empty"],
    },
    {
      sentence: "takes no id of a call twice",
      messages: [echo, results(...both), echo, results(...both)],
      rules: ["twice", "twice"],
    },
    {
      sentence: "thinking comes back",
      messages: [echoOf(thinking), results(result("toolu_e5"))],
      sent: [thinking],
      rules: [],
    },
    {
      sentence: "openai-agents-python#4155: empty and hidden thinking comes back",
      messages: [echoOf(hidden), results(result("toolu_f6"))],
      sent: [hidden],
      rules: [],
    },
    {
      sentence: "thinking is left out",
      messages: [{ role: "assistant", content: thought.slice(1) }, results(result("toolu_e5"))],
      sent: [thinking],
      rules: ["thinking"],
    },
    {
      sentence: "forgecode#2107: a turn that ends with thinking",
      messages: [{ role: "assistant", content: thought.slice(0, 1) }],
      rules: ["final-thinking"],
    },
    {
      sentence: "thinking is changed",
      messages: [
        { role: "assistant", content: [{ ...thought[0], signature: "" }, thought[1]] },
        results(result("toolu_e5")),
      ],
      sent: [thinking],
      rules: ["thinking"],
    },
    {
      sentence: "anthropic-sdk-python#1648: a paused turn comes back as it is",
      messages: [echoOf(recordedTurn("anthropic", "pause"))],
      rules: [],
    },
    {
      sentence: "a paused turn with a call has its result",
      messages: [echoOf(recordedTurn("anthropic", "pause-with-call")), results(result("toolu_h8"))],
      rules: [],
    },
    {
      sentence: "a server's own call is not answered",
      messages: [
        echoOf(recordedTurn("anthropic", "server-tool-and-call")),
        results(result("toolu_g7"), result("srvtoolu_1")),
      ],
      rules: ["orphan"],
    },
  ]);

  it("begins with the user", () => {
    expect(checkConversation("anthropic", [echo, results(...both)]).map(({ rule }) => rule)).toEqual(["role"]);
  });
});

describe("gemini", () => {
  const contentOf = (name: string) => dig(recordedTurn("gemini", name), "candidates", 0, "content") as Message;
  const reply = recordedTurn("gemini", "two-calls-one-signature");
  const echo = contentOf("two-calls-one-signature");
  const nameless = contentOf("same-tool-twice-no-ids");
  const [signed, unsigned] = objectsIn(echo["parts"]);
  const response = (name: string, id?: string, more: Message = {}) => ({
    functionResponse: { ...(id !== undefined && { id }), name, response: { output: 4 }, ...more },
  });
  const both = [response("weather", "call_a1"), response("weather", "call_b2")];
  const content = (...parts: unknown[]) => ({ role: "user", parts });
  cases("gemini", { role: "user", parts: [{ text: "What is the weather?" }] }, [
    { sentence: "takes both answers in one content", messages: [echo, content(...both)], sent: [reply], rules: [] },
    {
      sentence: "eino-ext#571: two answers in two contents",
      messages: [echo, ...both.map((part) => content(part))],
      rules: ["count", "orphan"],
    },
    { sentence: "misses an answer", messages: [echo, content(both[0])], rules: ["count"] },
    { sentence: "misses answers at the end", messages: [echo], rules: ["count"] },
    { sentence: "knows no answer of no call", messages: [content(both[0])], rules: ["orphan"] },
    {
      sentence: "CLIProxyAPI#5199: the answers are exchanged",
      messages: [echo, content(...both.toReversed())],
      rules: ["match", "match"],
    },
    {
      sentence: "an answer has another name",
      messages: [echo, content(response("now", "call_a1"), both[1])],
      rules: ["match"],
    },
    {
      sentence: "takes answers without ids where calls have none",
      messages: [nameless, content(response("weather"), response("weather"))],
      rules: [],
    },
    {
      sentence: "an id is made up",
      messages: [nameless, content(response("weather", "call_0"), response("weather"))],
      rules: ["match"],
    },
    {
      sentence: "takes a call without arguments as it came",
      messages: [contentOf("no-arguments"), content(response("now"))],
      rules: [],
    },
    {
      sentence: "gemini-cli#16135: text beside answers",
      messages: [echo, content(...both, { text: "Go on." })],
      rules: ["siblings"],
    },
    {
      sentence: "adk-js#347: a list as the response",
      messages: [echo, content(response("weather", "call_a1", { response: [4] }), both[1])],
      rules: ["shape"],
    },
    {
      sentence: "text as the response",
      messages: [echo, content(response("weather", "call_a1", { response: "4" }), both[1])],
      rules: ["shape"],
    },
    {
      sentence: "vercel/ai#14369: a key $ref deep in the response",
      messages: [
        echo,
        content(response("weather", "call_a1", { response: { output: [{ schema: { $ref: "#/$defs/A" } }] } }), both[1]),
      ],
      rules: ["reference"],
    },
    {
      sentence: "vercel/ai#14369: the same as text",
      messages: [
        echo,
        content(response("weather", "call_a1", { response: { output: '{"$ref":"#/$defs/A"}' } }), both[1]),
      ],
      rules: [],
    },
    {
      sentence: "has no role of functions",
      messages: [echo, { role: "function", parts: both }],
      rules: ["role", "role"],
    },
    {
      sentence: "langchainjs#11271: the signature is lost",
      messages: [{ role: "model", parts: [{ functionCall: signed?.["functionCall"] }, unsigned] }, content(...both)],
      sent: [reply],
      rules: ["signature"],
    },
    {
      sentence: "vercel/ai#16298: a signature is made up for the second call",
      messages: [
        { role: "model", parts: [signed, { ...unsigned, thoughtSignature: signed?.["thoughtSignature"] }] },
        content(...both),
      ],
      sent: [reply],
      rules: ["signature"],
    },
    {
      sentence: "a signature is put inside the call",
      messages: [
        {
          role: "model",
          parts: [{ functionCall: { ...(signed?.["functionCall"] as object), thoughtSignature: "x" } }, unsigned],
        },
        content(...both),
      ],
      rules: ["shape"],
    },
    {
      sentence: "takes no field that it does not know",
      messages: [echo, content(response("weather", "call_a1", { is_error: true }), both[1])],
      rules: ["shape"],
    },
    { sentence: "takes no content without parts", messages: [{ role: "model", parts: [] }], rules: ["empty"] },
    {
      sentence: "two turns with the same calls: either may come back",
      messages: [echo, content(...both)],
      sent: [
        { candidates: [{ content: { ...echo, parts: [{ ...signed, thoughtSignature: "T3RoZXI=" }, unsigned] } }] },
        reply,
      ],
      rules: [],
    },
    {
      sentence: "calls stand behind the user",
      messages: [{ role: "model", parts: [{ text: "So." }] }, echo, content(...both)],
      rules: ["order"],
    },
  ]);
});

describe("ollama", () => {
  const messageOf = (name: string) => recordedTurn("ollama", name)["message"] as Message;
  const echo = messageOf("two-calls");
  const same = messageOf("same-tool-twice-no-ids");
  const result = (name: string, id?: string, more: Message = {}) => ({
    role: "tool",
    tool_name: name,
    content: "4",
    ...(id !== undefined && { tool_call_id: id }),
    ...more,
  });
  const both = [result("weather", "call_a1b2c3d4"), result("now", "call_e5f6a7b8")];
  cases("ollama", user, [
    { sentence: "takes both results in the order of the calls", messages: [echo, ...both], rules: [] },
    {
      sentence: "ollama#11417: takes them without ids where calls have none",
      messages: [same, result("weather"), result("weather")],
      rules: [],
    },
    {
      sentence: "ollama#11417: one of two results of a tool",
      messages: [same, result("weather")],
      rules: ["unanswered"],
    },
    { sentence: "the results are exchanged", messages: [echo, ...both.toReversed()], rules: ["match", "match"] },
    {
      sentence: "an id is made up",
      messages: [same, result("weather", "call_0"), result("weather")],
      rules: ["match"],
    },
    { sentence: "knows no result of no call", messages: [result("now")], rules: ["orphan"] },
    {
      sentence: "takes arguments as an object only",
      messages: [messageOf("arguments-as-text"), result("weather")],
      rules: ["arguments"],
    },
    {
      sentence: "takes no object as content",
      messages: [messageOf("no-arguments"), result("now", undefined, { content: { t: 4 } })],
      rules: ["shape"],
    },
    {
      sentence: "takes no list as content, and would lose what is no field",
      messages: [
        { role: "user", content: [{ type: "text", text: "?" }] },
        { role: "assistant", content: "", reasoning_content: "" },
      ],
      rules: ["shape", "shape"],
    },
    {
      sentence: "would lose a name that is not called tool_name",
      messages: [messageOf("no-arguments"), result("now", undefined, { name: "now" })],
      rules: ["shape"],
    },
    {
      sentence: "takes thinking back",
      messages: [messageOf("thinking-and-call"), result("weather", "call_a9b8c7d6")],
      rules: [],
    },
  ]);
});
