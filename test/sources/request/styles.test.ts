import { describe, expect, test } from "vitest";
import type { ParameterPlan, RequestPlan } from "../../../src/sources/request/plan.ts";
import { compileRequest } from "../../../src/sources/request/write-request.ts";

const array = ["blue", "black", "brown"];
const object = { R: 100, G: 200, B: 150 };

/** The query, the path's segment, the header or the cookie of one parameter `color`. */
function written(parameter: Partial<ParameterPlan>, value: unknown): string | undefined {
  const place = parameter.in ?? "query";
  const style = place === "path" || place === "header" ? "simple" : "form";
  const whole: ParameterPlan = { argument: "color", name: "color", in: place, style, explode: false, ...parameter };
  const plan: RequestPlan =
    place === "path"
      ? { method: "GET", path: ["/", whole], parameters: [] }
      : { method: "GET", path: ["/"], parameters: [whole] };
  const { url, headers } = compileRequest(plan, "http://api.example")(value === undefined ? {} : { color: value });
  if (place === "path") return url.slice("http://api.example/".length);
  if (place === "header") return headers.find(([name]) => name === "color")?.[1];
  if (place === "cookie") return headers.find(([name]) => name === "cookie")?.[1];
  return /\?(.*)$/.exec(url)?.[1];
}

type Row = readonly [ParameterPlan["style"], boolean, string, string, string, string];

/** https://spec.openapis.org/oas/v3.2.0.html#style-examples: of an empty text, a text, an array and an object. */
const values = ["", "blue", array, object] as const;

describe.each<[ParameterPlan["in"], readonly Row[]]>([
  [
    "path",
    [
      ["simple", false, "refused", "blue", "blue,black,brown", "R,100,G,200,B,150"],
      ["simple", true, "refused", "blue", "blue,black,brown", "R=100,G=200,B=150"],
      ["label", false, "refused", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
      ["label", true, "refused", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
      ["matrix", false, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"],
      ["matrix", true, ";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"],
      ["spaceDelimited", false, "refused", "blue", "blue%20black%20brown", "R,100,G,200,B,150"],
      ["pipeDelimited", false, "refused", "blue", "blue%7Cblack%7Cbrown", "R,100,G,200,B,150"],
      ["tabDelimited", false, "refused", "blue", "blue%09black%09brown", "R,100,G,200,B,150"],
    ],
  ],
  [
    "query",
    [
      ["form", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
      ["form", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
      [
        "spaceDelimited",
        false,
        "color=",
        "color=blue",
        "color=blue%20black%20brown",
        "color=R%20100%20G%20200%20B%20150",
      ],
      ["spaceDelimited", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
      [
        "pipeDelimited",
        false,
        "color=",
        "color=blue",
        "color=blue%7Cblack%7Cbrown",
        "color=R%7C100%7CG%7C200%7CB%7C150",
      ],
      ["pipeDelimited", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
      [
        "tabDelimited",
        false,
        "color=",
        "color=blue",
        "color=blue%09black%09brown",
        "color=R%09100%09G%09200%09B%09150",
      ],
      [
        "deepObject",
        true,
        "color=",
        "color=blue",
        "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown",
        "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
      ],
    ],
  ],
  [
    "header",
    [
      ["simple", false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"],
      ["simple", true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"],
      ["spaceDelimited", false, "", "blue", "blue black brown", "R,100,G,200,B,150"],
      ["pipeDelimited", false, "", "blue", "blue|black|brown", "R,100,G,200,B,150"],
      ["tabDelimited", false, "", "blue", "blue\tblack\tbrown", "R,100,G,200,B,150"],
    ],
  ],
  [
    "cookie",
    [
      ["form", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
      ["form", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
      ["cookie", true, "color=", "color=blue", "color=blue; color=black; color=brown", "R=100; G=200; B=150"],
    ],
  ],
])("a parameter in %s", (place, rows) => {
  test.each(rows)("has the form of the table: %s, explode %s", (style, explode, ...expected) => {
    const results = values.map((value) => {
      try {
        return written({ in: place, style, explode }, value);
      } catch {
        return "refused";
      }
    });
    expect(results).toEqual(expected);
  });

  test.each(rows.map((row): [ParameterPlan["style"], boolean] => [row[0], row[1]]))(
    "is left out without a value: %s, explode %s",
    (style, explode) => {
      for (const value of [undefined, null, [], {}, [null], { a: null }]) {
        const write = () => written({ in: place, style, explode }, value);
        if (place === "path") expect(write).toThrow(/must not be empty/);
        else expect(write()).toBeUndefined();
      }
    },
  );
});

describe("a value", () => {
  test.each([
    [0, "0"],
    [-0, "0"],
    [1e21, "1e%2B21"],
    [0.1, "0.1"],
    [12345678.9012, "12345678.9012"],
    [true, "true"],
    [false, "false"],
    ["a b&c=d?e#f/g%h+i,j;k'l(m)!*", "a%20b%26c%3Dd%3Fe%23f%2Fg%25h%2Bi%2Cj%3Bk%27l%28m%29%21%2A"],
    ["é😀", "%C3%A9%F0%9F%98%80"],
    ["\ud800", "%EF%BF%BD"],
  ])("%j is %s in a query and a path", (value, expected) => {
    expect(written({}, value)).toBe(`color=${expected}`);
    expect(written({ in: "path" }, value)).toBe(expected);
  });

  test("between commas has no comma, whatever it contains", () => {
    expect(written({}, ["red", "blue,x"])).toBe("color=red,blue%2Cx");
    expect(written({ explode: true }, ["red", "blue,x"])).toBe("color=red&color=blue%2Cx");
    expect(written({ allowReserved: true }, ["a/b", "c,d"])).toBe("color=a/b,c%2Cd");
    expect(() => written({ in: "header" }, ["a,b"])).toThrow(/comma/);
  });

  test("cannot contain the delimiter of its style", () => {
    expect(() => written({ style: "spaceDelimited" }, ["a b"])).toThrow(/\/color must not contain a space/);
    expect(() => written({ style: "pipeDelimited" }, ["a|b"])).toThrow(/must not contain the character \|/);
    expect(() => written({ style: "tabDelimited" }, ["a\tb"])).toThrow(/must not contain a tab/);
    expect(() => written({ style: "pipeDelimited", in: "path" }, ["a|b"])).toThrow(/must not contain the character \|/);
    expect(() => written({ style: "pipeDelimited", in: "header" }, ["a|b"])).toThrow(
      /must not contain the character \|/,
    );
    expect(written({ style: "pipeDelimited", in: "header" }, ["a,b"])).toBe("a,b");
  });

  test("keeps reserved characters and escapes with allowReserved, but none that ends it", () => {
    expect(written({ allowReserved: true }, "a/b:c?d@e%20f,g=h")).toBe("color=a/b:c?d@e%20f,g=h");
    expect(written({ allowReserved: true }, "a&b=c#d+e;f[g]%h é")).toBe(
      "color=a%26b=c%23d%2Be%3Bf%5Bg%5D%25h%20%C3%A9",
    );
  });

  test("of a media type is one JSON text", () => {
    const parameter = { mediaType: "application/json" };
    expect(decodeURIComponent(written(parameter, { a: [1, null] })!)).toBe('color={"a":[1,null]}');
    expect(written({ ...parameter, in: "header" }, { a: "é" })).toBe('{"a":"\\u00e9"}');
    expect(decodeURIComponent(written({ ...parameter, in: "path" }, { a: 1 })!)).toBe('{"a":1}');
    expect(
      written({ in: "querystring", mediaType: "application/x-www-form-urlencoded" }, { a: [1, 2], b: "x&y" }),
    ).toBe("a=1&a=2&b=x%26y");
    expect(decodeURIComponent(written({ in: "querystring", ...parameter }, { a: 1 })!)).toBe('{"a":1}');
  });

  test("inside of values is nested in deepObject and JSON elsewhere", () => {
    expect(decodeURIComponent(written({ style: "deepObject" }, { a: { b: [1, { c: 2 }] } })!)).toBe(
      "color[a][b][0]=1&color[a][b][1][c]=2",
    );
    expect(decodeURIComponent(written({ explode: true }, { a: { b: 1 } })!)).toBe('a={"b":1}');
  });

  test("of a cookie contains nothing that ends the cookie", () => {
    expect(written({ in: "cookie" }, "a; b=c, d")).toBe("color=a%3B%20b%3Dc%2C%20d");
    expect(written({ in: "cookie", style: "cookie" }, 'a; b=c, "d\\é%')).toBe("color=a%3B%20b=c%2C%20%22d%5C%C3%A9%");
  });
});
