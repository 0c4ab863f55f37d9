import { describe, expect, it } from "vitest";
import { appOf, type BodyBytes, post } from "../app-in-memory.ts";
import { listenWith } from "../listening-app.ts";
import { exchangeText } from "../node/raw-socket.ts";

/** Posts a body to a tool that counts its runs, in memory. */
async function postTo(text: BodyBytes | undefined, headers?: Record<string, string>) {
  let runs = 0;
  const { app } = appOf([{ execute: (args) => (runs++, args) }]);
  const answer = await post(app, "/tools/tool/invoke", text, headers);
  return { ...answer, code: answer.body.error?.code, runs };
}

const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
const nestedLists = (levels: number): string => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

describe("a body that is no JSON", () => {
  it.each([
    '{"a":',
    "{",
    "}",
    "{}}",
    "{} {}",
    "{'a':1}",
    "{a:1}",
    '{"a":1,}',
    "[1,]",
    '{"a":01}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":1.}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":undefined}',
    '{"a":"\n"}',
    '{"a":"\\x41"}',
    '{"a":"\\u12"}',
    "// x\n{}",
    "{}/**/",
    " ",
    "\n",
    "\u00a0{}",
    "tru",
    '"',
    "\u0000",
    '{"a":1\u0000}',
    "\ufeff\ufeff{}",
  ])("is bad_request, and nothing runs: %j (J1)", async (text) => {
    const { status, code, runs, headers } = await postTo(text);
    expect({ status, code, runs }).toEqual({ status: 400, code: "bad_request", runs: 0 });
    expect(headers.get("toolhost-outcome")).toBe("bad_request");
  });
});

describe("a body whose meaning JSON leaves open", () => {
  it.each([
    ["a repeated key", '{"a":1,"a":2}'],
    ["a repeated key with the same value", '{"a":1,"a":1}'],
    ["a repeated key in another spelling", '{"a":1,"\\u0061":2}'],
    ["a repeated key deep inside", '{"x":[{"y":{"a":1,"b":2,"a":3}}]}'],
    ["a repeated empty key", '{"":1,"":2}'],
    ["a repeated key after a colon in a string", '{"a":"x:y","b":"\\":","a":1}'],
    ["__proto__", '{"__proto__":{"admin":1}}'],
    ["__proto__ in another spelling", '{"\\u005f_proto__":{"admin":1}}'],
    ["__proto__ deep inside", '{"a":[{"b":{"__proto__":null}}]}'],
    ["a number that is infinite", '{"a":1e400}'],
    ["a number that is negatively infinite", '{"a":[-1e400]}'],
    ["an integer literal past the doubles", `{"a":1${"0".repeat(400)}}`],
    ["2^53+1", '{"id":9007199254740993}'],
    ["-(2^53+1)", '{"id":-9007199254740993}'],
    ["an id of 64 bits (B18)", '{"a":{"id":7960607143101464577}}'],
    ["an inexact integer in a list", "[1,2,12345678901234567891]"],
    ["65 levels of objects", nested(65)],
    ["65 levels of lists", nestedLists(65)],
    ["200,000 levels of lists", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
    ["65 levels behind a key that is repeated", `{"a":${nested(65)},"a":1}`],
  ])("is bad_request: %s (J2, J3, J5, J9)", async (_title, text) => {
    const { status, code, runs } = await postTo(text);
    expect({ status, code, runs }).toEqual({ status: 400, code: "bad_request", runs: 0 });
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
  });

  it.each([
    ["a key named constructor", '{"constructor":{"prototype":1}}'],
    ["the same key in two objects", '{"a":{"a":1},"b":{"a":1}}'],
    ["2^53-1 and 2^53", '{"a":9007199254740991,"b":9007199254740992}'],
    ["a large integer that a double holds", '{"a":1000000000000000000000}'],
    ["integers with an exponent or a fraction", '{"a":1e20,"b":5.0,"c":9007199254740993.0,"d":1E2}'],
    ["a number that is too small to tell from 0", '{"a":1e-400}'],
    ["64 levels of objects", nested(64)],
    ["64 levels of lists", nestedLists(64)],
    ["space around it", ' \t\r\n{"a" : [ 1 , {} ] }\n'],
    ["a byte order mark (J7)", '\ufeff{"a":1}'],
    ["text of all planes", '{"a":"é😀\u2028","😀":"\\u0000"}'],
  ])("is taken as it is: %s", async (_title, text) => {
    const { status, body, runs } = await postTo(text);
    expect({ status, runs }).toEqual({ status: 200, runs: 1 });
    expect(body.result).toEqual(JSON.parse(text.replace("\ufeff", "")));
  });

  it("reaches the tool as it is with an unpaired surrogate, which the outcome replaces by U+FFFD (J8)", async () => {
    let given: unknown;
    const { app } = appOf([{ execute: (args) => (given = args) }]);
    const { body } = await post(app, "/tools/tool/invoke", '{"a":"\\ud800"}');
    expect(given).toEqual({ a: "\ud800" });
    expect(body.result).toEqual({ a: "\ufffd" });
  });

  it("says where what it refuses stands, and not what", async () => {
    const { body } = await postTo('{"a/b":[{"id":9007199254740993}]}');
    expect(body.error?.message).toContain("/a~1b/0/id");
    expect(body.error?.message).not.toContain("9007199254740993");
  });
});

describe("a body's bytes", () => {
  it.each([
    ["a stray byte", [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]],
    ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
    ["a surrogate in UTF-8", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a cut character", [0x22, 0xe2, 0x82, 0x22]],
    ["UTF-16", [...Buffer.from('{"a":1}', "utf16le")]],
    ["UTF-16 with its mark", [0xff, 0xfe, ...Buffer.from("{}", "utf16le")]],
  ])("are refused where they are no UTF-8: %s (J7)", async (_title, bytes) => {
    const { status, code, runs } = await postTo(Uint8Array.from(bytes));
    expect({ status, code, runs }).toEqual({ status: 400, code: "bad_request", runs: 0 });
  });

  it.each(["gzip", "br", "deflate", "x-unknown", "gzip, identity"])(
    "are refused in the content-encoding %s (J10)",
    async (encoding) => {
      const { status, code, runs } = await postTo("{}", { "content-encoding": encoding });
      expect({ status, code, runs }).toEqual({ status: 415, code: "unsupported_media_type", runs: 0 });
    },
  );
});

describe("a body's media type", () => {
  it.each([
    "application/json",
    "Application/JSON",
    "application/json;charset=utf-8",
    "application/json; charset=UTF-8",
    'application/json; charset="utf-8"',
    "application/json ; charset=utf-8",
    "application/json;",
  ])("is taken: %s", async (type) => {
    expect((await postTo("{}", { "content-type": type })).status).toBe(200);
  });

  it.each([
    "text/plain",
    "text/json",
    "application/jsonp",
    "application/json-seq",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "*/*",
    "application/json\ta",
    "application/json a",
    "application/json, text/plain",
    "application/json;charset=utf-16",
    "application/json; charset=iso-8859-1",
    "text/plain; application/json",
    "application",
    "json",
  ])("is refused: %j (J6)", async (type) => {
    const { status, code, runs } = await postTo("{}", { "content-type": type });
    expect({ status, code, runs }).toEqual({ status: 415, code: "unsupported_media_type", runs: 0 });
  });

  it("is needed where there is a body, and may stand there once", async () => {
    const { port } = await listenWith([{}]);
    const request = (types: string) =>
      `POST /tools/tool/invoke HTTP/1.1\r\nhost: localhost\r\n${types}content-length: 2\r\n\r\n{}`;
    const json = "content-type: application/json\r\n";
    expect((await exchangeText(port, request(json))).status).toBe(200);
    expect((await exchangeText(port, request(""))).status).toBe(415);
    expect((await exchangeText(port, request("content-type: \r\n"))).status).toBe(415);
    expect((await exchangeText(port, request(json + json))).status).toBe(400);
  });
});

describe("what is refused in a body is a sentence, at the root as inside", () => {
  const messageOf = async (path: string, body: string): Promise<string | undefined> => {
    const { error, results } = (await post(appOf([{}]).app, path, body)).body as {
      error?: { message: string };
      results?: { error: { message: string } }[];
    };
    return error?.message ?? results?.[0]?.error.message;
  };
  const invoke = "/tools/tool/invoke";

  it.each([
    [invoke, '{"a":1,"a":2}', "The body is refused: the root has a key twice."],
    [invoke, '{"a":{"b":[{"c":1,"c":2}]}}', "The body is refused: /a/b/0 has a key twice."],
    [invoke, '{"__proto__":1}', "The body is refused: the root has the key __proto__, which is not allowed."],
    [invoke, '{"a":1e999}', "The body is refused: /a is a number that is too large."],
    ["/calls", '{"calls":[],"calls":[]}', "The body is refused: the root has a key twice."],
    [
      "/calls",
      '{"calls":[{"name":"tool","name":"x"}]}',
      "This entry is not a call that can be run: the root has a key twice.",
    ],
    [
      "/calls",
      '{"calls":[{"name":"tool","arguments":{"a":{"b":1,"b":2}}}]}',
      "This entry is not a call that can be run: /a has a key twice.",
    ],
  ])("%s %s", async (path, body, message) => {
    expect(await messageOf(path, body)).toBe(message);
  });
});
