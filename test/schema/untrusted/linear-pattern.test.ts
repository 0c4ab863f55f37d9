import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLinearPattern } from "../../../src/schema/untrusted/linear-pattern.ts";
import { toRegExp } from "../../../src/schema/pattern.ts";
import { cpuMs } from "../../cpu-time.ts";
import { runs } from "../../runs.ts";

const characters = [
  ..."abcXYZ019_-. \t\n\r\v\f/\\[](){}^$|*+?&:=!,~@#<>%'\"é\u00a0\u2028\u3000\ufeff\u0000\u0008\u{1f600}Ωжñ",
];

describe("a pattern in linear time answers as ECMA-262 does", () => {
  const patterns: readonly string[] = [
    "^.$",
    "a.b",
    "^\\s$",
    "^\\S+$",
    "^[\\s]$",
    "^[^\\s]$",
    "^[\\S]$",
    "^[^\\S]$",
    "^\\d+$",
    "^\\D$",
    "^\\w+$",
    "^[\\W]$",
    "\\bcat\\b",
    "\\Ba",
    "^[\\b]$",
    "^a$",
    "^[^]$",
    "^[]$",
    "^[^a]$",
    "^\\u0041$",
    "^\\u{1F600}$",
    "^\\ud83d\\ude00$",
    "^[\\u{1F600}-\\u{1F64F}]$",
    "^\\x41\\/$",
    "^\\cJ$",
    "^\\0$",
    "^\\t|\\n|\\v|\\f|\\r$",
    "^[a&&b]+$",
    "^[[:alpha:]$",
    "^[a-c.-]+$",
    "^[+--]+$",
    "^[\\]\\[\\\\^-]+$",
    "^(?<year>\\d{4})-(?<äö>\\d)$",
    "^(?:a|b|)+$",
    "^a{2}b{1,}c{0,3}$",
    "^a*?b+?c??$",
    "^\\p{L}+$",
    "^\\p{Letter}$",
    "^\\P{L}$",
    "^[\\p{Lu}\\p{Nd}]$",
    "^[^\\p{Ll}]$",
    "^\\p{General_Category=Uppercase_Letter}$",
    "^\\p{Script=Greek}$",
    "^\\p{sc=Cyrillic}$",
    "^\\p{ASCII}$",
    "^\\P{ASCII}$",
    "^\\p{Any}$",
    "^\\p{Alphabetic}$",
    "^\\p{White_Space}$",
    "^\\$\\^\\.\\*$",
    "😀|é",
    "",
  ];

  it.each(patterns)("%j", (pattern) => {
    const expected = new RegExp(pattern, "u");
    const linear = createLinearPattern(pattern);
    const texts = [
      ...characters,
      "",
      "aa",
      "2024-1",
      "A/",
      "$^.*",
      "a\nb",
      "a\rb",
      "a\u2028b",
      "aab",
      "the cat sat",
      "abc",
      "aabccc",
    ];
    for (const text of texts) expect([text, linear.test(text)]).toEqual([text, expected.test(text)]);
  });

  it.each(["^[\\w-.]+$", "^\\-\\_$", "^a{,5}$", "^{a}$", "^]$", "^\\a\\e\\h$", "^[\\d-z]+$", "^\\c$"])(
    "without the u flag: %j",
    (pattern) => {
      expect(() => new RegExp(pattern, "u")).toThrow();
      const [expected, linear] = [new RegExp(pattern), createLinearPattern(pattern)];
      for (const text of [...characters, "a-b.c", "-_", "a{,5}", "{a}", "aeh", "uu", "1-z", "\\c"]) {
        expect([text, linear.test(text)]).toEqual([text, expected.test(text)]);
      }
    },
  );

  it("for patterns and texts made at random", () => {
    const character = fc.constantFrom(...characters);
    const atom = fc.oneof(
      fc.constantFrom(
        "a",
        "b",
        "\\d",
        "\\w",
        "\\s",
        "\\S",
        ".",
        "[^a]",
        "[a-c\\d]",
        "\\b",
        "^",
        "$",
        "[\\s-]",
        "\\p{L}",
        "\\u00e9",
      ),
      character.map((each) => (/[\\^$.*+?()[\]{}|/]/.test(each) ? `\\${each}` : each)),
    );
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        atom,
        fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => a + b),
        fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => `(${a}|${b})`),
        fc.tuple(tie("tree"), fc.constantFrom("*", "+", "?", "{2}", "{0,3}", "*?")).map(([a, b]) => `(?:${a})${b}`),
      ),
    }));
    const text = fc.array(fc.oneof(character, fc.constantFrom("a", "b", "1", " ")), { maxLength: 12 });
    fc.assert(
      fc.property(tree, fc.array(text, { minLength: 4, maxLength: 8 }), (pattern, texts) => {
        const [expected, linear] = [new RegExp(pattern, "u"), createLinearPattern(pattern)];
        return texts.every((each) => linear.test(each.join("")) === expected.test(each.join("")));
      }),
      { numRuns: process.env["FUZZ_SIZE"] === "nightly" ? 100_000 : runs(1500) },
    );
  });
});

describe("a pattern that has no linear counterpart is refused", () => {
  it.each<[string, RegExp]>([
    ["(?=a)b", /look-ahead or look-behind/],
    ["(?!a)b", /look-ahead or look-behind/],
    ["(?<=a)b", /look-ahead or look-behind/],
    ["(?<!a)b", /look-ahead or look-behind/],
    ["(a)\\1", /back-reference/],
    ["(?<n>a)\\k<n>", /back-reference/],
    ["a{1001}", /repeats/],
    ["(a{500}){500}", /repeats/],
    ["((((a{10}){10}){10}){10})", /repeats/],
    ["(?:abc){400}", /repeats/],
    ["\\p{Currency_Symbol}", /not supported by the regular-expression engine/],
    ["a{2}{3}", /not a regular expression/],
  ])("%j", (pattern, reason) => {
    expect(() => createLinearPattern(pattern)).toThrow(reason);
  });
});

describe("50,000 characters take no time (S1)", () => {
  it.each([
    "^(a|a)*$",
    "(x+x+)+y",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(.*a){20}",
    "^(\\w+\\s?)*$",
    "([ab]*){9}c",
    "^(?:a?){200}a{200}$",
  ])("%j", (pattern) => {
    const linear = createLinearPattern(pattern);
    for (const text of ["a".repeat(50_000), `${"a".repeat(50_000)}!`, "ab ".repeat(17_000), "x".repeat(50_000)]) {
      const start = cpuMs();
      linear.test(text);
      expect(cpuMs() - start).toBeLessThan(750);
    }
  });

  it("or what they take is told before it is taken", () => {
    const limit = 2_500_000;
    let steps = 0;
    const linear = createLinearPattern("[ab]*a[ab]{300}[cd]", (more) => {
      steps += more;
      if (steps > limit) throw new Error("enough");
    });
    const text = Array.from({ length: 50_000 }, (_, i) => ((i * 7919) % 13 < 6 ? "a" : "b")).join("");
    const random = Array.from({ length: 50_000 }, (_, i) => (Math.imul(i ^ 0x5bd1e995, 0x9e3779b1) & 4096 ? "a" : "b"));
    const start = cpuMs();
    expect(() => [text, random.join("")].map(linear.test)).toThrow("enough");
    expect(cpuMs() - start).toBeLessThan(750);
  });
});

describe("a pattern that is legal only without the u flag", () => {
  const texts = [
    "é-x",
    "p{L}-x",
    "L-x",
    "a-",
    "u{61}-",
    "pp-",
    `${"u".repeat(61)}-`,
    "p",
    "q",
    "z",
    "{",
    "L",
    "\u0011",
    "c1",
    "_",
    "\u001f",
  ];

  it.each([
    "^\\p{L}\\-x$",
    "^\\P{Lu}\\-x$",
    "^\\u{61}\\-$",
    "^\\p{2}\\-$",
    "^[\\p{L}]\\_?$",
    "^[\\p-z]\\_?$",
    "^[\\c1]$",
    "^[\\c_]$",
  ])("takes \\p and \\u{…} for letters: %j", (pattern) => {
    const linear = createLinearPattern(pattern);
    for (const text of texts) expect([text, linear.test(text)]).toEqual([text, toRegExp(pattern).test(text)]);
  });

  it.each(["^\\p{scx=Greek}$", "[\\P{Script_Extensions=Latin}]"])(
    "and Script_Extensions are refused, which RE2 does not know: %j",
    (pattern) => {
      expect(() => createLinearPattern(pattern)).toThrow(/has Script_Extensions/);
    },
  );
});
