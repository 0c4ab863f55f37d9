import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import type { ParameterPlan, RequestPlan } from "../../../src/sources/request/plan.ts";
import { isTaken } from "../../../src/sources/request/taken-names.ts";
import { type Additions, compileRequest } from "../../../src/sources/request/write-request.ts";

const base = "http://api.example/v1";

function parameter(name: string, place: ParameterPlan["in"], more: Partial<ParameterPlan> = {}): ParameterPlan {
  const style = place === "path" || place === "header" ? "simple" : "form";
  return { argument: name, name, in: place, style, explode: true, ...more };
}

function write(
  plan: Partial<RequestPlan>,
  args: JsonObject,
  ...added: [Parameters<typeof compileRequest>[2], Additions] | []
) {
  const [taken, additions] = added;
  return compileRequest({ method: "GET", path: ["/"], parameters: [], ...plan }, base, taken)(args, additions);
}

const records = { path: ["/records/", parameter("id", "path"), "/x"] };

describe("a value in the path", () => {
  test.each([
    ["../admin", "..%2Fadmin"],
    ["a?x=1", "a%3Fx%3D1"],
    ["a#f", "a%23f"],
    ["a/b", "a%2Fb"],
    ["a\\..\\b", "a%5C..%5Cb"],
    ["%2e%2e", "%252e%252e"],
    ["%2F", "%252F"],
    ["...", "..."],
    [".a", ".a"],
    ["http://evil.example", "http%3A%2F%2Fevil.example"],
    ["a\tb\r\nc", "a%09b%0D%0Ac"],
    ["@evil.example", "%40evil.example"],
  ])("%j is one encoded segment", (id, segment) => {
    const { url } = write(records, { id });
    expect(url).toBe(`${base}/records/${segment}/x`);
    expect(new URL(url).pathname).toBe(`/v1/records/${segment}/x`);
  });

  test.each([".", "..", ""])("%j is refused", (id) => {
    expect(() => write(records, { id })).toThrow(expect.objectContaining({ code: "invalid_arguments" }));
  });

  test("is refused if it is missing, null or empty", () => {
    for (const args of [{}, { id: null }, { id: [] }, { id: {} }])
      expect(() => write(records, args)).toThrow(/\/id must not/);
  });

  test("cannot make a segment of dots together with others or with the document's text", () => {
    const two = { path: ["/", parameter("a", "path", { style: "label" }), parameter("b", "path")] };
    expect(() => write({ path: ["/.", parameter("a", "path")] }, { a: "." })).toThrow(/must not/);
    expect(() => write({ path: ["/%2e", parameter("a", "path"), "/x"] }, { a: "." })).toThrow(/must not/);
    expect(() => write({ path: ["/", parameter("a", "path", { style: "label" })] }, { a: "" })).toThrow(/must not/);
    expect(() => write({ path: ["/", parameter("a", "path", { style: "label" })] }, { a: "." })).toThrow(/must not/);
    expect(() => write(two, { a: "", b: "." })).toThrow(/must not/);
    expect(write(two, { a: "x", b: "y" }).url).toBe(`${base}/.xy`);
  });
});

describe("the address", () => {
  test("stays below the base, whatever the document writes", () => {
    for (const path of [["/../x"], ["/a/../../x"], ["/%2e%2e/x"]]) {
      expect(() => write({ path }, {})).toThrow(/outside the tool's API/);
    }
    for (const path of [["//evil.example/x"], ["@evil.example/"], [":80/"], ["\\evil.example"], ["/a\r\nb"]]) {
      expect(write({ path }, {}).url).toMatch(/^http:\/\/api\.example\/v1\//);
    }
  });

  test("has one slash between base and path, and keeps the last one of the path", () => {
    const plan = { method: "GET", path: ["/a/"], parameters: [] };
    for (const given of ["http://api.example/v1/", "http://api.example/v1", "http://u:p@api.example/v1?x=1#y"]) {
      expect(compileRequest(plan, given)({}).url).toBe("http://api.example/v1/a/");
    }
    expect(compileRequest({ ...plan, basePath: "/v2" }, base)({}).url).toBe("http://api.example/v2/a/");
    expect(() => compileRequest(plan, "file:///etc")).toThrow(TypeError);
  });

  test("keeps a query that the document writes into a path, and sends no fragment", () => {
    const parameters = [parameter("q", "query"), parameter("free", "query")];
    const path = ["/list?action=all&id=", parameter("id", "path"), "#part"];
    expect(write({ path, parameters }, { id: "a&b", q: 1 }).url).toBe(`${base}/list?action=all&id=a%26b&q=1`);
    expect(() => write({ path, parameters }, { id: "a", free: { action: "x" } })).toThrow(/name as another argument/);
  });
});

describe("a header argument", () => {
  const plan = { parameters: [parameter("X-Trace", "header")] };

  test.each(["a\r\nX-Evil: 1", "a\nb", "a\u0000", "a\u007f", "日本", "😀", "\u0100"])(
    "%j is refused with its path",
    (value) => {
      expect(() => write(plan, { "X-Trace": value })).toThrow(
        expect.objectContaining({
          code: "invalid_arguments",
          extras: { issues: [expect.objectContaining({ path: "/X-Trace" })] },
        }),
      );
      expect(() => write(plan, { "X-Trace": [value] })).toThrow(/must not contain/);
      expect(() => write(plan, { "X-Trace": { [value]: 1 } })).toThrow(/must not contain/);
    },
  );

  test("may have every other character of Latin-1", () => {
    expect(write(plan, { "X-Trace": "a é\t~;=%0D%0A" }).headers).toEqual([["X-Trace", "a é\t~;=%0D%0A"]]);
  });

  test.each(
    "Host,content-length,Transfer-Encoding,connection,Authorization,Proxy-Authorization,accept,X-Key,x-static,a b,a:b,é".split(
      ",",
    ),
  )("%s cannot be one", (name) => {
    const taken = { query: [], cookie: [], header: ["x-key", "X-Static"] };
    const additions = { headers: [["x-key", "secret"] as const], query: "", cookie: "" };
    expect(() => write({ parameters: [parameter(name, "header")] }, { [name]: "1" }, taken, additions)).toThrow(
      expect.objectContaining({ code: "invalid_arguments" }),
    );
    expect(write({ parameters: [parameter(name, "header")] }, {}, taken, additions).headers).toEqual([
      ["x-key", "secret"],
    ]);
  });
});

describe("a name that is not the object's", () => {
  const taken = { query: ["api_key"], header: [], cookie: ["sid"] };
  const additions = { headers: [], query: "api_key=secret", cookie: "sid=secret" };
  const names = [
    "api_key",
    "API_KEY",
    "api_key[]",
    "api_key[0]",
    "api_key.x",
    " api_key",
    "tenant",
    "Tenant",
    "tenant[a]",
  ];

  test.each(names)("%j cannot be written by an exploded object in a query", (key) => {
    const parameters = [parameter("tenant", "query"), parameter("filter", "query")];
    const send = (filter: JsonObject) => write({ parameters }, { tenant: "acme", filter }, taken, additions);
    expect(() => send({ [key]: "evil" })).toThrow(expect.objectContaining({ code: "invalid_arguments" }));
    expect(send({ color: "red" }).url).toBe(`${base}/?api_key=secret&tenant=acme&color=red`);
  });

  test.each(["spaceDelimited", "pipeDelimited", "form"] as const)("no other exploded style writes it: %s", (style) => {
    const parameters = [parameter("filter", "query", { style })];
    expect(() => write({ parameters }, { filter: { api_key: 1 } }, taken, additions)).toThrow(
      /name as another argument/,
    );
  });

  test("a deepObject writes names below its own only", () => {
    const parameters = [parameter("filter", "query", { style: "deepObject" }), parameter("filter[own]", "query")];
    const send = (filter: JsonObject) => write({ parameters }, { filter }, taken, additions).url;
    expect(send({ api_key: 1, "a&api_key=2#": 2 })).toBe(
      `${base}/?api_key=secret&filter%5Bapi_key%5D=1&filter%5Ba%26api_key%3D2%23%5D=2`,
    );
    expect(() => send({ "own][": 1 })).toThrow(/must not contain/);
    expect(() => send({ own: 1 })).toThrow(/name as another argument/);
    expect(() => send({ OWN: 1 })).toThrow(/name as another argument/);
  });

  test("a whole query does not write it, and a text is not a query", () => {
    const parameters = [parameter("q", "querystring", { mediaType: "application/x-www-form-urlencoded" })];
    expect(() => write({ parameters }, { q: { api_key: 1 } }, taken, additions)).toThrow(/name as another argument/);
    expect(write({ parameters }, { q: "a=1&api_key=2" }, taken, additions).url).toBe(
      `${base}/?api_key=secret&a%3D1%26api_key%3D2`,
    );
  });

  test("cookies do not write it either", () => {
    const parameters = [parameter("c", "cookie"), parameter("d", "cookie", { style: "cookie" })];
    for (const name of ["c", "d"]) {
      expect(() => write({ parameters }, { [name]: { sid: "x" } }, taken, additions)).toThrow(
        /name as another argument/,
      );
      expect(() => write({ parameters }, { [name]: { SID: "x" } }, taken, additions)).toThrow(
        /name as another argument/,
      );
    }
    expect(write({ parameters }, { c: "x; sid=y" }, taken, additions).headers).toEqual([
      ["cookie", "sid=secret; c=x%3B%20sid%3Dy"],
    ]);
  });

  test("a parameter with such a name is left out of the tool, and refused if it is not", () => {
    expect(isTaken(taken, "query", "api_key")).toBe(true);
    expect(isTaken(taken, "query", "Api_Key")).toBe(true);
    expect(isTaken(taken, "header", "api_key")).toBe(false);
    expect(isTaken(taken, "header", "Cookie")).toBe(true);
    expect(isTaken({ ...taken, cookie: [] }, "header", "Cookie")).toBe(false);
    for (const place of ["query", "cookie"] as const) {
      const parameters = [parameter(place === "query" ? "api_key" : "sid", place)];
      expect(() => write({ parameters }, { api_key: "1", sid: "1" }, taken, additions)).toThrow(/must be left out/);
    }
  });
});
