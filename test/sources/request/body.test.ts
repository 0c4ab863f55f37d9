import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import type { BodyPlan } from "../../../src/sources/request/plan.ts";
import { compileRequest, type UpstreamRequest } from "../../../src/sources/request/write-request.ts";
import { decodeMultipart, decodePairs } from "../openapi/decoders.ts";

const png = "data:image/png;base64,iVBORw==";

function send(body: Partial<BodyPlan>, args: JsonObject): UpstreamRequest {
  const whole: BodyPlan = {
    mediaType: "application/json",
    kind: "json",
    from: { argument: "body" },
    isRequired: false,
    ...body,
  };
  const id = { argument: "id", name: "id", in: "query", style: "form", explode: true } as const;
  return compileRequest({ method: "POST", path: ["/"], parameters: [id], body: whole }, "http://api.example")(args);
}

function typeOf({ headers }: UpstreamRequest): string {
  return headers.find(([name]) => name === "content-type")?.[1] ?? "";
}

function partsOf(body: Partial<BodyPlan>, args: JsonObject) {
  const request = send({ mediaType: "multipart/form-data", kind: "multipart", ...body }, args);
  return decodeMultipart(typeOf(request), Buffer.from(request.body as Uint8Array));
}

const properties = (...names: string[]) => ({
  properties: names.map((name) => [name, name] as const),
  takesOthers: false,
});

describe("a JSON body", () => {
  test("is its argument, whatever the value is", () => {
    for (const value of [null, 0, "", false, [], {}, "a", [1, { b: null }]]) {
      expect(send({}, { body: value }).body).toBe(JSON.stringify(value));
    }
    expect(send({}, {})).not.toHaveProperty("body");
    expect(send({}, {}).headers).toEqual([]);
  });

  test("is its properties, by their names in the body; null and empty values are kept", () => {
    const from = { properties: [["id_body", "id"] as const, ["tags", "tags"] as const], takesOthers: false };
    const { body, url } = send({ from }, { id: 1, id_body: 2, tags: [], unknown: 1 });
    expect(JSON.parse(body as string)).toEqual({ id: 2, tags: [] });
    expect(url).toBe("http://api.example/?id=1");
    expect(send({ from, isRequired: true }, { id: 1 }).body).toBe("{}");
    expect(send({ from }, { id: 1 }).body).toBeUndefined();
  });

  test("takes other arguments if its schema does, but none under the name of a property", () => {
    const from = { properties: [["id_body", "id"] as const, ["x_body", "x"] as const], takesOthers: true };
    expect(JSON.parse(send({ from }, { id: 1, other: true }).body as string)).toEqual({ other: true });
    expect(() => send({ from }, { x: 1 })).toThrow(/\/x has the name of a property/);
  });

  test.each(["application/merge-patch+json", "role/json", "application/json; charset=utf-8"])(
    "has the type %s",
    (mediaType) => {
      expect(typeOf(send({ mediaType }, { body: {} }))).toBe(mediaType);
    },
  );

  test("is not sent with GET or HEAD", () => {
    const body: BodyPlan = {
      mediaType: "application/json",
      kind: "json",
      from: { argument: "body" },
      isRequired: true,
    };
    for (const method of ["GET", "HEAD"]) {
      expect(compileRequest({ method, path: ["/"], parameters: [], body }, "http://api.example")({ body: 1 })).toEqual({
        method,
        url: "http://api.example/",
        headers: [],
      });
    }
  });
});

describe("a form", () => {
  const form = (args: JsonObject, encoding: BodyPlan["encoding"] = {}): string =>
    send(
      {
        mediaType: "application/x-www-form-urlencoded",
        kind: "form",
        from: { ...properties("amount", "tags"), takesOthers: true },
        encoding,
      },
      args,
    ).body as string;

  test("repeats arrays and writes objects as JSON", () => {
    expect(form({ amount: 5, note: "a&b", tags: ["x", "y"] })).toBe("amount=5&note=a%26b&tags=x&tags=y");
    expect(decodePairs(form({ tags: [{ a: 1 }], amount: { b: "c d" } }))).toEqual([
      ["tags", '{"a":1}'],
      ["amount", '{"b":"c d"}'],
    ]);
    expect(form({ amount: null, tags: [] })).toBe("");
  });

  test("follows the encoding of a property", () => {
    expect(form({ tags: ["x", "y"] }, { tags: { style: "form", explode: false } })).toBe("tags=x,y");
    expect(form({ tags: ["x", "y"] }, { tags: { style: "pipeDelimited", explode: false } })).toBe("tags=x%7Cy");
    expect(decodePairs(form({ tags: { a: { b: 1 } } }, { tags: { style: "deepObject", explode: true } }))).toEqual([
      ["tags[a][b]", "1"],
    ]);
    expect(form({ tags: "a" }, { tags: { mediaType: "application/json" } })).toBe("tags=%22a%22");
    expect(form({ tags: "a/b" }, { tags: { allowReserved: true } })).toBe("tags=a/b");
    expect(form({ tags: { a: 1 } }, { tags: { style: "form", explode: true } })).toBe("a=1");
  });

  test("has no name of a property from an exploded object", () => {
    for (const key of ["amount", "AMOUNT", "amount[]", "amount[x]", "amount.x", " amount"]) {
      expect(() => form({ tags: { [key]: 1 } }, { tags: { style: "form", explode: true } })).toThrow(
        /name as another argument/,
      );
    }
  });
});

describe("a multipart body", () => {
  const from = properties("title", "file", "meta", "tags");

  test("has a part a property and an item; a file is a data: URL or its text", () => {
    const args = { title: "é", file: png, meta: { a: 1 }, tags: ["x", "y"] };
    const parts = partsOf({ from, encoding: { file: { isFile: true } } }, args);
    expect(parts.map(({ content, ...part }) => ({ ...part, content: content.toString("base64") }))).toEqual([
      { name: "title", fileName: undefined, type: undefined, content: Buffer.from("é").toString("base64") },
      { name: "file", fileName: "file", type: "image/png", content: "iVBORw==" },
      {
        name: "meta",
        fileName: undefined,
        type: "application/json",
        content: Buffer.from('{"a":1}').toString("base64"),
      },
      { name: "tags", fileName: undefined, type: undefined, content: Buffer.from("x").toString("base64") },
      { name: "tags", fileName: undefined, type: undefined, content: Buffer.from("y").toString("base64") },
    ]);
  });

  test("is only its end without parts", () => {
    expect(partsOf({ from, isRequired: true }, {})).toEqual([]);
    expect(partsOf({ from }, { title: null, tags: [] })).toEqual([]);
  });

  test.each<[string, string, string]>([
    ["data:text/plain,a%20b", "a b", "text/plain"],
    ["data:,a", "a", "application/octet-stream"],
    ["data:text/csv;charset=utf-8;base64,YSxi", "a,b", "text/csv;charset=utf-8"],
    ["data:;base64,YQ==", "a", "application/octet-stream"],
    ["data:text/plain;base64,YQ", "a", "text/plain"],
    ["DATA:text/plain;BASE64,YQ==", "a", "text/plain"],
  ])("reads %s as a file", (text, content, type) => {
    const [part] = partsOf({ from, encoding: { file: { isFile: true } } }, { file: text });
    expect([part?.content.toString(), part?.type]).toEqual([content, type]);
  });

  test.each([
    "data:image/png\r\nX-Evil: 1;base64,YQ==",
    'data:image/png;a="\r\nX-Evil: 1",x',
    "data:image,x",
    "data:image/png;base64,Y",
    "data:image/png;base64,Y$==",
    "data:text/plain,%zz",
    "data:text/plain",
    "data:",
    "database",
  ])("takes %j as a text, because it is not a data: URL", (text) => {
    const [part] = partsOf({ from, encoding: { file: { isFile: true } } }, { file: text });
    expect([part?.content.toString(), part?.type]).toEqual([text, "application/octet-stream"]);
  });

  test("refuses a file whose media type the document does not allow", () => {
    const encoding = { file: { isFile: true, mediaType: "image/png, image/jpeg" } };
    expect(partsOf({ from, encoding }, { file: png })[0]?.type).toBe("image/png");
    expect(() => partsOf({ from, encoding }, { file: "data:text/html,x" })).toThrow(
      /\/file must be a file of the media type/,
    );
    expect(
      partsOf({ from, encoding: { file: { isFile: true, mediaType: "text/csv" } } }, { file: "a,b" })[0]?.type,
    ).toBe("text/csv");
    expect(partsOf({ from, encoding: { file: { isFile: true, mediaType: "image/*" } } }, { file: png })[0]?.type).toBe(
      "image/png",
    );
  });

  test("escapes names as browsers do", () => {
    const name = 'a"\r\nX-Evil: 1\r\n\r\nb';
    const [part] = partsOf({ from: properties(name), encoding: { [name]: { isFile: true } } }, { [name]: "x" });
    expect(part).toMatchObject({
      name: "a%22%0D%0AX-Evil: 1%0D%0A%0D%0Ab",
      fileName: "a%22%0D%0AX-Evil: 1%0D%0A%0D%0Ab",
    });
  });

  test("joins an array whose encoding does not explode", () => {
    const encoding = { tags: { style: "form", explode: false } } as const;
    expect(partsOf({ from, encoding }, { tags: ["x", "y"] }).map(({ content }) => content.toString())).toEqual(["x,y"]);
  });
});

describe("a body that is not structured", () => {
  test("is its text, or the bytes of a data: URL", () => {
    expect(send({ kind: "text", mediaType: "application/yaml" }, { body: "a: 1\n" })).toMatchObject({ body: "a: 1\n" });
    const bytes = send({ kind: "bytes", mediaType: "application/octet-stream" }, { body: png });
    expect(Buffer.from(bytes.body as Uint8Array).toString("base64")).toBe("iVBORw==");
    expect(typeOf(bytes)).toBe("application/octet-stream");
    expect(Buffer.from(send({ kind: "bytes" }, { body: "text" }).body as Uint8Array).toString()).toBe("text");
    expect(() => send({ kind: "bytes", mediaType: "image/jpeg" }, { body: png })).toThrow(
      /must be a file of the media type/,
    );
  });
});
