import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { said as readSaid } from "../conversation/said.ts";
import { createGeminiAccumulator } from "../../../src/dialects/gemini/stream.ts";
import { readGeminiReply } from "../../../src/dialects/gemini/reply.ts";
import { recordedNames, recordedTurn } from "../recorded/recorded-turn.ts";
import { toGeminiChunks } from "./chunks.ts";
import { accumulate } from "../streaming/whole-reply.ts";
import { runs } from "../../runs.ts";

type Fields = Record<string, unknown>;

const said = (...parts: Fields[]): Fields => ({ candidates: [{ content: { role: "model", parts }, index: 0 }] });
const stop = { candidates: [{ finishReason: "STOP", index: 0 }] };
const call = (fields: Fields, more: Fields = {}): Fields => said({ functionCall: fields, ...more });
const piece = (...partialArgs: Fields[]): Fields => call({ partialArgs, willContinue: true });
const begin = call({ name: "weather", willContinue: true });
const end = call({});

function run(...chunks: Fields[]) {
  const { reply, text } = accumulate(createGeminiAccumulator(), chunks);
  const whole = reply as { candidates: { content: { parts: Fields[] }; finishReason: string }[] } & Fields;
  return { reply: whole, text, parts: whole.candidates?.[0]?.content?.parts };
}

function read(reply: unknown) {
  const text = JSON.stringify(reply);
  return readGeminiReply({ value: JSON.parse(text), text, refusals: [] });
}

/** The arguments of the one call, or undefined where the turn counts as malformed. */
function argsOf(...pieces: Fields[]): unknown {
  const { reply } = run(begin, ...pieces.map((one) => piece(one)), end, stop);
  return read(reply).calls[0]?.arguments;
}

describe("a stream whose keys are written with underscores", () => {
  const underscored = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(underscored);
    if (typeof value !== "object" || value === null) return value;
    const renamed = Object.entries(value).map(([key, member]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      underscored(member),
    ]);
    return Object.fromEntries(renamed) as Fields;
  };
  const pieces = [
    { jsonPath: "$.city", stringValue: "Os", willContinue: true },
    { jsonPath: "$.city", stringValue: "lo" },
    { jsonPath: "$.days", numberValue: 3 },
    { jsonPath: "$.exact", boolValue: false },
    { jsonPath: "$.note", nullValue: "NULL_VALUE" },
  ];
  const signature = { thoughtSignature: "c2ln" };
  const turns: Fields[][] = [
    [begin, ...pieces.map((one) => piece(one)), end, stop],
    [call({ id: "1", name: "weather", willContinue: true, args: { a: 1 } }, signature), piece(...pieces), end, stop],
    [call({ name: "weather", partialArgs: pieces }), call({ name: "now", args: {} }), stop],
  ];

  it.each(turns)("comes to the same calls, %#", (...chunks) => {
    const calls = read(run(...chunks).reply).calls.map(({ id, name, arguments: args }) => ({ id, name, args }));
    expect(calls[0]?.args).toMatchObject({ city: "Oslo", days: 3, exact: false, note: null });
    const { reply, parts } = run(...(chunks.map(underscored) as Fields[]));
    expect(read(reply).calls.map(({ id, name, arguments: args }) => ({ id, name, args }))).toEqual(calls);
    expect(parts).toEqual(underscored(run(...chunks).parts));
  });

  it("is malformed if a text in it does not end, and over if the prompt was blocked", () => {
    const open = [begin, piece(pieces[0]!), end, stop].map(underscored) as Fields[];
    expect(run(...open).reply.candidates[0]?.finishReason).toBe("MALFORMED_FUNCTION_CALL");
    expect(run({ prompt_feedback: { block_reason: "SAFETY" } }).reply).toEqual({
      prompt_feedback: { block_reason: "SAFETY" },
    });
  });
});

describe("a streamed response of Gemini", () => {
  it("is the response that would have come whole", () => {
    const { reply, text } = run(
      { ...said({ text: "Hel" }), modelVersion: "gemini-3", responseId: "r", usageMetadata: { trafficType: "X" } },
      { ...said({ text: "lo" }), modelVersion: "gemini-3", responseId: "r" },
      {
        candidates: [
          {
            content: { parts: [{ text: "" }], role: "model" },
            finishReason: "STOP",
            finishMessage: "m",
            groundingMetadata: { g: 1 },
            index: 0,
          },
        ],
        usageMetadata: { promptTokenCount: 3 },
      },
    );
    expect(text).toBe("Hello");
    expect(reply).toEqual({
      candidates: [
        {
          content: { role: "model", parts: [{ text: "Hello" }] },
          finishReason: "STOP",
          finishMessage: "m",
          groundingMetadata: { g: 1 },
          index: 0,
        },
      ],
      modelVersion: "gemini-3",
      responseId: "r",
      usageMetadata: { promptTokenCount: 3 },
    });
  });

  it("joins texts of one kind, and thoughts are none for the user", () => {
    const { parts, text } = run(
      said({ text: "I ", thought: true }),
      said({ text: "think", thought: true }),
      said({ text: "a" }, { text: "b" }),
      said({ text: "hm", thought: true }),
      stop,
    );
    expect(parts).toEqual([{ text: "I think", thought: true }, { text: "ab" }, { text: "hm", thought: true }]);
    expect(text).toBe("ab");
  });

  it("keeps a signature on the part that it came with, an empty text too", () => {
    const signed = [
      { text: "a" },
      { text: "b", thoughtSignature: "c2ln" },
      { text: "c" },
      { text: "", thoughtSignature: "ZW5k" },
    ];
    expect(run(...signed.map((part) => said(part)), stop).parts).toEqual(signed);
  });

  it("keeps in its place what the server ran itself", () => {
    const parts = [
      { text: "a" },
      { executableCode: { language: "PYTHON", code: "1" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
      { toolCall: { id: "1", toolType: "GOOGLE_SEARCH" } },
      { toolResponse: { id: "1" } },
      { text: "b" },
    ];
    expect(run(...parts.map((part) => said(part)), stop).parts).toEqual(parts);
  });

  it("collects calls over chunks; parallel ones have the signature on the first alone", () => {
    const first = { functionCall: { id: "1", name: "weather", args: { city: "Oslo" } }, thoughtSignature: "c2ln" };
    const second = { functionCall: { id: "2", name: "weather", args: { city: "Lima" } } };
    const { parts, reply } = run(said(first), said(second), stop);
    expect(parts).toEqual([first, second]);
    expect(read(reply).calls.map(({ id }) => id)).toEqual(["1", "2"]);
  });

  it("has a call without arguments, and no more of it is waited for", () => {
    const { parts } = run(call({ name: "read" }, { thoughtSignature: "c2ln" }), call({ name: "read" }), stop);
    expect(parts).toEqual([
      { functionCall: { name: "read" }, thoughtSignature: "c2ln" },
      { functionCall: { name: "read" } },
    ]);
  });

  it("takes the last word of each field, where null says nothing", () => {
    const last = { candidates: [{ finishReason: null, safetyRatings: [1], index: 0 }], usageMetadata: null };
    const { reply } = run(
      { ...said({ text: "a" }), usageMetadata: { promptTokenCount: 1 } },
      { ...stop, usageMetadata: { promptTokenCount: 2 } },
      last,
    );
    expect(reply).toMatchObject({
      candidates: [{ finishReason: "STOP", safetyRatings: [1] }],
      usageMetadata: { promptTokenCount: 2 },
    });
  });

  it("keeps the reason to finish behind an empty one", () => {
    const [cut, empty] = ["MAX_TOKENS", ""].map((finishReason) => ({ candidates: [{ finishReason, index: 0 }] }));
    expect(run(said({ text: "a" }), cut!, empty!).reply.candidates[0]?.finishReason).toBe("MAX_TOKENS");
  });

  it("keeps several candidates apart, and streams the first", () => {
    const part = (index: number, text: string) => ({ candidates: [{ content: { parts: [{ text }] }, index }] });
    const { reply, text } = run(part(1, "x"), part(0, "a"), part(1, "y"), part(0, "b"), stop, {
      candidates: [{ finishReason: "STOP", index: 1 }],
    });
    expect(text).toBe("ab");
    expect(reply.candidates.map(({ content }) => content.parts)).toEqual([[{ text: "ab" }], [{ text: "xy" }]]);
  });

  it.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"])(
    "keeps the bad end %s",
    (finishReason) => {
      const { reply } = run({ candidates: [{ content: {}, finishReason, finishMessage: "why", index: 0 }] });
      expect(reply).toEqual({ candidates: [{ content: {}, finishReason, finishMessage: "why", index: 0 }] });
      expect(read(reply).resume).toBe(true);
    },
  );

  it("is whole where the prompt was blocked", () => {
    const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 9 } };
    expect(run(blocked).reply).toEqual(blocked);
  });

  it.each([
    ["before anything came", []],
    ["without a finishReason", [said({ text: "a" })]],
    ["in the middle of a call", [begin]],
  ])("is a StreamError where it ends %s", (_name, chunks) => {
    expect(() => run(...chunks)).toThrow(expect.objectContaining({ name: "StreamError" }));
  });

  it("throws what the provider says in the middle", () => {
    const error = { code: 503, status: "UNAVAILABLE", message: "Try later." };
    expect(() => run(said({ text: "a" }), { error })).toThrow("Try later. (UNAVAILABLE)");
  });

  it("is plain data, without what the SDK adds", () => {
    class GenerateContentResponse {
      candidates = [{ content: { parts: [{ text: "a" }] }, finishReason: "STOP" }];
      sdkHttpResponse = { headers: {} };
      automaticFunctionCallingHistory = [];
      get text(): string {
        throw new Error("not to be asked");
      }
    }
    const accumulator = createGeminiAccumulator();
    accumulator.add(new GenerateContentResponse());
    expect(accumulator.end()).toStrictEqual({
      candidates: [{ content: { parts: [{ text: "a" }] }, finishReason: "STOP" }],
    });
  });

  it("passes over what is no chunk", () => {
    const accumulator = createGeminiAccumulator();
    const odd = [
      null,
      1,
      "x",
      [],
      {},
      { candidates: 1 },
      { candidates: [null, { content: 1 }, { content: { parts: [null, {}] } }] },
    ];
    expect(odd.map((chunk) => accumulator.add(chunk)).join("")).toBe("");
  });
});

describe("a call that Vertex AI streams in pieces", () => {
  it("has texts of the same path in one, with the signature that it began with", () => {
    const { parts, reply } = run(
      call({ name: "weather", willContinue: true }, { thoughtSignature: "c2ln" }),
      piece({ jsonPath: "$.location", stringValue: "Bos", willContinue: true }),
      piece({ jsonPath: "$.location", stringValue: "ton", willContinue: true }),
      piece({ jsonPath: "$.location", stringValue: "" }),
      end,
      call({ name: "weather", willContinue: true }),
      piece({ jsonPath: "$.location", stringValue: "Lima" }),
      end,
      stop,
    );
    expect(parts).toEqual([
      { functionCall: { name: "weather", args: { location: "Boston" } }, thoughtSignature: "c2ln" },
      { functionCall: { name: "weather", args: { location: "Lima" } } },
    ]);
    expect(read(reply).calls.map((one) => one.arguments)).toEqual([{ location: "Boston" }, { location: "Lima" }]);
  });

  it("is complete without its closing part", () => {
    const { parts } = run(
      begin,
      piece({ jsonPath: "$.a", numberValue: 0.5 }),
      call({ partialArgs: [{ jsonPath: "$.b", boolValue: false }] }),
      said({ text: "" }),
      stop,
    );
    expect(parts).toEqual([{ functionCall: { name: "weather", args: { a: 0.5, b: false } } }]);
    expect(run(begin, piece({ jsonPath: "$.a", numberValue: 1 }), stop).parts).toEqual([
      { functionCall: { name: "weather", args: { a: 1 } } },
    ]);
  });

  it("ends where the next begins", () => {
    const { parts } = run(
      begin,
      piece({ jsonPath: "$.a", numberValue: 1 }),
      begin,
      piece({ jsonPath: "$.a", numberValue: 2 }),
      stop,
    );
    expect(parts?.map(({ functionCall }) => functionCall)).toEqual([
      { name: "weather", args: { a: 1 } },
      { name: "weather", args: { a: 2 } },
    ]);
  });

  it("goes on under its id, where each piece repeats the name", () => {
    const one = (pieces: Fields) => call({ id: "1", name: "weather", willContinue: true, partialArgs: [pieces] });
    expect(
      run(one({ jsonPath: "$.a", numberValue: 1 }), one({ jsonPath: "$.b", nullValue: "NULL_VALUE" }), end, stop).parts,
    ).toEqual([{ functionCall: { id: "1", name: "weather", args: { a: 1, b: null } } }]);
  });

  it("has no arguments where none came, and a second closing part is no call", () => {
    expect(run(begin, call({ willContinue: true }), end, end, stop).parts).toEqual([
      { functionCall: { name: "weather", args: {} } },
    ]);
  });

  it.each([
    ["$.a.b[0].c", { a: { b: [{ c: 1 }] } }],
    ["$['x y']", { "x y": 1 }],
    ["$['it\\'s \"it\"']", { 'it\'s "it"': 1 }],
    ['$["a.b"][0][0]', { "a.b": [[1]] }],
    ["$['\\u00e5']", { å: 1 }],
    ["$.straße-1", { "straße-1": 1 }],
    ["$.constructor.prototype.polluted", { constructor: { prototype: { polluted: 1 } } }],
  ])("is written at %s", (jsonPath, expected) => {
    expect(argsOf({ jsonPath, numberValue: 1 })).toEqual(expected);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("fills lists in their order", () => {
    expect(
      argsOf(
        { jsonPath: "$.l[0].a", numberValue: 1 },
        { jsonPath: "$.l[0].b", boolValue: true },
        { jsonPath: "$.l[1].a", nullValue: null },
        { jsonPath: "$.l[2]", stringValue: "x" },
      ),
    ).toEqual({ l: [{ a: 1, b: true }, { a: null }, "x"] });
  });

  it.each([
    ["a path to __proto__", { jsonPath: "$.__proto__.polluted", numberValue: 1 }],
    ["one in quotes", { jsonPath: "$['__proto__']['polluted']", numberValue: 1 }],
    ["one in escapes", { jsonPath: "$['\\u005f_proto__'].polluted", numberValue: 1 }],
    ["an index far behind the list's end", { jsonPath: "$.a[999999999]", numberValue: 1 }],
    ["an index beyond all numbers", { jsonPath: "$.a[99999999999999999999]", numberValue: 1 }],
    ["the root itself", { jsonPath: "$", numberValue: 1 }],
    ["a list at the root", { jsonPath: "$[0]", numberValue: 1 }],
    ["many values at once", { jsonPath: "$.a[*]", numberValue: 1 }],
    ["a broken path", { jsonPath: "$.a[", numberValue: 1 }],
    ["no path", { numberValue: 1 }],
    ["a path deeper than any", { jsonPath: `$${".a".repeat(5000)}`, numberValue: 1 }],
    ["no value", { jsonPath: "$.a" }],
  ])("is malformed, and no call with invented arguments: %s", (_name, odd) => {
    const { reply } = run(begin, piece({ jsonPath: "$.ok", numberValue: 1 }), piece(odd), end, stop);
    expect(reply.candidates[0]?.finishReason).toBe("MALFORMED_FUNCTION_CALL");
    expect(read(reply)).toMatchObject({ calls: [], resume: true });
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it.each([
    ["a text that never ended", [{ jsonPath: "$.a", stringValue: "Bos", willContinue: true }]],
    [
      "a value given twice",
      [
        { jsonPath: "$.a", numberValue: 1 },
        { jsonPath: "$.a", numberValue: 2 },
      ],
    ],
    [
      "a number in the middle of a text",
      [
        { jsonPath: "$.a", stringValue: "x", willContinue: true },
        { jsonPath: "$.a", numberValue: 2 },
      ],
    ],
    [
      "a member of a number",
      [
        { jsonPath: "$.a", numberValue: 1 },
        { jsonPath: "$.a.b", numberValue: 2 },
      ],
    ],
    [
      "a member of null",
      [
        { jsonPath: "$.a", nullValue: null },
        { jsonPath: "$.a.b", numberValue: 2 },
      ],
    ],
    [
      "an index into an object",
      [
        { jsonPath: "$.a.b", numberValue: 1 },
        { jsonPath: "$.a[0]", numberValue: 2 },
      ],
    ],
  ])("is malformed where the pieces do not fit: %s", (_name, pieces) => {
    expect(argsOf(...pieces)).toBeUndefined();
  });

  it("is cut off where the turn is", () => {
    const { reply } = run(begin, piece({ jsonPath: "$.a", stringValue: "Bos", willContinue: true }), {
      candidates: [{ finishReason: "MAX_TOKENS" }],
    });
    expect(reply.candidates[0]?.finishReason).toBe("MAX_TOKENS");
    expect(read(reply).calls[0]?.refusal?.message).toContain("cut off");
  });

  it("changes no chunk, which others may hold too", () => {
    const chunks = [
      call({ name: "weather", args: { a: {} }, willContinue: true }),
      piece({ jsonPath: "$.a.b", numberValue: 1 }),
      end,
      stop,
    ];
    const before = structuredClone(chunks);
    expect(run(...chunks).parts).toEqual([{ functionCall: { name: "weather", args: { a: { b: 1 } } } }]);
    expect(chunks).toEqual(before);
  });
});

describe("however a response is cut into chunks", () => {
  it.each(recordedNames("gemini"))("it equals the recorded turn %s", (name) => {
    const whole = recordedTurn("gemini", name);
    fc.assert(
      fc.property(toGeminiChunks(whole), (chunks) => {
        const { reply, text } = accumulate(createGeminiAccumulator(), chunks);
        expect(reply).toEqual(whole);
        expect(text).toBe(readSaid("gemini", whole).text);
      }),
      { numRuns: runs(50) },
    );
  });

  it("it equals any that the API may answer", () => {
    const key = fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }).filter((name) => name !== "__proto__");
    const { value: args } = fc.letrec((tie) => ({
      leaf: fc.oneof(
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
        fc.boolean(),
        fc.constant(null),
      ),
      any: fc.oneof({ maxDepth: 3 }, tie("leaf"), tie("value"), fc.array(tie("any"), { maxLength: 3 })),
      value: fc.dictionary(key, tie("any"), { maxKeys: 4 }),
    }));
    const part = fc.oneof(
      fc.record({ text: fc.string({ minLength: 1 }), thoughtSignature: fc.base64String() }),
      fc.record({ functionCall: fc.record({ name: fc.constant("t"), args: args! }) }),
      fc.record({
        functionCall: fc.record({ id: fc.uuid(), name: fc.constant("t"), args: args! }),
        thoughtSignature: fc.base64String(),
      }),
      fc.record({ executableCode: fc.record({ code: fc.string() }) }),
      fc.record({ text: fc.constant(""), thoughtSignature: fc.base64String() }),
    );
    const plain = fc.record({ text: fc.string({ minLength: 1 }) });
    const thought = fc.record({ text: fc.string({ minLength: 1 }), thought: fc.constant(true) });
    // Two texts of one kind never stand side by side in a whole response.
    const parts = fc
      .array(fc.tuple(fc.option(plain), fc.option(thought), part), { minLength: 1, maxLength: 4 })
      .map((groups) => groups.flat().filter((one) => one !== null));
    fc.assert(
      fc.property(
        parts.chain((list) => {
          const whole = {
            candidates: [{ content: { role: "model", parts: list }, finishReason: "STOP", index: 0 }],
            usageMetadata: { promptTokenCount: 5 },
          };
          return toGeminiChunks(whole).map((chunks) => ({ whole, chunks }));
        }),
        ({ whole, chunks }) => {
          expect(accumulate(createGeminiAccumulator(), chunks).reply).toEqual(whole);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
