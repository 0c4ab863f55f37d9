import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createObjectEnd, endOfObject } from "../../../src/dialects/reading/object-end.ts";
import { cut, numbers } from "../streaming/cuts.ts";
import { runs } from "../../runs.ts";

function isAtEnd(...pieces: string[]): boolean {
  const objectEnd = createObjectEnd();
  for (const piece of pieces) objectEnd.add(piece);
  return objectEnd.isHere();
}

describe("the end of an object that comes in pieces", () => {
  it("is where its text is JSON, and nowhere before, however it is cut", () => {
    const object = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());
    fc.assert(
      fc.property(object, fc.constantFrom(0, 2), numbers, (value, indent, sizes) => {
        const objectEnd = createObjectEnd();
        let text = "";
        for (const piece of cut(JSON.stringify(value, null, indent), sizes)) {
          objectEnd.add(piece);
          text += piece;
          expect(objectEnd.isHere()).toBe(isJson(text));
        }
      }),
      { numRuns: runs(100, 30) },
    );
  });

  it.each([["{}"], [" {", "} \n"], ['{"}', '\\"', '"', ":{}", "}"]])(
    "is behind the last brace: %j %j",
    (...pieces: string[]) => {
      expect(isAtEnd(...pieces)).toBe(true);
    },
  );

  it.each([[""], [" "], ["}"], ["[{}]"], ['"{}"'], ["{}x"], ["{}", "{}"], ['{"}'], ['{"\\"}']])(
    "is not to be found in %j",
    (...pieces: string[]) => {
      expect(isAtEnd(...pieces)).toBe(false);
    },
  );
});

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

describe("the end of an object in a whole text", () => {
  it("is where it is found in pieces, whatever stands around", () => {
    const object = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()).map((value) => JSON.stringify(value));
    const around = fc.stringMatching(/^[ \n"{}\\a]{0,6}$/);
    fc.assert(
      fc.property(around, object, around, (before, written, after) => {
        const text = before + written + after;
        const objectEnd = createObjectEnd();
        const end = text.split("").findIndex((char) => {
          objectEnd.add(char);
          return objectEnd.isHere();
        });
        expect(endOfObject(text, 0)).toBe(end === -1 ? undefined : end + 1);
      }),
      { numRuns: runs(2000) },
    );
  });
});
