import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { declareTools } from "../../../src/dialects/declarations.ts";
import { type DialectName, dialects } from "../../../src/dialects/dialects.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";
import { corpusSkips } from "./corpus-skips.ts";

/** Public documents, and how many operations each has: counted without our code. */
const documents: readonly (readonly [folder: string, file: string, operations: number])[] = [
  ["openapi", "file-uploads-3.0.json", 3],
  ["openapi", "github-3.0.json", 1223],
  ["openapi", "museum-3.1.yaml", 8],
  ["openapi", "parameters-extreme-3.0.json", 1],
  ["openapi", "parameters-style-3.1.json", 25],
  ["openapi", "petstore-readme-3.0.json", 20],
  ["openapi", "petstore-swagger-3.0.yaml", 19],
  ["openapi", "schema-circular-3.0.json", 3],
  ["openapi", "security-3.1.json", 15],
  ["openapi", "stripe-3.0.json", 355],
  ["openapi", "swagger2-petstore-2.0.json", 20],
  ["openapi", "tictactoe-3.1.json", 3],
  ["openapi", "uspto-3.0.json", 3],
  ["openapi", "xkcd-3.0.yaml", 2],
  ["openapi-people", "agri-3.1.yaml", 14],
  ["openapi-people", "barter-2.0.json", 21],
  ["openapi-people", "container-engine-2.0.yaml", 94],
  ["openapi-people", "content-platform-2.0.yaml", 45],
  ["openapi-people", "custody-3.0.json", 56],
  ["openapi-people", "downloader-3.1.json", 23],
  ["openapi-people", "mailserver-3.0.yaml", 12],
  ["openapi-people", "notes-3.0.yaml", 19],
  ["openapi-people", "plants-3.1.json", 3],
  ["openapi-people", "storage-node-2.0.yaml", 31],
  ["openapi-people", "transparency-3.1.json", 13],
  ["openapi-people", "waiting-time-2.0.json", 6],
];
const folder = fileURLToPath(new URL("../../../../shared/corpus/", import.meta.url));
const present = existsSync(`${folder}openapi`) || process.env["CI"] !== undefined;
if (!present) console.warn(`The OpenAPI documents are skipped: ${folder}openapi and openapi-people are not there.`);

describe.skipIf(!present).each(documents)("%s/%s", (part, file, operations) => {
  const text = present ? readFileSync(`${folder}${part}/${file}`, "utf8") : "{}";
  const read = present ? readOpenApi(text, { name: "api" }) : undefined;
  const tools = (read?.operations ?? []).map(({ name, description, annotations, ...tool }) => ({
    name,
    description,
    annotations,
    parameters: JSON.parse(
      assembleSchema(tool.parameters.text, tool.parameters.reaches, read?.requestDefinitions ?? {}),
    ) as JsonObject,
  }));

  test("makes a tool of each operation that the table of skips does not name", () => {
    const expected = corpusSkips.filter(({ document }) => document === file);
    expect(read?.skipped.map(({ operation, reason }) => ({ operation, reason }))).toEqual(
      expected.map(({ operation, reason }) => ({ operation, reason })),
    );
    const lines = text.split("\n");
    for (const { line, text: forcing } of expected) expect(lines[line - 1]).toContain(forcing);
    expect(tools.length + expected.length).toBe(operations);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  });

  test("has arguments that pass the check of schemas that are not trusted", () => {
    for (const { name, parameters } of tools) {
      expect(() => createCheck(parameters, { trusted: false }), name).not.toThrow();
      expect(JSON.stringify(parameters), name).not.toContain("#/components");
    }
  });

  const lists = (Object.keys(dialects) as DialectName[]).flatMap((name) =>
    [false, true].map((strict) => ({ name, strict })),
  );
  test.each(lists)("is listed for $name, strict $strict", ({ name, strict }) => {
    const { tools: declared, warnings } = declareTools(dialects[name], tools, { strict, schema: "json" });
    const [first] = declared;
    const list = (first?.["functionDeclarations"] as unknown[] | undefined) ?? declared;
    expect(warnings.filter(({ kind }) => kind === "omitted")).toEqual([]);
    expect(list.length).toBe(tools.length);
  });
});
