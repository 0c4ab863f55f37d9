import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profileNames, projectSchema } from "../profiles.ts";
import { placeSchema } from "../../../src/http/routes/openapi/schema.ts";
import { type JsonObject, setOwn } from "../../../src/json/object.ts";
import { type Check, createCheck } from "../../../src/schema/check.ts";
import { toJsonSchema } from "./openapi-to-json-schema.ts";
import { runs } from "../../runs.ts";

/** A reference means the same to the tool's check, in the declarations of every format and in `/openapi.json`. */

const numRuns = runs(200, 10);
/** Some schemas are refused with the tool; of a few runs it may be most of them. */
const leastCompared = runs(100, 2);

const oddNames = [
  "a/b",
  "a~b",
  "a%b",
  "a%2Fb",
  "a%25b",
  "a b",
  "ä",
  "名前",
  "a#b",
  "a?b",
  'a"b',
  "a\\b",
  "a^b",
  "{a}",
  "[a]",
  "<T>",
  "~1",
  "~0",
  "%",
  "%41",
  "a:b",
  "",
  "..",
  "a.b",
  "A B/C~D%E",
  "😀",
  "constructor",
  "__proto__",
  "a	b",
  "$defs",
  "'",
];
const names = fc.oneof(
  fc.constantFrom(...oddNames),
  fc.array(fc.constantFrom(..."ab/~%2F5 ä#?01."), { maxLength: 6 }).map((characters) => characters.join("")),
);

const escape = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");

/** The ways to write a name in a pointer: bare, in the characters of a URI, every byte escaped, `/` as `%2F`. */
const spellings: readonly ((name: string) => string)[] = [
  escape,
  (name) => encodeURIComponent(escape(name)),
  (name) => encodeURIComponent(escape(name)).replaceAll(/%../g, (triple) => triple.toLowerCase()),
  (name) => percent(escape(name)),
  (name) => encodeURIComponent(name.replaceAll("~", "~0")),
];

const kinds: readonly JsonObject[] = [
  { type: "string" },
  { type: "integer" },
  { type: "boolean" },
  { type: "string", enum: ["a"] },
];
const values: readonly unknown[] = ["a", "other", 1, 1.5, true, null, {}, []];

interface Case {
  readonly schema: JsonObject;
  readonly kind: JsonObject;
}

const id = "https://example.com/tools/one.json";
/** Where the definition is and how it is referred to: each gives a schema with the property `p` of this kind. */
const shapes: Readonly<Record<string, (name: string, spell: string, kind: JsonObject) => JsonObject>> = {
  pointer: (name, spell, kind) => object({ $ref: `#/$defs/${spell}` }, { $defs: map(name, kind) }),
  definitions: (name, spell, kind) => object({ $ref: `#/definitions/${spell}` }, { definitions: map(name, kind) }),
  "pointer with an address": (name, spell, kind) => ({
    $id: id,
    ...object({ $ref: `${id}#/$defs/${spell}` }, { $defs: map(name, kind) }),
  }),
  "relative to an address": (name, spell, kind) => ({
    $id: id,
    ...object({ $ref: `one.json#/$defs/${spell}` }, { $defs: map(name, kind) }),
  }),
  "inside another resource": (name, spell, kind) => ({
    $id: id,
    ...object(
      { $ref: "two.json" },
      { $defs: { two: { $id: "two.json", $ref: `#/$defs/${spell}`, $defs: map(name, kind) }, ...map("x", {}) } },
    ),
  }),
  "into another resource": (name, spell, kind) =>
    object({ $ref: `sub.json#/$defs/${spell}` }, { $defs: { s: { $id: "sub.json", $defs: map(name, kind) } } }),
  anchor: (name, _spell, kind) =>
    object({ $ref: `#a${name.length}` }, { $defs: map(name, { ...kind, $anchor: `a${name.length}` }) }),
  "anchor in percents": (name, _spell, kind) =>
    object({ $ref: `#${percent("here")}` }, { $defs: map(name, { ...kind, $anchor: "here" }) }),
  "an anchor beside others": (name, _spell, kind) =>
    object({ $ref: "#here" }, { $defs: { ...map(name, { ...kind, $anchor: "here" }), z: { $anchor: "there" } } }),
  "by two references": (name, spell, kind) =>
    object({ $ref: "#/$defs/by" }, { $defs: { ...map(name, kind), by: { $ref: `#/$defs/${spell}` } } }),
  "a definition in a definition": (name, spell, kind) =>
    object({ $ref: `#/$defs/out/$defs/${spell}` }, { $defs: { out: { $defs: map(name, kind) } } }),
  "a place with no schemas": (name, spell, kind) =>
    object({ $ref: `#/x-shared/${spell}` }, { "x-shared": map(name, kind) }),
};

function object(p: JsonObject, more: JsonObject): JsonObject {
  return { type: "object", properties: { p }, required: ["p"], additionalProperties: false, ...more };
}

/** As JSON.parse makes it: `__proto__` is a key like any other. */
function map(name: string, schema: JsonObject): JsonObject {
  const made: JsonObject = {};
  setOwn(made, name, schema);
  return made;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    name: names,
    spelling: fc.constantFrom(...spellings),
    kind: fc.constantFrom(...kinds),
    shape: fc.constantFrom(...Object.keys(shapes)),
    draft: fc.constantFrom(
      undefined,
      "https://json-schema.org/draft/2019-09/schema",
      "http://json-schema.org/draft-07/schema#",
    ),
  })
  .map(({ name, spelling, kind, shape, draft }) => {
    const schema = shapes[shape]!(name, spelling(name), kind);
    return { schema: { ...(draft !== undefined && { $schema: draft }), ...schema }, kind };
  });

function checkOf(schema: JsonObject): Check | undefined {
  try {
    const check = createCheck(schema);
    check.accepts({});
    return check;
  } catch {
    return undefined;
  }
}

const args = values.map((p) => ({ p }));
const verdicts = (accepts: (value: unknown) => boolean): boolean[] => args.map((value) => accepts(value));

describe("a reference to a definition with an odd name", () => {
  it.each(profileNames)("means to %s what it means to the check", (profile: string) => {
    let compared = 0;
    fc.assert(
      fc.property(cases, ({ schema, kind }) => {
        const own = checkOf(schema);
        if (own === undefined) return; // refused with the tool
        const about = JSON.stringify(schema);
        expect(verdicts(own.accepts), about).toEqual(verdicts(createCheck(object(kind, {})).accepts));
        const { schema: declared = {}, losses } = projectSchema(schema, profile);
        // Some providers take no `additionalProperties` at the root, which is a loss there.
        expect(
          losses.filter(({ path }) => path !== "" || profile === "mcp"),
          about,
        ).toEqual([]);
        const said = createCheck(profile === "gemini-openapi" ? toJsonSchema(declared) : declared);
        expect(verdicts(said.accepts), `${about} as ${JSON.stringify(declared)}`).toEqual(verdicts(own.accepts));
        compared++;
      }),
      { numRuns },
    );
    expect(compared).toBeGreaterThan(leastCompared);
  });

  it("means in /openapi.json what it means to the check", () => {
    let compared = 0;
    fc.assert(
      fc.property(cases, ({ schema }) => {
        const own = checkOf(schema);
        if (own === undefined) return;
        const schemas = placeSchema("T", schema);
        const ajv = new Ajv2020({
          strict: false,
          logger: false,
          ownProperties: true,
          meta: false,
          validateSchema: false,
        });
        ajv.addSchema({ components: { schemas } }, "document");
        const accepts = ajv.compile({ $ref: "document#/components/schemas/T" });
        expect(
          verdicts((value) => accepts(value)),
          JSON.stringify({ schema, schemas }),
        ).toEqual(verdicts(own.accepts));
        expect(Object.keys(schemas).every((name) => /^[a-zA-Z0-9._-]+$/.test(name))).toBe(true);
        compared++;
      }),
      { numRuns },
    );
    expect(compared).toBeGreaterThan(leastCompared);
  });

  it("is valid 2020-12 in the mcp format, formats included", () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    fc.assert(
      fc.property(cases, ({ schema }) => {
        if (checkOf(schema) === undefined) return;
        const { schema: declared = {} } = projectSchema(schema, "mcp");
        expect(ajv.validateSchema(declared), JSON.stringify(declared)).toBe(true);
        expect(JSON.stringify(declared)).not.toMatch(/"\$ref":"[^"]*%2F/i);
      }),
      { numRuns },
    );
  });
});
