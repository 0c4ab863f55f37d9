import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { lintSchema } from "../../../src/schema/lint/schema.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { isAnnotation, keywords } from "../../../src/schema/keywords.ts";
import { subschemas } from "../../../src/schema/walk.ts";
import { runs } from "../../runs.ts";

const name = fc.constantFrom("a", "b", "type", "requried", "minlength", "x/y", "é");
const leaf = fc.oneof(
  fc.record({ type: fc.constantFrom("string", "integer", "null"), description: fc.string() }),
  fc.record({ minLength: fc.nat(5), pattern: fc.constantFrom("^a", "\\d+", "[") }, { requiredKeys: ["minLength"] }),
  fc.record({ $ref: fc.constantFrom("#", "#/$defs/a", "#/properties/a", "#/nowhere", "https://example.com/a") }),
  fc.record({ enum: fc.array(fc.jsonValue(), { minLength: 1 }), default: fc.jsonValue() }),
  fc.boolean(),
);

type Schema = JsonObject | boolean;

/** A keyword that holds schemas. */
function member(inner: fc.Arbitrary<Schema>): fc.Arbitrary<JsonObject> {
  const list = fc.array(inner, { minLength: 1, maxLength: 2 });
  const map = fc.dictionary(name, inner, { minKeys: 1, maxKeys: 2 });
  const single = ["additionalProperties", "items", "if", "else", "not", "unevaluatedProperties", "contains"];
  return fc.oneof(
    fc.tuple(fc.constantFrom(...single), inner).map(([keyword, value]) => ({ [keyword]: value })),
    fc
      .tuple(fc.constantFrom("allOf", "anyOf", "oneOf", "prefixItems"), list)
      .map(([keyword, value]) => ({ [keyword]: value })),
    fc
      .tuple(fc.constantFrom("properties", "$defs", "dependentSchemas"), map)
      .map(([keyword, value]) => ({ [keyword]: value })),
    fc.dictionary(fc.constantFrom("^a", "b$"), inner, { maxKeys: 2 }).map((value) => ({ patternProperties: value })),
    fc.uniqueArray(name, { maxLength: 3 }).map((value) => ({ required: value })),
  );
}

/** Schemas of every way to hold schemas. */
const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: "schema", withCrossShrink: true },
    leaf as fc.Arbitrary<Schema>,
    fc
      .array(member(tie("schema") as fc.Arbitrary<Schema>), { maxLength: 3 })
      .map((members) => Object.assign({}, ...members) as JsonObject),
  ),
}));

test("whatever can be registered can be linted", () => {
  let accepted = 0;
  fc.assert(
    fc.property(schema, (each) => {
      try {
        createCheck(each);
      } catch {
        return;
      }
      accepted++;
      lintSchema(each);
    }),
    { numRuns: runs(1000) },
  );
  expect(accepted).toBeGreaterThan(runs(200));
});

/** One slip of the fingers. */
type Slip = "swap" | "drop" | "double" | "lower" | "plural" | "snake";

function misspell(word: string, slip: Slip, at: number): string {
  const index = 1 + (at % (word.length - 2));
  switch (slip) {
    case "swap":
      return word.slice(0, index) + word[index + 1] + word[index] + word.slice(index + 2);
    case "drop":
      return word.slice(0, index) + word.slice(index + 1);
    case "double":
      return word.slice(0, index) + word[index] + word.slice(index);
    case "lower":
      return word.toLowerCase();
    case "plural":
      return `${word}s`;
    case "snake":
      return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

const written = [...keywords].filter((keyword) => !keyword.startsWith("$") && keyword.length >= 4);

/** Every object in a schema that is a schema, with its place. */
function placesOf(node: Schema, path = ""): { node: JsonObject; path: string }[] {
  if (typeof node === "boolean") return [];
  return [{ node, path }, ...[...subschemas(node)].flatMap((child) => placesOf(child.schema, path + child.path))];
}

test("one slip in a keyword is found wherever it is, and the keyword is suggested or one as close", () => {
  const slips = fc.constantFrom<Slip>("swap", "drop", "double", "lower", "plural", "snake");
  let exact = 0;
  let found = 0;
  fc.assert(
    fc.property(schema, fc.constantFrom(...written), slips, fc.nat(), fc.nat(), (each, keyword, slip, at, where) => {
      const root = structuredClone(each);
      const places = placesOf(root);
      const word = misspell(keyword, slip, at);
      fc.pre(places.length > 0 && !keywords.has(word) && !isAnnotation(word));
      const { node, path } = places[where % places.length]!;
      node[word] = true;
      const lint = lintSchema(root).filter((one) => one.path === `${path}/${word}`);
      expect(lint).toHaveLength(1);
      expect(lint[0]?.message).toMatch(/^\S+ is not a keyword of JSON Schema and has no effect; did you mean \S+\?$/);
      found++;
      if (lint[0]?.message.endsWith(`did you mean "${keyword}"?`) === true) exact++;
    }),
    { numRuns: runs(1000) },
  );
  expect(exact).toBeGreaterThan(found * 0.97);
});
