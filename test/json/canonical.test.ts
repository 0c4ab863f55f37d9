import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/json/canonical.ts";

describe("canonical JSON (RFC 8785)", () => {
  it("writes numbers as ECMAScript does", () => {
    const numbers = [
      Number("333333333.33333329"),
      1e30,
      4.5,
      2e-3,
      0.000000000000000000000000001,
      -0,
      1e21,
      1e20,
      5.0,
      9007199254740992,
      1e-7,
      0.1,
    ];
    expect(canonicalJson(numbers)).toBe(
      "[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,100000000000000000000,5,9007199254740992,1e-7,0.1]",
    );
  });

  it("sorts keys by UTF-16 code units, at every level", () => {
    // U+1F600 is D83D DE00 and so stands before U+FB33, though its code point is larger.
    const value = {
      "\u20ac": 1,
      "\r": 2,
      "\ufb33": 3,
      "1": 4,
      "\u{1f600}": 5,
      "\u0080": 6,
      "\u00f6": 7,
      a: { z: 1, B: 2, b: 3, "10": 4, "9": 5 },
    };
    expect(canonicalJson(value)).toBe(
      '{"\\r":2,"1":4,"a":{"10":4,"9":5,"B":2,"b":3,"z":1},"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
    );
  });

  it("writes strings with the short escapes and lower-case hex only", () => {
    expect(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/\b\f\t')).toBe('"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\\b\\f\\t"');
  });

  it("keeps the order of arrays, and literals as they are", () => {
    expect(canonicalJson([3, 1, null, true, false, "", [], {}])).toBe('[3,1,null,true,false,"",[],{}]');
  });

  it("leaves out members that are undefined", () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
  });

  it("says the same however the keys were put in, and says what was there", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(turned)).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 200 },
    );
  });
});
