import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject } from "./breach.ts";

const options = { strict: false, validateFormats: false, logger: false } as const;

// Instances of their own: what the product's have learnt must not reach the judge.
const drafts = {
  "https://json-schema.org/draft/2020-12/schema": () => new Ajv2020(options),
  "https://json-schema.org/draft/2019-09/schema": () => new Ajv2019(options),
  "http://json-schema.org/draft-07/schema": () => new Ajv(options),
} as const;

export type Draft = keyof typeof drafts;

export const draft2020: Draft = "https://json-schema.org/draft/2020-12/schema";

const judges = new Map<Draft, Ajv>();

/** Why a value is no JSON Schema of a draft, or `undefined` where it is one. */
export function whyNoSchema(schema: unknown, draft: Draft): string | undefined {
  const judge = judges.get(draft) ?? drafts[draft]();
  judges.set(draft, judge);
  const validate = judge.getSchema(draft);
  if (validate === undefined) throw new Error("ajv has lost its metaschema");
  if (validate(schema) === true) return undefined;
  const [first] = validate.errors ?? [];
  return `${first?.instancePath ?? ""} ${first?.message ?? "is no schema"}`.trim();
}

/** Compile one schema after the other, and forget each: to compile the metaschema takes longer than a schema. */
const compilers = new Map<Draft, { ajv: Ajv; own: ReadonlySet<string> }>();

function compilerOf(draft: Draft): { ajv: Ajv; own: ReadonlySet<string> } {
  const known = compilers.get(draft);
  if (known !== undefined) return known;
  const ajv = drafts[draft]();
  ajv.getSchema(draft);
  const compiler = { ajv, own: new Set(Object.keys(ajv.refs)) };
  compilers.set(draft, compiler);
  return compiler;
}

/** Why a schema's references lead nowhere, anchors and `$id`s counted; `undefined` where all of them lead somewhere. */
export function whyUnresolved(schema: unknown, draft: Draft): string | undefined {
  const { ajv, own } = compilerOf(draft);
  const fresh = isObject(schema) ? structuredClone(schema) : {};
  try {
    ajv.compile(fresh);
    return undefined;
  } catch (error) {
    // Other reasons are not the references' business.
    return error instanceof Ajv.MissingRefError ? error.message : undefined;
  } finally {
    ajv.removeSchema(fresh);
    // ajv also keeps the `$id`s inside a schema.
    for (const name of Object.keys(ajv.refs)) if (!own.has(name)) delete ajv.refs[name];
  }
}

/** The draft that a schema names; 2020-12 where it names none, as MCP has it. */
export function draftOf(schema: unknown): Draft | undefined {
  const named = isObject(schema) ? (schema["$schema"] ?? draft2020) : draft2020;
  const plain = typeof named === "string" ? named.replace(/#$/, "") : "";
  return Object.hasOwn(drafts, plain) ? (plain as Draft) : undefined;
}
