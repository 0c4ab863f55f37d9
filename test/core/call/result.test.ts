import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { outcomeJson } from "../../../src/core/outcome.ts";
import { callTool, errorOf, resultOf } from "../one-tool.ts";

const returning = (value: unknown, resultBytes?: number) =>
  callTool({ execute: () => value, ...(resultBytes !== undefined && { resultBytes }) });

const cycle: { self?: unknown } = {};
cycle.self = cycle;
const shared = { a: 1 };
class Labelled extends Map<number, number> {
  label = "x";
}
const throwing = () => {
  throw new Error("canary");
};

describe("a result that is no JSON", () => {
  it.each<[string, unknown, string]>([
    ["NaN", { a: [NaN] }, "/a/0"],
    ["Infinity", { "a/b": -Infinity }, "/a~1b"],
    ["a BigInt", { n: 1n }, "/n"],
    ["a function", { f: () => 1 }, "/f"],
    ["a class", class {}, ""],
    ["a symbol", [Symbol("canary")], "/0"],
    ["a hole in an array", [1, undefined], "/1"],
    ["a Map", { m: new Map([["canary", 1]]) }, "/m"],
    ["a Map with members of its own", new Labelled([[1, 2]]), ""],
    ["a Set", new Set(["canary"]), ""],
    ["an Error", { e: Object.assign(new Error("canary"), { code: 1 }) }, "/e"],
    ["a RegExp", /canary/, ""],
    ["a promise inside", { p: Promise.resolve("canary") }, "/p"],
    ["a Response", new Response("canary"), ""],
    ["a web stream", { s: new Response("canary").body }, "/s"],
    ["a Node stream", Readable.from(["canary"]), ""],
    ["a class whose toJSON gives a function", { a: { toJSON: () => () => 1 } }, "/a"],
    ["an invalid date", { at: new Date(NaN) }, "/at"],
    ["a generator", (function* () {})(), ""],
    ["a toJSON that gives NaN", { a: { toJSON: () => ({ b: NaN }) } }, "/a/b"],
    ["a toJSON that gives nothing", { a: { toJSON: () => undefined } }, "/a"],
    ["a boxed NaN", { n: Object(NaN) }, "/n"],
  ])("such as %s is invalid_result with its place", async (_, value, path) => {
    const outcome = await returning(value);
    expect(errorOf(outcome)).toMatchObject({
      code: "invalid_result",
      retryable: false,
      issues: [{ path, keyword: "json" }],
    });
    expect(errorOf(outcome)).not.toHaveProperty("ran");
    expect(JSON.stringify(outcome)).not.toContain("canary");
  });

  it.each<[string, () => unknown]>([
    ["a Buffer", () => Buffer.from("canary")],
    ["a typed array", () => new Uint8Array([1, 2])],
    ["floats", () => new Float64Array(2)],
    ["an ArrayBuffer", () => new ArrayBuffer(2)],
    ["shared memory", () => new SharedArrayBuffer(2)],
    ["a DataView", () => new DataView(new ArrayBuffer(2))],
    ["a Blob", () => new Blob(["canary"])],
    ["a Blob with members", () => Object.assign(new Blob(["canary"]), { name: "canary" })],
    ["bytes with a toJSON", () => Object.assign(new Uint8Array(2), { toJSON: () => "canary" })],
    ["a toJSON that gives a Buffer", () => ({ toJSON: () => Buffer.from("canary") })],
  ])("such as %s, at any depth, is refused with the advice to give base64", async (_, make) => {
    for (const [path, value] of [
      ["", make()],
      ["/a", { a: make() }],
      ["/a/0/b", { a: [{ b: make() }] }],
    ] as const) {
      const error = errorOf(await returning(value));
      expect(error).toMatchObject({ code: "invalid_result", issues: [{ path, keyword: "json" }] });
      expect(error.message).toContain("base64");
      expect(JSON.stringify(error)).not.toContain("canary");
    }
  });

  it.each([false, true])("is closed if it is a generator, with advice: started %s", async (isStarted) => {
    const ended: string[] = [];
    async function* later() {
      try {
        yield 1;
      } finally {
        ended.push("later");
      }
    }
    function* now() {
      try {
        yield 1;
      } finally {
        ended.push("now");
      }
    }
    for (const generator of [later(), now()]) {
      if (isStarted) await generator.next();
      const error = errorOf(await returning({ deep: [generator] }));
      expect(error).toMatchObject({ code: "invalid_result", issues: [{ path: "/deep/0" }] });
      expect(error.message).toContain("context.progress");
      expect(await generator.next()).toEqual({ value: undefined, done: true });
    }
    expect(ended).toEqual(isStarted ? ["later", "now"] : []);
  });

  it.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["nothing later", () => Promise.resolve()],
  ])("but a tool that returns %s has returned null", async (_, execute) => {
    const outcome = await callTool({ execute });
    expect(resultOf(outcome)).toBe(null);
    expect(outcomeJson(outcome)).toContain('"result":null');
    expect(errorOf(await callTool({ execute, response: { type: "string" } }))).toMatchObject({
      code: "invalid_result",
      issues: [{ path: "", expected: "string" }],
    });
  });

  it.each<[string, unknown]>([
    ["a cycle", cycle],
    [
      "a getter that throws",
      {
        get a() {
          return throwing();
        },
      },
    ],
    ["a toJSON that throws", { toJSON: throwing }],
    ["a toJSON that throws a RangeError", { toJSON: () => new Date(NaN).toISOString() }],
    ["a then that throws", Object.defineProperty({}, "then", { get: throwing, enumerable: true })],
    ["a proxy that throws", new Proxy({ a: 1 }, { get: throwing })],
    [
      "a toJSON that gives itself for ever",
      {
        a: {
          toJSON() {
            return { a: this };
          },
        },
      },
    ],
  ])("such as %s is invalid_result", async (_, value) => {
    const outcome = await returning(value);
    expect(errorOf(outcome).code).toBe("invalid_result");
    expect(JSON.stringify(outcome)).not.toContain("canary");
  });

  it("is cancelled where it is a stream, for nobody will read it", async () => {
    let cancelled = false;
    const body = new ReadableStream({ cancel: () => void (cancelled = true) });
    await returning(new Response(body));
    const stream = Readable.from(["x"]);
    await returning({ stream });
    expect([cancelled, stream.destroyed]).toEqual([true, true]);
  });
});

describe("a result that is JSON", () => {
  class Point {
    x = 1;
    #hidden = 2;
    get sum() {
      return this.x + this.#hidden;
    }
  }
  it.each<[string, unknown, unknown]>([
    ["null", null, null],
    ["a member that is undefined", { a: 1, b: undefined }, { a: 1 }],
    ["a date", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["a URL", [new URL("http://h/p")], ["http://h/p"]],
    ["an instance", new Point(), { x: 1 }],
    ["an object without prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["negative zero", { n: -0 }, { n: 0 }],
    ["an array of another kind", new (class List extends Array<number> {})(), []],
    ["a toJSON", { toJSON: () => ({ b: [1] }) }, { b: [1] }],
    [
      "a toJSON that gives its own object",
      new (class {
        a = 1;
        toJSON() {
          return this;
        }
      })(),
      { a: 1 },
    ],
    ["boxed values", [Object(1), Object("s"), Object(false)], [1, "s", false]],
    ["one object twice", [shared, shared], [{ a: 1 }, { a: 1 }]],
  ])("is what JSON says of it: %s", async (_, value, says) => {
    const result = resultOf(await returning(value));
    expect(result).toEqual(says);
    expect(JSON.stringify(result)).toBe(JSON.stringify(value));
  });
});

describe("a result that is not the same twice", () => {
  const response = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const check = (value: unknown) => callTool({ response, execute: () => value });

  it("is checked as it is sent: a getter that gives something else next", async () => {
    let reads = 0;
    const value = {
      get n() {
        return reads++ === 0 ? "canary" : 1;
      },
    };
    expect(errorOf(await check(value))).toMatchObject({ code: "invalid_result", issues: [{ path: "/n" }] });
    expect(reads).toBe(1);
  });

  it("is checked as it is sent: a proxy that lies", async () => {
    let reads = 0;
    const value = new Proxy({ n: 1 }, { get: (target, key) => (key === "n" && reads++ === 0 ? 0.5 : target.n) });
    expect(errorOf(await check(value)).code).toBe("invalid_result");
  });

  it("is checked as it is sent: a member that JSON does not write", async () => {
    expect(errorOf(await check(Object.defineProperty({}, "n", { value: 1 }))).code).toBe("invalid_result");
  });

  it("is what it was when the tool returned it", async () => {
    const value = { n: 1 };
    const outcome = await check(value);
    value.n = 2;
    expect(resultOf(outcome)).toEqual({ n: 1 });
  });

  it("has a member __proto__ where the tool made one, and its own prototype", async () => {
    const result = resultOf(await returning(JSON.parse('{"__proto__":{"admin":1}}')));
    expect(JSON.stringify(result)).toBe('{"__proto__":{"admin":1}}');
    expect(result).not.toHaveProperty("admin");
  });
});

describe("result_too_large", () => {
  it("begins with the first byte over resultBytes", async () => {
    for (const text of ["a".repeat(98), "é".repeat(49), "€".repeat(32) + "ab", "😀".repeat(24) + "ab"]) {
      expect(Buffer.byteLength(JSON.stringify(text))).toBe(100);
      expect(resultOf(await returning(text, 100))).toBe(text);
      const over = errorOf(await returning(text, 99));
      expect(over).toMatchObject({ code: "result_too_large", retryable: false });
      expect(over).not.toHaveProperty("ran");
      expect(over.message).toContain("99 bytes");
    }
  });

  it("is 1 MiB where the tool says nothing", async () => {
    expect((await returning("x".repeat(1_048_574))).status).toBe("ok");
    expect(errorOf(await returning("x".repeat(1_048_575))).code).toBe("result_too_large");
  });

  it("is said of 50 MB as of one byte too many (R3)", async () => {
    expect(errorOf(await returning({ text: "x".repeat(50_000_000) })).code).toBe("result_too_large");
  });
});
