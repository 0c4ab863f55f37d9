import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";

/** Writes files below a folder, and reads the document `api/openapi.yaml` of it. */
function readFiles(files: Readonly<Record<string, string>>, link?: readonly [target: string, path: string]) {
  const folder = mkdtempSync(join(tmpdir(), "toolhost-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  if (link !== undefined) symlinkSync(join(folder, link[0]), join(folder, link[1]));
  const asked: string[] = [];
  const read = (path: string): string | undefined => {
    asked.push(path.slice(path.indexOf("/api/") + 1));
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  };
  const path = join(folder, "api/openapi.yaml");
  const options = { name: "api", baseUrl: "https://api.example" };
  const found = readOpenApi(readFileSync(path, "utf8"), options, { path, read });
  const [operation] = found.operations;
  const { text, reaches } = operation!.parameters;
  const schema = JSON.parse(assembleSchema(text, reaches, found.requestDefinitions)) as JsonObject;
  return { ...found, asked, check: createCheck(schema, { trusted: false }), text: JSON.stringify(schema) };
}

const document = (schema: string): string => `
openapi: 3.1.0
info: { title: t, version: "1" }
paths:
  /pets/{id}:
    parameters: [{ $ref: "parameters.json#/Id" }]
    post:
      operationId: addPet
      requestBody: { required: true, content: { application/json: { schema: { $ref: "${schema}" } } } }
      responses: {}
components: { schemas: { Tag: { type: string, maxLength: 3 } } }
`;
const parameters = '{"Id":{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}}';

test("references lead to other files of the folder, from there to others and back", () => {
  const { check, warnings, asked } = readFiles({
    "api/openapi.yaml": document("./schemas/pet.yaml#/Pet"),
    "api/parameters.json": parameters,
    "api/schemas/pet.yaml": `
Pet:
  type: object
  required: [name]
  properties:
    name: { $ref: "#/Name" }
    parent: { $ref: "#/Pet" }
    tag: { $ref: "../openapi.yaml#/components/schemas/Tag" }
    size: { $ref: "common/size.json" }
Name: { type: string, minLength: 2 }
`,
    "api/schemas/common/size.json": '{"enum":["s","m"]}',
  });
  expect(warnings).toEqual([]);
  expect(check.accepts({ id: 1, name: "Rex", tag: "abc", size: "s", parent: { name: "Max" } })).toBe(true);
  for (const wrong of [{ name: "R" }, { tag: "abcd" }, { size: "x" }, { parent: { name: "M" } }, { id: "1" }]) {
    expect(check.accepts({ id: 1, name: "Rex", ...wrong })).toBe(false);
  }
  expect(asked.toSorted()).toEqual(["api/parameters.json", "api/schemas/common/size.json", "api/schemas/pet.yaml"]);
});

test.each([
  ["a file out of the folder", "../secret.json"],
  ["a path that climbs within it", "schemas/../../secret.json"],
  ["one that is percent-encoded", "%2e%2e/secret.json"],
  ["an absolute path", "/etc/hostname"],
  ["a URL of a file", "file:///etc/hostname"],
  ["a URL", "https://example.com/pet.json"],
  ["a URL without a scheme", "//example.com/pet.json"],
  ["a file that is not there", "missing.json"],
  ["a file that is not YAML", "broken.yaml"],
  ["a link out of the folder", "link.json"],
])("%s is not followed: any value is accepted there, with a warning", (_what, reference) => {
  const { check, warnings, asked, text } = readFiles(
    {
      "api/openapi.yaml": document(reference),
      "api/parameters.json": parameters,
      "api/broken.yaml": "a: [",
      "secret.json": '{"type":"object","properties":{"secret":{}},"required":["secret"]}',
    },
    ["secret.json", "api/link.json"],
  );
  expect(check.accepts({ id: 1, body: { any: "thing" } })).toBe(true);
  expect(text).not.toContain("secret");
  expect(warnings).toMatchObject([
    { name: "api_addPet", message: expect.stringContaining("leads to no schema") as string },
  ]);
  expect(asked.filter((path) => !/parameters|missing|broken/.test(path))).toEqual([]);
});
