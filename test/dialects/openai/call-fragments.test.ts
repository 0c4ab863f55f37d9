import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOpenAiAccumulator } from "../../../src/dialects/openai/stream.ts";
import { readOpenAiReply } from "../../../src/dialects/openai/reply.ts";
import { cut, numbers } from "../streaming/cuts.ts";
import { accumulate } from "../streaming/whole-reply.ts";
import { runs } from "../../runs.ts";

/** A call as the model meant it. */
interface Meant {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface Fragment {
  readonly index?: number | string | undefined;
  readonly id?: string;
  readonly type?: "function";
  readonly function: { readonly name?: string; readonly arguments?: string };
}

/** How a service writes one call; `newId` gives another id each time. */
type Style = (call: Meant, place: number, sizes: readonly number[], newId: () => string) => Fragment[];

function readCalls(fragments: readonly Fragment[]) {
  const chunks = fragments.map((fragment) => ({ choices: [{ index: 0, delta: { tool_calls: [fragment] } }] }));
  const { reply } = accumulate(createOpenAiAccumulator(), [
    ...chunks,
    { choices: [{ delta: {}, finish_reason: "stop" }] },
  ]);
  const value: unknown = JSON.parse(JSON.stringify(reply));
  return readOpenAiReply({ value, text: JSON.stringify(value), refusals: [] });
}

/** Calls that would run, as they would. */
function runnable(fragments: readonly Fragment[]) {
  return readCalls(fragments).calls.map(({ name, arguments: args, refusal }) => refusal?.message ?? { name, args });
}

const pieces = ({ args }: Meant, sizes: readonly number[]): string[] =>
  cut(JSON.stringify(args), sizes).filter((piece) => piece !== "");
const whole = ({ args }: Meant): string => JSON.stringify(args);

/** Where a service counts its calls. */
const indexes: Readonly<Record<string, (place: number) => { index?: number }>> = {
  "an index": (index) => ({ index }),
  "index 0 for all": () => ({ index: 0 }),
  "no index": () => ({}),
};

const styles: Readonly<Record<string, Style>> = {
  "the id and the name once": (call, place, sizes) => [
    { id: `c${place}`, type: "function", function: { name: call.name, arguments: "" } },
    ...pieces(call, sizes).map((text) => ({ function: { arguments: text } })),
  ],
  "the id with each piece": (call, place, sizes) => [
    { id: `c${place}`, function: { name: call.name } },
    ...pieces(call, sizes).map((text) => ({ id: `c${place}`, function: { arguments: text } })),
  ],
  "id and name with each piece": (call, place, sizes) =>
    ["", ...pieces(call, sizes)].map((text) => ({ id: `c${place}`, function: { name: call.name, arguments: text } })),
  "another id without a name with each piece": (call, _place, sizes, newId) => [
    { id: newId(), function: { name: call.name, arguments: "" } },
    ...pieces(call, sizes).map((text) => ({ id: newId(), function: { arguments: text } })),
    { id: newId(), function: { arguments: "" } },
  ],
  "another id and the name with each piece": (call, _place, sizes, newId) =>
    pieces(call, sizes).map((text) => ({ id: newId(), function: { name: call.name, arguments: text } })),
  "the name with each piece": (call, _place, sizes) =>
    pieces(call, sizes).map((text) => ({ function: { name: call.name, arguments: text } })),
  "empty names and ids behind the first piece": (call, place, sizes) => [
    { id: `c${place}`, function: { name: call.name, arguments: "" } },
    ...pieces(call, sizes).map((text) => ({ id: "", function: { name: "", arguments: text } })),
  ],
  "a whole call in one piece": (call, place) => [
    { id: `c${place}`, function: { name: call.name, arguments: whole(call) } },
  ],
  "a whole call without an id": (call) => [{ function: { name: call.name, arguments: whole(call) } }],
  "a whole call with the id of all others": (call) => [
    { id: "c", function: { name: call.name, arguments: whole(call) } },
  ],
  "the id before the name": (call, place, sizes) => [
    { id: `c${place}`, function: { arguments: "" } },
    { function: { name: call.name, arguments: "" } },
    ...pieces(call, sizes).map((text) => ({ function: { arguments: text } })),
  ],
  "the arguments once more at the end": (call, place, sizes) => [
    { id: `c${place}`, function: { name: call.name, arguments: "" } },
    ...[...pieces(call, sizes), whole(call)].map((text) => ({ function: { arguments: text } })),
  ],
  "the whole call once more at the end": (call, place, sizes) => [
    { id: `c${place}`, function: { name: call.name, arguments: "" } },
    ...pieces(call, sizes).map((text) => ({ function: { arguments: text } })),
    { id: `c${place}`, function: { name: call.name, arguments: whole(call) } },
  ],
  "the whole call and its name once more at the end": (call, place, sizes) => [
    { id: `c${place}`, function: { name: call.name, arguments: "" } },
    ...pieces(call, sizes).map((text) => ({ function: { arguments: text } })),
    { function: { name: call.name, arguments: whole(call) } },
  ],
  "all that came before with each piece": (call, place, sizes) => [
    { id: `c${place}`, function: { name: call.name, arguments: "" } },
    ...pieces(call, sizes).map((_, at, all) => ({ function: { arguments: all.slice(0, at + 1).join("") } })),
  ],
  "all that came before, id and name with each piece": (call, place, sizes) =>
    pieces(call, sizes).map((_, at, all) => {
      return { id: `c${place}`, function: { name: call.name, arguments: all.slice(0, at + 1).join("") } };
    }),
  "an empty object first": (call, place, sizes) => [
    { id: `c${place}`, function: { name: call.name, arguments: "{}" } },
    ...pieces(call, sizes).map((text) => ({ function: { arguments: text } })),
  ],
  "an index behind the first piece only": (call, place, sizes) => [
    { index: undefined, id: `c${place}`, function: { name: call.name, arguments: "" } },
    ...pieces(call, sizes).map((text) => ({ index: place, function: { arguments: text } })),
  ],
  "an index that counts the pieces": (call, place, sizes, newId) =>
    ["", ...pieces(call, sizes)].map((text, at) => ({
      index: Number(newId().replace("random_", "")),
      ...(at === 0 && { id: `c${place}` }),
      function: { ...(at === 0 && { name: call.name }), arguments: text },
    })),
  "an index that counts the pieces, and the id with each": (call, place, sizes, newId) =>
    ["", ...pieces(call, sizes)].map((text, at) => ({
      index: Number(newId().replace("random_", "")),
      id: `c${place}`,
      function: { ...(at === 0 && { name: call.name }), arguments: text },
    })),
  "an index that is text at first": (call, place, sizes) => [
    { index: `${place}`, id: `c${place}`, function: { name: call.name, arguments: "" } },
    ...pieces(call, sizes).map((text) => ({ index: place, function: { arguments: text } })),
  ],
  "a name in pieces": (call, place, sizes) => [
    ...cut(call.name, sizes)
      .filter((piece) => piece !== "")
      .map((name, at) => ({ ...(at === 0 && { id: `c${place}` }), function: { name } })),
    ...pieces(call, sizes).map((text) => ({ function: { arguments: text } })),
  ],
  "a name that is longer each time": (call, place, sizes) => [
    ...cut(call.name, sizes)
      .map((_, at, all) => all.slice(0, at + 1).join(""))
      .map((name) => ({ id: `c${place}`, function: { name, arguments: "" } })),
    ...pieces(call, sizes).map((text) => ({ function: { arguments: text } })),
  ],
};

const text = fc.string({ unit: "grapheme", maxLength: 6 });
// A piece that begins with a brace is for some styles the beginning of an object.
const flat = text.filter((value) => !value.includes("{"));
const args = fc.record({ city: fc.oneof(flat, fc.integer()), days: fc.oneof(flat, fc.boolean(), fc.constant(null)) });
const calls = fc
  .uniqueArray(args, { minLength: 1, maxLength: 4, selector: (value) => JSON.stringify(value) })
  .chain((all) =>
    fc
      .array(fc.constantFrom("get_weather", "find"), { minLength: all.length, maxLength: all.length })
      .map((names) => all.map((value, at): Meant => ({ name: names[at] ?? "find", args: value }))),
  );

const combinations = Object.keys(styles).flatMap((style) =>
  Object.keys(indexes).map((index) => [style, index] as const),
);

describe("fragments of calls", () => {
  it("come to the calls that were meant, however a service writes them", () => {
    fc.assert(
      fc.property(fc.constantFrom(...combinations), calls, numbers, ([style, index], meant, sizes) => {
        let count = 0;
        const newId = (): string => `random_${count++}`;
        const fragments = meant.flatMap((call, place) =>
          styles[style]!(call, place, sizes, newId).map((fragment) => ({ ...indexes[index]!(place), ...fragment })),
        );
        expect(runnable(fragments)).toEqual(meant);
      }),
      { numRuns: runs(60 * combinations.length, 2 * combinations.length) },
    );
  });

  it("with two whole objects that differ never come to one of them, or to a mixture", () => {
    const objects = fc.uniqueArray(args, { minLength: 2, maxLength: 2, selector: (value) => JSON.stringify(value) });
    const ways = fc.record({
      index: fc.constantFrom(0, undefined),
      id: fc.boolean(),
      name: fc.boolean(),
      sizes: numbers,
    });
    fc.assert(
      fc.property(objects, ways, ([one, other], { index, id, name, sizes }) => {
        const begun = { ...(index !== undefined && { index }), ...(id && { id: "a" }) };
        const again = { ...begun, function: { ...(name && { name: "f" }), arguments: JSON.stringify(other) } };
        const [opening, ...more] = cut(JSON.stringify(one), sizes);
        const fragments: Fragment[] = [
          { ...begun, function: { name: "f", arguments: opening! } },
          ...more.map((piece) => ({ ...begun, function: { arguments: piece } })),
          again,
        ];
        const { calls: found } = readCalls(fragments);
        const read = found.map(({ arguments: value, refusal }) => (refusal === undefined ? value : refusal.code));
        expect([[one, other], ["invalid_arguments"]]).toContainEqual(read);
      }),
      { numRuns: runs(1000) },
    );
  });

  it("say that arguments came several times", () => {
    const { calls: found, warnings } = readCalls([
      { index: 0, id: "a", function: { name: "f", arguments: '{"city":"Oslo"}' } },
      { index: 0, function: { arguments: '{"city":"Oslo"}' } },
    ]);
    expect(found).toMatchObject([{ name: "f", arguments: { city: "Oslo" }, refusal: undefined }]);
    expect(warnings).toEqual([{ call: 0, message: expect.stringContaining("sent several times") as string }]);
  });

  it("go on with the open call of their index if they bring another id and no name", () => {
    const { calls: found } = readCalls([
      { index: 0, id: "a", function: { name: "f", arguments: "" } },
      { index: 0, id: "b", function: { arguments: '{"city"' } },
      { index: 0, id: "b", function: { arguments: ':"Oslo"}' } },
    ]);
    expect(found).toMatchObject([{ id: "a", name: "f", arguments: { city: "Oslo" } }]);
  });

  it("are two calls if they bring two names under one id", () => {
    const one = { index: 0, id: "a", function: { name: "f", arguments: '{"a":1}' } };
    const other = { index: 0, id: "a", function: { name: "g", arguments: '{"a":1}' } };
    expect(runnable([one, other])).toEqual([
      { name: "f", args: { a: 1 } },
      { name: "g", args: { a: 1 } },
    ]);
  });
});
