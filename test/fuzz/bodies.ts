import fc from "fast-check";

/** Bodies that a caller may send, well meant or not. */
export const bodies: fc.Arbitrary<Buffer<ArrayBuffer>> = fc.oneof(
  { weight: 4, arbitrary: fc.json({ maxDepth: 3, stringUnit: "binary" }).map(bytesOf) },
  { weight: 4, arbitrary: spelledJson().map(bytesOf) },
  { weight: 4, arbitrary: mutated(spelledJson()) },
  { weight: 1, arbitrary: mutated(fc.json({ maxDepth: 2 })) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }).map(bytesOf) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom("\ufeff", "\ufeff\ufeff", " \ufeff", ""), spelledJson()).map(joined),
  },
  { weight: 1, arbitrary: deepJson().map(bytesOf) },
  { weight: 1, arbitrary: largeJson().map(bytesOf) },
);

/** No error may hold it: it stands where only values stand. */
export const secretValue = "canary-of-the-arguments";

/** Objects as arguments, some of whose values are secrets. */
export const secretArguments: fc.Arbitrary<string> = fc
  .dictionary(
    fc.oneof(fc.constantFrom("unit", "count", "list", "when", "inner"), fc.string({ maxLength: 5 })),
    fc.oneof(
      fc.constantFrom(secretValue, [secretValue], { unit: secretValue }, JSON.stringify([secretValue])),
      fc.jsonValue({ maxDepth: 2 }),
    ),
    { maxKeys: 5 },
  )
  .filter((args) => !Object.keys(args).includes("__proto__"))
  .map((args) => JSON.stringify(args));

/** JSON as a text rather than a value: keys twice, numbers and escapes in every spelling, some of them none. */
export function spelledJson(): fc.Arbitrary<string> {
  const key = fc.constantFrom(
    '"a"',
    '"b"',
    '"\\u0061"',
    '""',
    '"unit"',
    '"count"',
    '"list"',
    '"a/b~c"',
    '"\\"',
    '"\\\\"',
    '"é"',
    '"\\ud800"',
    '"__proto__"',
    '"\\u005f_proto__"',
    '"constructor"',
    '"prototype"',
    '"toString"',
    '"hasOwnProperty"',
    '"toJSON"',
  );
  const scalar = fc.oneof(
    fc.constantFrom(
      ..."1 -0 0.1 1e400 -1e400 1e22 9007199254740993 -9007199254740992 18014398509481984".split(" "),
      ..."123456789012345678901.5 1E+2 1e-400 01 +1 .5 1. NaN Infinity 0x10 1_0 -".split(" "),
      ..."true false null True undefined '' 'a'".split(" "),
      '"x"',
      '"\\u00e9"',
      '"\\ud83d\\ude00"',
      '"\\ud800"',
      '"\\x"',
      '"\n"',
      '"\u2028"',
      '"\u0000"',
      '"{\\"a\\":1}"',
      '"[1]"',
      '"5"',
    ),
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
    fc.double().map(String),
    fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => JSON.stringify(text)),
  );
  const between = fc.constantFrom("", "", "", " ", "\n", "\t\r\n");
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: "spelled" },
      { weight: 3, arbitrary: scalar },
      { weight: 4, arbitrary: membersOf(tie("value")) },
      { weight: 1, arbitrary: listOf(tie("value")) },
    ),
  }));
  return fc.oneof({ weight: 3, arbitrary: membersOf(value) }, { weight: 1, arbitrary: value });

  function membersOf(member: fc.Arbitrary<string>): fc.Arbitrary<string> {
    const pair = fc.tuple(key, between, member).map(([name, gap, text]) => `${name}${gap}:${gap}${text}`);
    return fc
      .tuple(fc.array(pair, { maxLength: 4 }), between)
      .map(([pairs, gap]) => `{${gap}${pairs.join(`,${gap}`)}}`);
  }

  function listOf(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
    return fc.array(item, { maxLength: 4 }).map((items) => `[${items.join(",")}]`);
  }
}

function deepJson(): fc.Arbitrary<string> {
  const depth = fc.oneof(fc.integer({ min: 55, max: 70 }), fc.integer({ min: 1, max: 2000 }));
  const missing = fc.constantFrom(0, 0, 0, 1);
  return fc.tuple(depth, missing, fc.boolean(), fc.boolean()).map(([levels, less, isObject, isMixed]) => {
    const opens = Array.from({ length: levels }, (_, level) => (isObject !== (isMixed && level % 2 === 1) ? "{" : "["));
    const closes = opens.toReversed().map((open) => (open === "{" ? "}" : "]"));
    return `${opens.map((open) => (open === "{" ? '{"a":' : "[")).join("")}1${closes.slice(less).join("")}`;
  });
}

function largeJson(): fc.Arbitrary<string> {
  const length = fc.oneof(fc.integer({ min: 4070, max: 4110 }), fc.integer({ min: 1000, max: 9000 }));
  return fc
    .tuple(length, fc.constantFrom("x", "é", "\\n", "1e999,"))
    .map(([count, unit]) =>
      unit === "1e999," ? `{"a":[${unit.repeat(count / 8)}1]}` : `{"a":"${unit.repeat(count / unit.length)}"}`,
    );
}

/** A text that was nearly JSON: bytes put in, taken out, changed, doubled. */
function mutated(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer<ArrayBuffer>> {
  const piece = fc.constantFrom(
    ..."{}[]\",:\\-+.eE0/'*#\u0000\ufeff \u2028",
    ..."// /**/ __proto__ ,,".split(" "),
    "\\u",
    '"a":1,',
    "\xff",
  );
  const change = fc.tuple(fc.nat(1_000_000), fc.constantFrom("insert", "delete", "replace", "double"), piece);
  return fc.tuple(text, fc.array(change, { minLength: 1, maxLength: 3 })).map(([whole, changes]) => {
    let bytes = bytesOf(whole);
    for (const [place, kind, insertion] of changes) {
      const at = place % (bytes.length + 1);
      const middle = kind === "insert" || kind === "replace" ? Buffer.from(insertion, "latin1") : Buffer.alloc(0);
      const from = kind === "double" ? Math.max(0, at - 5) : at;
      const after = kind === "insert" || kind === "double" ? from : at + 1;
      bytes = Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(after)]);
    }
    return bytes;
  });
}

function bytesOf(text: string): Buffer<ArrayBuffer> {
  return Buffer.from(text, "utf8");
}

function joined(parts: readonly string[]): Buffer<ArrayBuffer> {
  return bytesOf(parts.join(""));
}
