import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";

const pet = { type: "object", properties: { name: { type: "string" } } };
const list = { type: "array", items: { type: "string" } };
const json = { schema: pet };

function read(document: JsonObject, operation: JsonObject) {
  const text = JSON.stringify({ ...document, paths: { "/x": { get: operation } } });
  const { response, plan, isFile } = readOpenApi(text, { name: "api" }).operations[0]!;
  return {
    schema: response === undefined ? undefined : (JSON.parse(response.text) as unknown),
    accept: plan.accept,
    isFile: isFile ?? false,
  };
}

describe("the schema of a result is a union of what can arrive, or open", () => {
  test.each<[string, JsonObject, unknown, string | undefined]>([
    ["one JSON answer", { 200: { content: { "application/json": json } } }, pet, "application/json"],
    [
      "JSON, or nothing by a 204",
      { 200: { content: { "application/json": json } }, 204: { description: "none" } },
      { anyOf: [pet, { type: "null" }] },
      "application/json",
    ],
    [
      "a 204 that has content, which HTTP does not send",
      { 200: { content: { "application/json": json } }, 204: { content: { "text/plain": {} } } },
      { anyOf: [pet, { type: "null" }] },
      "application/json",
    ],
    ["a 204 alone", { 204: { description: "none" } }, undefined, undefined],
    [
      "two answers of one schema",
      { 200: { content: { "application/json": json } }, 201: { content: { "application/json": json } } },
      pet,
      "application/json",
    ],
    [
      "two answers of two schemas",
      { 200: { content: { "application/json": json } }, "2XX": { content: { "application/json": { schema: list } } } },
      { anyOf: [pet, list] },
      "application/json",
    ],
    [
      "two JSON types of two schemas",
      { 200: { content: { "application/json": json, "application/vnd.x+json; v=2": { schema: list } } } },
      { anyOf: [pet, list] },
      "application/json, application/vnd.x+json; v=2",
    ],
    [
      "JSON beside XML: JSON is asked for",
      { 200: { content: { "application/xml": json, "application/json": json } } },
      pet,
      "application/json",
    ],
    [
      "JSON beside a stream of events",
      { 200: { content: { "application/json": json, "text/event-stream": {} } } },
      undefined,
      "application/json, text/event-stream",
    ],
    ["lines of JSON", { 200: { content: { "application/jsonl": json } } }, undefined, "application/jsonl"],
    ["XML alone", { 200: { content: { "application/xml": json } } }, undefined, "application/xml"],
    [
      "an answer without content, which people forget",
      { 200: { content: { "application/json": json } }, 202: { description: "accepted" } },
      undefined,
      "application/json",
    ],
    [
      "a JSON type without a schema",
      { 200: { content: { "application/json": json, "application/hal+json": {} } } },
      undefined,
      "application/json, application/hal+json",
    ],
    [
      "a schema that accepts anything",
      { 200: { content: { "application/json": { schema: true } } } },
      undefined,
      "application/json",
    ],
    [
      "an answer that is not a success",
      { 200: { content: { "application/json": json } }, 404: { content: { "text/plain": {} } } },
      pet,
      "application/json",
    ],
  ])("%s", (_, responses, schema, accept) => {
    expect(read({ openapi: "3.0.3" }, { responses })).toEqual({ schema, accept, isFile: false });
  });

  test.each<[string, string[] | undefined, JsonObject, unknown, string | undefined]>([
    ["no type means JSON", undefined, { 200: json }, pet, undefined],
    ["JSON beside XML", ["application/xml", "application/json"], { 200: json }, pet, "application/json"],
    ["XML alone", ["application/xml"], { 200: json }, undefined, "application/xml"],
    ["JSON beside CSV", ["application/json", "text/csv"], { 200: json }, undefined, "application/json, text/csv"],
    [
      "or nothing by a 204",
      ["application/json"],
      { 200: json, 204: { description: "none" } },
      { anyOf: [pet, { type: "null" }] },
      "application/json",
    ],
    ["an answer without a schema", undefined, { 200: json, 201: { description: "made" } }, undefined, undefined],
  ])("Swagger: %s", (_, produces, responses, schema, accept) => {
    expect(read({ swagger: "2.0", ...(produces && { produces }) }, { responses })).toEqual({
      schema,
      accept,
      isFile: false,
    });
  });
});

test("results are files only if all success answers are", () => {
  const file = { 200: { content: { "image/png": {} } } };
  expect(read({ openapi: "3.0.3" }, { responses: file })).toMatchObject({ isFile: true, accept: "image/png" });
  const either = { ...file, 201: { content: { "application/json": json } } };
  expect(read({ openapi: "3.0.3" }, { responses: either })).toMatchObject({
    isFile: false,
    schema: undefined,
    accept: "image/png, application/json",
  });
});
