import fc from "fast-check";

const space = fc.constantFrom("", "", "", " ", "\n", "\t \r");
const numbers = fc.oneof(
  fc.constantFrom("0", "-0", "1e3", "1E+2", "-1.5e-7", "9007199254740991", "9007199254740993", "1e400", "0.1e-400"),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc
    .tuple(fc.constantFrom("", "-", "0."), fc.integer({ min: 1, max: 400 }))
    .map(([head, count]) => head + "9".repeat(count)),
);
const contents = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom(
    "",
    "a",
    "b",
    "\\u0061",
    "\\\\",
    '\\"',
    "\\ud83d\\ude00",
    "\\ud800",
    "é語😀",
    "__proto__",
    "\\u005f_proto__",
  ),
  fc.integer({ min: 1, max: 300 }).map((count) => "x".repeat(count)),
  fc.integer({ min: 1, max: 60 }).map((count) => "\\\\".repeat(count)),
);
const strings = contents.map((content) => `"${content}"`);

/** JSON texts of every shape: empty lists, deep nests, repeated keys, long numbers and strings, escapes, spaces between. */
export const jsonTexts: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(numbers, strings, fc.constantFrom("true", "false", "null", "[]", "{}", '""')),
    fc.tuple(fc.integer({ min: 1, max: 70 }), fc.boolean()).map(([depth, isArray]) => nest("1", depth, isArray)),
    fc.array(fc.tuple(tie("value"), space), { maxLength: 6 }).map(writeArray),
    fc.array(fc.tuple(strings, space, tie("value")), { maxLength: 6 }).map(writeObject),
    fc.tuple(fc.integer({ min: 2, max: 40 }), fc.constantFrom("{}", "[]", "1", '""', "[[]]", '{"a":{}}')).map(repeat),
  ),
})).value;

/** The same, and what a fault of a writer or of the network makes of them. */
export const nearlyJsonTexts: fc.Arbitrary<string> = fc.oneof(
  jsonTexts,
  fc
    .tuple(
      jsonTexts,
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom("", ",", "]", "}", '"', "\\", ":", "x", "1", "\n", "\u00a0"),
    )
    .map(([text, place, removed, added]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + added + text.slice(at + removed);
    }),
);

/** Where a text is cut: the lengths of its pieces, over and over. */
export const pieceLengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

/** The text in pieces of such lengths, no character cut in two. */
export function piecesOf(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    let end = at + lengths[turn % lengths.length]!;
    if (/^[\ud800-\udbff]$/.test(text[end - 1] ?? "")) end++;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

function nest(inner: string, depth: number, isArray: boolean): string {
  return isArray ? "[".repeat(depth) + inner + "]".repeat(depth) : '{"a":'.repeat(depth) + inner + "}".repeat(depth);
}

function writeArray(items: readonly (readonly [string, string])[]): string {
  return `[${items.map(([value, gap]) => gap + value + gap).join(",")}]`;
}

function writeObject(members: readonly (readonly [string, string, string])[]): string {
  return `{${members.map(([key, gap, value]) => `${gap}${key}${gap}:${gap}${value}${gap}`).join(",")}}`;
}

function repeat([count, item]: readonly [number, string]): string {
  return `[${Array<string>(count).fill(item).join(",")}]`;
}
