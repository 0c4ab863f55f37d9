import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toRegExp } from "../../../src/schema/pattern.ts";
import { type PatternEngine, writePattern } from "../../../src/dialects/schema/write/write-pattern.ts";
import { whyNotRe2 } from "../../providers/rules/pattern-rules.ts";
import { whyNotPython } from "../../providers/rules/python-patterns.ts";
import { runs } from "../../runs.ts";

const engines: readonly PatternEngine[] = ["python", "anthropic", "re2"];

const kept = [
  "^\\d{4}-\\d{2}-\\d{2}$",
  "^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$",
  "^(?:a|b|)*?[.\\-/_A-Za-z0-9]{1,64}\\/$",
  "[\\s\\S]",
  "^[\\x00-\\x1f]\\t?",
  "é|😀+",
  "",
] as const;

const rewritten = [
  ["^(?<year>\\d{4})$", "^(?:\\d{4})$"],
  ["^\\${[A-Z]+}$", "^\\$\\{[A-Z]+\\}$"],
  ["a{,3}", "a\\{,3\\}"],
  ["[[a]", "[\\[a]"],
  ["a]", "a\\]"],
  ["[\\w-.]", "[\\w\\-.]"],
  ["\\_a\\ b", "_a b"],
] as const;

const lost = [
  "^(?!\\.)[^@]+@.+$",
  "(?=a)b",
  "(?<=a)b",
  "(?<!a)b",
  "^\\p{L}+$",
  "^\\u{1F600}$",
  "(?<a>b)\\k<a>",
  "(a)\\1",
  "a\\z",
  "\\Aa\\Z",
  "\\ya",
  "\\cA",
  "\\07",
  "[^]",
  "[]a",
  "[\\b]",
  "[a&&b]",
  "\\ud83d",
  "\\ud83d\\ude00",
  "\ud83d",
  "(",
  "a{99999}",
  "(?:".repeat(60) + "a" + ")".repeat(60),
] as const;

describe("a pattern", () => {
  it.each(kept.flatMap((pattern) => engines.map((engine) => [pattern, engine] as const)))(
    "that every engine reads stays as it stands: %j for %s",
    (pattern, engine) => expect(writePattern(pattern, engine)).toBe(pattern),
  );

  it.each(rewritten)("is written so that every engine reads it: %j as %j", (pattern, written) => {
    expect(engines.map((engine) => writePattern(pattern, engine))).toEqual([written, written, written]);
  });

  it.each(lost.flatMap((pattern) => engines.map((engine) => [pattern, engine] as const)))(
    "that an engine may not compile, or reads otherwise, is none: %j for %s",
    (pattern, engine) => expect(writePattern(pattern, engine)).toBeUndefined(),
  );

  it("has word boundaries, code points and counts as far as the engine has them", () => {
    const patterns = ["\\bage\\b", "\\u00e9", "\\Ba", "a{1,1001}", "(?:a{50}){50}"];
    expect(engines.map((engine) => patterns.map((pattern) => writePattern(pattern, engine)))).toEqual([
      ["\\bage\\b", "\\u00e9", undefined, "a{1,1001}", "(?:a{50}){50}"],
      [undefined, "\\u00e9", undefined, undefined, undefined],
      ["\\bage\\b", "\\x{00e9}", "\\Ba", undefined, undefined],
    ]);
  });
});

/** Pieces of what people write, the legal and the doubtful, put together by chance. */
const pieces = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    fc.array(tie("piece"), { minLength: 1, maxLength: 4 }).map((each) => each.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((each) => each.join("|")),
  ),
  piece: fc
    .tuple(
      fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(..."ab0-_@./ ,:}]{<&~#'\"%=!é".split("")),
        fc.constantFrom(
          ..."^ $ . \\d \\w \\s \\D \\W \\S \\b \\B \\/ \\- \\. \\_ \\# \\n \\t \\v \\x41 \\u0062 \\u00e9".split(" "),
        ),
        fc.constantFrom(
          ..."\\cA \\0 \\1 \\k \\z \\A \\Z \\y \\p{L} \\u{61} (?=a) (?!a) (?<=a) [] [^] [\\b] {,2}".split(" "),
        ),
        fc
          .array(
            fc.constantFrom(..."a b z 0 9 - [ ] \\] ^ . \\d \\w \\s \\- \\. & | ~ é \\x41 \\u0062 ( {".split(" ")),
            {
              minLength: 1,
              maxLength: 5,
            },
          )
          .map((members) => `[${members.join("")}]`),
        fc.tuple(fc.constantFrom("(", "(?:", "(?<n>"), tie("pattern")).map(([open, inner]) => `${open}${inner})`),
      ),
      fc.constantFrom("", "", "", "*", "+", "?", "*?", "{2}", "{1,}", "{0,3}?"),
    )
    .map((each) => each.join("")),
}));

const texts = fc.array(
  fc.string({ unit: fc.constantFrom(..."ab0-_@./ ,:}]{<&~#'\"%=!^[(z9A\n".split("")), maxLength: 6 }),
  { minLength: 8, maxLength: 8 },
);

const search = `
import json, re, sys, warnings
warnings.simplefilter("ignore")
json.dump([[bool(re.search(pattern, text)) for text in texts] for pattern, texts in json.load(sys.stdin)], sys.stdout)
`;

describe("patterns by chance", () => {
  const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 1e9);
  const cases = fc
    .sample(fc.tuple(pieces.pattern, texts), { numRuns: runs(3000), seed })
    .filter(([pattern]) => isLegal(pattern));

  it(`compile with Python and find there what ECMA-262 finds in ASCII, FUZZ_SEED=${seed}`, () => {
    const written = cases.flatMap(([pattern, samples]) => {
      const text = writePattern(pattern, "python");
      return text === undefined ? [] : [{ pattern, text, samples }];
    });
    expect(written.length).toBeGreaterThan(runs(400));
    const refused = whyNotPython(written.map(({ text }) => text));
    expect(written.filter((_, index) => refused[index] !== undefined)).toEqual([]);

    const input = JSON.stringify(written.map(({ text, samples }) => [text, samples]));
    const { stdout, status } = spawnSync("python3", ["-c", search], { input, encoding: "utf8" });
    if (status === null) return console.warn("Texts are not searched as OpenAI does: python3 does not run.");
    expect(status).toBe(0);
    const found = JSON.parse(stdout) as boolean[][];
    const missed = written.filter(({ pattern, samples }, at) =>
      samples.some((text, index) => toRegExp(pattern).test(text) && found[at]?.[index] === false),
    );
    expect(missed).toEqual([]);
  });

  it(`compile with RE2, FUZZ_SEED=${seed}`, () => {
    const written = cases.map(([pattern]) => writePattern(pattern, "re2")).filter((text) => text !== undefined);
    expect(written.map((text) => [text, whyNotRe2(text)]).filter(([, why]) => why !== undefined)).toEqual([]);
  });
});

function isLegal(pattern: string): boolean {
  try {
    return toRegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}
