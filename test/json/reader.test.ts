import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonSyntaxError, parseCounted, parseJson, TooManyValues } from "../../src/json/parse.ts";
import { JsonReader } from "../../src/json/reader.ts";
import type { JsonDocument } from "../../src/json/syntax.ts";
import { judgeJson } from "../fuzz/json-verdict.ts";
import { jsonTexts, nearlyJsonTexts, pieceLengths, piecesOf } from "./json-texts.ts";
import { runs } from "../runs.ts";

function read(pieces: readonly string[], maxValues?: number): JsonDocument {
  const reader = new JsonReader(maxValues === undefined ? {} : { maxValues });
  for (const piece of pieces) reader.write(piece);
  return reader.end();
}

function readOrFault(pieces: readonly string[]): JsonDocument | undefined {
  try {
    return read(pieces);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function isRefused(text: string): boolean {
  return text === "" || judgeJson(Buffer.from(text)) === "refused";
}

/** What JSON.parse makes of a text, the order of keys with it. */
function parsedOrFault(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + valuesIn(member), 1);
}

describe("a text that is read in pieces", () => {
  it("is what JSON.parse makes of the whole, wherever it is cut", () => {
    const property = fc.property(nearlyJsonTexts, pieceLengths, (text, lengths) => {
      const document = readOrFault(piecesOf(text, lengths));
      const expected = parsedOrFault(text);
      if (document === undefined) {
        expect(isRefused(text)).toBe(true);
        return;
      }
      expect(JSON.stringify(document.value)).toBe(JSON.stringify(expected?.value));
      expect(document.value).toStrictEqual(expected?.value);
    });
    fc.assert(property, { numRuns: runs(3000) });
  });

  it("is refused for what JSON.parse would lose, and for nothing else", () => {
    const property = fc.property(nearlyJsonTexts, pieceLengths, (text, lengths) => {
      const document = readOrFault(piecesOf(text, lengths));
      expect(document === undefined || document.refusals.length > 0).toBe(isRefused(text));
      if (document !== undefined) expect(document.refusals).toEqual(parseJson(text).refusals);
    });
    fc.assert(property, { numRuns: runs(3000) });
  });

  it("may have so many values, and not one more", () => {
    const property = fc.property(jsonTexts, pieceLengths, (text, lengths) => {
      const document = readOrFault([text]);
      fc.pre(document !== undefined && document.refusals.length === 0);
      const values = valuesIn(document?.value);
      const pieces = piecesOf(text, lengths);
      expect(parseCounted(text, values)).toEqual({ ...document, values });
      expect(read(pieces, values).value).toEqual(document?.value);
      expect(() => read(pieces, values - 1)).toThrow(TooManyValues);
      expect(() => parseCounted(text, values - 1)).toThrow(TooManyValues);
    });
    fc.assert(property, { numRuns: runs(1500) });
  });

  it("is refused if anything follows, whatever it begins with", () => {
    const junk = fc.constantFrom("{}", "[1]", '"a"', "1", "}", "]", ",", "`", "\\", "x");
    fc.assert(
      fc.property(jsonTexts, fc.array(junk, { minLength: 1, maxLength: 4 }), fc.boolean(), (text, others, isFirst) => {
        const all = isFirst ? [...others, text].join(" ") : [text, ...others].join(" ");
        const verdict = (parse: () => unknown): unknown => {
          try {
            return parse();
          } catch (error) {
            return (error as Error).message;
          }
        };
        const whole = verdict(() => parseJson(all).value);
        expect(verdict(() => parseCounted(all, Infinity).value)).toEqual(whole);
      }),
      { numRuns: runs(1500) },
    );
  });

  it("says where its objects and lists are", () => {
    const property = fc.property(jsonTexts, pieceLengths, (text, lengths) => {
      const reader = new JsonReader({ keepsSpans: true });
      const pieces = piecesOf(text, lengths);
      fc.pre(readOrFault(pieces) !== undefined);
      for (const piece of pieces) reader.write(piece);
      reader.end();
      for (const [value, { start, end }] of reader.spans!) {
        expect(readOrFault([text.slice(start, end)])?.value).toStrictEqual(value);
      }
    });
    fc.assert(property, { numRuns: runs(1000) });
  });

  it("stops at the first value that is too many", () => {
    const reader = new JsonReader({ maxValues: 3 });
    reader.write("[1,2");
    expect(() => reader.write(",3")).toThrow("The JSON has over 3 values.");
  });

  it("holds keys that objects inherit, where nothing may be assigned to them", () => {
    const text = '{"toString":1,"constructor":{"prototype":{"a":1}},"__proto__":{"b":1}}';
    const names = Object.keys(leftover);
    for (const name of names) Object.defineProperty(Object.prototype, name, { ...leftover[name], configurable: true });
    const read = readOrFault([text.replace("toString", "frozenName").replace("}}", '}},"setName":2')]);
    for (const name of names) delete (Object.prototype as Record<string, unknown>)[name];
    const { value } = read!;
    expect(Object.keys(value as object)).toEqual(["frozenName", "constructor", "setName", "__proto__"]);
    expect(value).toMatchObject({ frozenName: 1, setName: 2 });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

const leftover: Readonly<Record<string, PropertyDescriptor>> = {
  frozenName: { value: 0, writable: false },
  setName: { set() {} },
};
