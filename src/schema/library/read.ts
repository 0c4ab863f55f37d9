import type { JsonObject } from "../../json/object.ts";
import type { JsonSchema, StandardJsonSchema } from "../json-schema.ts";
import { refuseSchemaObject } from "./advice.ts";
import { acceptsObjectsOnly } from "./root.ts";
import { type OpenPlace, writeOpenly } from "./open.ts";

export type SchemaInput = JsonSchema | StandardJsonSchema<unknown>;

/** Checks a value and returns the value for the tool, in the form of Standard Schema. May return a promise. */
export type Validate = (value: unknown) => unknown;

/** A given schema, with the additions of a schema library to its JSON Schema. */
export interface ReadSchema {
  readonly schema: JsonSchema;
  /** Absent if it is a JSON Schema, or the library only writes JSON Schema. */
  readonly validate: Validate | undefined;
  /** The parts that the library cannot express in JSON Schema. */
  readonly open: readonly OpenPlace[];
}

/** @throws Error if a schema object cannot be turned into JSON Schema */
export function readSchema(given: SchemaInput): ReadSchema {
  refuseSchemaObject(given);
  if (!isSchemaObject(given)) return { schema: given, validate: undefined, open: [] };
  const { schema, open } = writeOpenly(given["~standard"]);
  // A copy, for Zod puts its own `~standard` on what it writes, and this is plain JSON Schema from here on.
  return { schema: withObjectRoot({ ...schema }), validate: readValidate(given), open };
}

/** The library's own check of a schema, if it has one. */
export function readValidate(given: unknown): Validate | undefined {
  if (!isSchemaObject(given)) return undefined;
  const standard = given["~standard"] as { readonly validate?: unknown };
  const { validate } = standard;
  if (typeof validate !== "function") return undefined;
  return isZodSchema(given)
    ? (value) => validateByZod(given, value)
    : (value) => validate.call(standard, value) as unknown;
}

interface ZodSchema {
  safeParseAsync(value: unknown): Promise<{ readonly data?: unknown; readonly error?: { readonly issues: unknown } }>;
}

function isZodSchema(given: object): given is ZodSchema {
  return "_zod" in given && "safeParseAsync" in given && typeof given.safeParseAsync === "function";
}

/**
 * Zod's `validate` tries without promises first. An asynchronous check then runs twice, and the first rejection is
 * handled by nobody: it ends a program, or the thread in which the next call already runs.
 */
async function validateByZod(schema: ZodSchema, given: unknown): Promise<unknown> {
  const { data, error } = await schema.safeParseAsync(given);
  return error === undefined ? { value: data } : { issues: error.issues };
}

/** ArkType's schemas are functions. */
function isSchemaObject(given: unknown): given is StandardJsonSchema<unknown> {
  const isObject = (typeof given === "object" && given !== null) || typeof given === "function";
  return isObject && "~standard" in given && typeof given["~standard"] === "object" && given["~standard"] !== null;
}

/** A union of objects is written without a type at its root, which every provider asks for. */
function withObjectRoot(schema: JsonObject): JsonObject {
  if ("type" in schema || "$ref" in schema || !acceptsObjectsOnly(schema, schema)) return schema;
  const { $schema, ...rest } = schema;
  return { ...($schema !== undefined && { $schema }), type: "object", ...rest };
}
