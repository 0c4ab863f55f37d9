import { describe, expect, test } from "vitest";
import { createCheck } from "../../../src/schema/check.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";
import { noNames } from "../../../src/sources/request/taken-names.ts";
import { compileRequest } from "../../../src/sources/request/write-request.ts";

const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "isPrototypeOf"];

/** The one tool of a document whose text is JSON, so that `__proto__` is a key of its own. */
function toolOf(text: string) {
  const { operations, requestDefinitions } = readOpenApi(text, { name: "api" });
  const [{ name, plan, parameters }] = operations as [(typeof operations)[0]];
  const schema = JSON.parse(assembleSchema(parameters.text, parameters.reaches, requestDefinitions)) as JsonObject;
  const check = createCheck(schema, { trusted: false });
  return {
    name,
    schema,
    accepts: (value: unknown) => check.accepts(value),
    send: (args: JsonObject) =>
      compileRequest(plan, "https://api.example/", noNames)(args, { headers: [], query: "", cookie: "" }),
  };
}

const post = (schema: string, media = "application/json", more = "") =>
  `{"openapi":"3.0.3","paths":{"/a":{"post":{"requestBody":{"required":true,"content":{"${media}":{"schema":${schema}${more}}}}}}}}`;
const withParameter = (place: string, name: string) =>
  `{"openapi":"3.0.3","paths":{"/a${place === "path" ? `/{${name}}` : ""}":{"get":{"parameters":[{"name":"${name}","in":"${place}","required":true,"schema":{"type":"string"}}]}}}}`;

describe.each(names)("the name %s", (name) => {
  const argumentFor = (place: string) => (name === "__proto__" ? `__proto___${place}` : name);

  test.each(["path", "query", "header", "cookie"])("is a parameter in %s that a model can send", (place) => {
    const { accepts, schema, send } = toolOf(withParameter(place, name));
    const argument = argumentFor(place);
    expect(schema["required"]).toEqual([argument]);
    expect([accepts({ [argument]: "v" }), accepts({})]).toEqual([true, false]);
    const { url, headers } = send({ [argument]: "v" });
    const sent = {
      path: url === "https://api.example/a/v",
      query: url === `https://api.example/a?${name}=v`,
      header: headers.some(([key, value]) => key === name && value === "v"),
      cookie: headers.some(([key, value]) => key.toLowerCase() === "cookie" && value === `${name}=v`),
    };
    expect(sent).toMatchObject({ [place]: true });
  });

  test("is a property of a body of JSON, checked and sent", () => {
    const { accepts, send } = toolOf(
      post(`{"type":"object","required":["${name}"],"properties":{"${name}":{"type":"integer"},"x":{}}}`),
    );
    const argument = argumentFor("body");
    expect([accepts({ [argument]: 1 }), accepts({ [argument]: "1" }), accepts({ x: 1 })]).toEqual([true, false, false]);
    expect(send({ [argument]: 1 }).body).toBe(`{"${name}":1}`);
  });

  test("is a file of a form with its own encoding", () => {
    const { send } = toolOf(
      post(
        `{"type":"object","properties":{"${name}":{"type":"string","format":"binary"}}}`,
        "multipart/form-data",
        `,"encoding":{"${name}":{"contentType":"image/png"}}`,
      ),
    );
    const { body } = send({ [argumentFor("body")]: "data:image/png;base64,AAAA" });
    const text = Buffer.from(body as Uint8Array).toString("latin1");
    expect(text).toContain(`name="${name}"`);
    expect(text).toMatch(/content-type: image\/png/i);
  });

  test("is a field of a form of Swagger 2.0", () => {
    const { send, schema } = toolOf(
      `{"swagger":"2.0","paths":{"/a":{"post":{"parameters":[{"name":"${name}","in":"formData","type":"string","required":true}]}}}}`,
    );
    expect(schema["required"]).toEqual([argumentFor("body")]);
    expect(send({ [argumentFor("body")]: "v" }).body).toBe(`${name}=v`);
  });

  test("is a definition, and leads nowhere if the document has none", () => {
    const refer = (schemas: string) =>
      toolOf(
        `{"openapi":"3.0.3","components":{"schemas":${schemas}},"paths":{"/a":{"get":{"parameters":[{"name":"p","in":"query","schema":{"$ref":"#/components/schemas/${name}"}}]}}}}`,
      );
    const found = refer(`{"${name}":{"type":"integer"}}`);
    expect([found.accepts({ p: 1 }), found.accepts({ p: "a" })]).toEqual([true, false]);
    expect(refer("{}").accepts({ p: "a" })).toBe(true);
  });

  test("is an operationId, a media type, a type, a style and a server variable", () => {
    const text = `{"openapi":"3.0.3","servers":[{"url":"https://{${name}}.example"}],"paths":{"/a":{"post":{"operationId":"${name}","parameters":[{"name":"p","in":"query","style":"${name}","schema":{"type":"${name}","format":"${name}"}}],"requestBody":{"content":{"${name}":{}}}}}}}`;
    const tool = toolOf(text);
    expect(tool.name).toBe(`api_${name}`);
    expect(tool.send({ p: "v" }).url).toBe("https://api.example/a?p=v");
    expect(readOpenApi(text, { name: "api" }).baseUrl).toBeUndefined();
  });

  test("changes no prototype", () => {
    for (const place of ["query", "header"]) toolOf(withParameter(place, name));
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as JsonObject)["type"]).toBeUndefined();
  });
});

test("a property __proto__ deep in a body is neither asked for nor required: no caller can send it", () => {
  const { accepts } = toolOf(
    post(
      '{"type":"object","properties":{"y":{"type":"object","required":["__proto__","z"],"properties":{"__proto__":{}}}}}',
    ),
  );
  expect([accepts({ y: { z: 1 } }), accepts({ y: {} })]).toEqual([true, false]);
});
