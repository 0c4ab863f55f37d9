import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { createIsOtherSide } from "../../../src/sources/openapi/declaration/other-side.ts";
import { readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";

const schemas = {
  Read: { type: "string", readOnly: true },
  Write: { type: "string", writeOnly: true },
  ReadAgain: { $ref: "#/components/schemas/Read" },
  WriteAgain: { $ref: "#/components/schemas/Write" },
};
const to = (name: keyof typeof schemas) => ({ $ref: `#/components/schemas/${name}` });

function schemasOf(schema: JsonObject) {
  const content = { "application/json": { schema } };
  const { operations, requestDefinitions, responseDefinitions } = readOpenApi(
    JSON.stringify({
      openapi: "3.0.3",
      paths: { "/a": { post: { requestBody: { required: true, content }, responses: { 200: { content } } } } },
      components: { schemas },
    }),
    { name: "api" },
  );
  const { parameters, response } = operations[0]!;
  const request = assembleSchema(parameters.text, parameters.reaches, requestDefinitions);
  const answer = assembleSchema(response!.text, response!.reaches, responseDefinitions);
  return { request: JSON.parse(request) as JsonObject, response: JSON.parse(answer) as JsonObject };
}

const namesOf = ({ properties }: JsonObject) => Object.keys(properties as JsonObject);

describe.each<[string, JsonObject, JsonObject]>([
  ["by itself", schemas.Read, schemas.Write],
  ["by what it refers to", to("Read"), to("Write")],
  ["by a chain of references", to("ReadAgain"), to("WriteAgain")],
  ["by a member of allOf", { allOf: [to("ReadAgain"), { minLength: 1 }] }, { allOf: [to("Write")] }],
])("a property that is for one side %s", (_, read, write) => {
  const whole = {
    type: "object",
    required: ["id", "secret", "name"],
    properties: { id: read, secret: write, name: {} },
  };

  test("is left out of the other, required or not", () => {
    const { request, response } = schemasOf(whole);
    expect([namesOf(request), request["required"]]).toEqual([
      ["secret", "name"],
      ["secret", "name"],
    ]);
    expect([namesOf(response), response["required"]]).toEqual([
      ["id", "name"],
      ["id", "name"],
    ]);
  });

  test("is left out of schemas within", () => {
    const { request, response } = schemasOf({ type: "object", properties: { list: { type: "array", items: whole } } });
    const itemOf = ({ properties }: JsonObject) => ((properties as JsonObject)["list"] as { items: JsonObject }).items;
    expect([namesOf(itemOf(request)), namesOf(itemOf(response))]).toEqual([
      ["secret", "name"],
      ["id", "name"],
    ]);
  });
});

test("a property with a choice is for both sides", () => {
  const properties = { a: { oneOf: [to("Read"), { type: "integer" }] } };
  const { request, response } = schemasOf({ type: "object", properties });
  expect([namesOf(request), namesOf(response)]).toEqual([["a"], ["a"]]);
});

test("a circle ends", () => {
  const circle: JsonObject = {};
  circle["allOf"] = [circle];
  expect(createIsOtherSide("request", () => undefined)(circle)).toBe(false);
});

test("required: true on a property means that it is required, at any depth, if it is for this side", () => {
  const inner = { type: "object", properties: { x: { type: "string", required: true }, y: {} } };
  const { request, response } = schemasOf({
    type: "object",
    required: ["b"],
    properties: { a: { ...inner, required: true }, b: {}, c: { type: "string", readOnly: true, required: true } },
  });
  expect([request["required"], (response["required"] as string[]).toSorted()]).toEqual([
    ["a", "b"],
    ["a", "b", "c"],
  ]);
  const check = createCheck(request, { trusted: false });
  expect([{ a: { x: "1" }, b: 1 }, { a: {}, b: 1 }, { b: 1 }].map((value) => check.accepts(value))).toEqual([
    true,
    false,
    false,
  ]);
});
