import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonSyntaxError, parseJson } from "../../src/json/parse.ts";
import { pointerToken } from "../../src/json/pointer.ts";
import { cpuMs } from "../cpu-time.ts";
import { runs, sizeOf } from "../runs.ts";

const arrays = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const objects = (depth: number) => '{"a":'.repeat(depth - 1) + "{}" + "}".repeat(depth - 1);

describe("what JSON.parse takes and nothing is lost of", () => {
  it.each([
    "null",
    "0",
    "-0",
    '"x"',
    "[]",
    " {} ",
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
    '{"":1}',
    '{"a:b":":","c\\"":"\\\\"}',
    "9007199254740991",
    "9007199254740992",
    "-9007199254740992",
    "1e300",
    "1.5e-400",
    "123456789012345678901.5",
    "1e22",
    '{"constructor":1,"prototype":2,"toString":3,"proto":4}',
    '{"a":1,"A":2}',
    '"\\ud800"',
    "[1.0,5.00]",
    "18014398509481984",
  ])("is taken: %s", (text) => {
    expect(parseJson(text)).toEqual({ value: JSON.parse(text), refusals: [] });
  });

  it("is any JSON of plain values", () => {
    const json = fc
      .jsonValue({ maxDepth: 6, noUnicodeString: false })
      .filter((value) => !JSON.stringify(value).includes("__proto__"));
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        const numbers = text.match(/-?\d{16,}/g) ?? [];
        fc.pre(numbers.length === 0);
        expect(parseJson(text)).toEqual({ value: JSON.parse(text), refusals: [] });
      }),
      { numRuns: runs(300) },
    );
  });
});

describe("a key that is given twice", () => {
  it.each([
    ['{"a":1,"a":2}', ""],
    ['{"a":1,"\\u0061":1}', ""],
    ['{"x":{"/~":[0,{"b":1 , "c":{},"b":1}]}}', "/x/~1~0/1"],
    ['{"":1,"":2}', ""],
    ['{"\\"":1,"\\u0022":2}', ""],
    ['{"a":{"b":1,"b":2},"a":3}', "/a"],
  ])("is refused with the place: %s", (text, path) => {
    expect(parseJson(text).refusals).toContainEqual({
      path,
      reason: expect.stringContaining("twice"),
    });
  });

  it("is none where it stands in different objects", () => {
    expect(parseJson('[{"a":1},{"a":1},{"b":{"a":1}}]').refusals).toEqual([]);
  });
});

describe("the key __proto__", () => {
  it.each([
    '{"__proto__":{"x":1}}',
    '{"\\u005f_proto__":1}',
    '[[{"a":{"__proto__":null}}]]',
    '{"__proto__":1,"__proto__":2}',
  ])("is refused: %s", (text) => {
    expect(parseJson(text).refusals).toContainEqual({
      path: expect.any(String),
      reason: expect.stringContaining("__proto__"),
    });
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("is an ordinary string as a value", () => {
    expect(parseJson('{"a":"__proto__"}').refusals).toEqual([]);
  });
});

describe("a number that would be changed", () => {
  it.each([
    ["9007199254740993", ""],
    ["[1,-9007199254740993]", "/1"],
    ['{"id": 7960607143101464577 }', "/id"],
    ["1e400", ""],
    ['{"a":[-1E+999]}', "/a/0"],
    ["1" + "0".repeat(400), ""],
    ['{"id":9007199254740993,"id":1}', "/id"],
  ])("is refused with the place: %s", (text, path) => {
    expect(parseJson(text).refusals.map((refusal) => refusal.path)).toContain(path);
  });

  it("does not cost much, however long it is", () => {
    const start = cpuMs();
    parseJson(`[${"9".repeat(1_000_000)}]`);
    expect(cpuMs() - start).toBeLessThan(1500);
  });
});

describe("a document that is full of what is refused", () => {
  const numbers = `[${Array(1200).fill("9007199254740993").join(",")}]`;

  it("is told of place by place, a few of each, so that none hides another", () => {
    const { refusals } = parseJson(`{"calls":[{"a":${numbers}},{"b":1},{"c":${numbers}}],"calls":[]}`);
    const pathsUnder = (place: string) => refusals.filter(({ path }) => path.startsWith(place)).length;
    expect([pathsUnder("/calls/0/a/"), pathsUnder("/calls/1"), pathsUnder("/calls/2/c/")]).toEqual([20, 0, 20]);
    expect(refusals.at(-1)).toEqual({ path: "", reason: "has a key twice" });
    expect(refusals.length).toBe(41);
  });

  it("is refused as a whole where there are too many places", () => {
    const { refusals } = parseJson(`{"calls":${numbers},"other":1e999}`);
    expect(refusals.length).toBe(1001);
    expect(refusals.filter(({ path }) => path === "").length).toBe(1);
  });
});

describe("nesting", () => {
  it.each([arrays, objects])("is fine up to 64 levels", (nested) => {
    expect(parseJson(nested(64)).refusals).toEqual([]);
    expect(() => parseJson(nested(65))).toThrow(JsonSyntaxError);
    expect(() => parseJson(nested(65))).toThrow(/64 levels/);
  });

  it("counts where a repeated key hides it", () => {
    expect(() => parseJson(`{"a":${arrays(64)},"a":1}`)).toThrow(/64 levels/);
    expect(parseJson(`{"a":${arrays(63)},"a":1}`).refusals).toHaveLength(1);
  });

  it("of 200,000 levels is refused like any other", () => {
    expect(() => parseJson(arrays(200_000))).toThrow(JsonSyntaxError);
  });
});

describe("what is no JSON", () => {
  it.each([
    "",
    " ",
    "{",
    '{"a":',
    "{'a':1}",
    "[1,]",
    "NaN",
    "Infinity",
    "01",
    "1.",
    "+1",
    "undefined",
    '"\n"',
    "{}{}",
    "\ufeff{}",
    "nul",
    "//x\n1",
  ])("is a syntax error that repeats nothing of it: %j", (text) => {
    const parse = () => parseJson(`${text}`);
    expect(parse).toThrow(JsonSyntaxError);
    expect(parse).toThrow("The text is not valid JSON.");
  });
});

it("many keys are looked at in no time (J11)", () => {
  const text = JSON.stringify(
    Object.fromEntries(Array.from({ length: sizeOf(100_000, 20_000) }, (_, i) => [`k${i}`, i])),
  );
  const start = cpuMs();
  expect(parseJson(text).refusals).toEqual([]);
  expect(cpuMs() - start).toBeLessThan(1500);
});

it("a pointer's token escapes ~ and /", () => {
  expect([pointerToken("a/b~c"), pointerToken("~1"), pointerToken(""), pointerToken(0)]).toEqual([
    "/a~1b~0c",
    "/~01",
    "/",
    "/0",
  ]);
});
