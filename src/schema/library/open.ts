import type { JsonObject } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import type { StandardJsonSchema } from "../json-schema.ts";

/** Something in a schema that its library cannot express in JSON Schema: any value is allowed there. */
export interface OpenPlace {
  /** JSON Pointer into the JSON Schema; `""` if the library does not report the place. */
  readonly path: string;
  /** For the tool's author. */
  readonly message: string;
}

export interface OpenSchema {
  readonly schema: JsonObject;
  readonly open: readonly OpenPlace[];
}

type Standard = StandardJsonSchema<unknown>["~standard"];
type LibraryOptions = Readonly<Record<string, unknown>>;
type Write = (libraryOptions?: LibraryOptions) => JsonObject;

/**
 * Writes a library's schema as JSON Schema. Parts that it cannot express accept any value, with the place and the
 * reason: there the library's own check decides.
 * @throws Error if the schema cannot be written at all
 */
export function writeOpenly(standard: Standard): OpenSchema {
  const { jsonSchema } = standard as { jsonSchema: { input(options: object): JsonObject } };
  const write: Write = (libraryOptions) =>
    jsonSchema.input({ target: "draft-2020-12", ...(libraryOptions !== undefined && { libraryOptions }) });
  const { vendor } = standard as { vendor?: unknown };
  // It silently accepts any value for some types: only its fallbacks report them.
  if (vendor === "arktype") return writeArkType(write);
  try {
    return { schema: write(), open: [] };
  } catch (error) {
    if (vendor === "zod") return writeZod(write);
    if (vendor === "valibot") return writeValibot(write);
    throw error;
  }
}

/** Zod's types that JSON Schema cannot express, with no other keyword that restricts them. */
const zodTypes: ReadonlySet<unknown> = new Set([
  "bigint",
  "custom",
  "date",
  "function",
  "literal",
  "map",
  "nan",
  "promise",
  "set",
  "symbol",
  "transform",
  "undefined",
  "void",
]);

interface ZodNode {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: unknown } } };
  readonly jsonSchema: JsonObject;
  readonly path: readonly (string | number)[];
}

function writeZod(write: Write): OpenSchema {
  const open: OpenPlace[] = [];
  const override = ({ zodSchema, jsonSchema, path }: ZodNode): void => {
    const { type } = zodSchema._zod.def;
    if (!zodTypes.has(type) || !isOpen(jsonSchema)) return;
    open.push({ path: path.map((key) => pointerToken(String(key))).join(""), message: leftOpen("Zod", type) });
  };
  const schema = write({ unrepresentable: "any", override });
  return { schema, open: open.toReversed() };
}

const annotations: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "id", "$schema"]);

function isOpen(schema: JsonObject): boolean {
  return Object.keys(schema).every((keyword) => annotations.has(keyword));
}

interface ValibotNode {
  readonly valibotSchema: { readonly type: unknown };
  readonly errors?: readonly string[] | undefined;
}

/** The library itself checks actions such as `check`; the value's type is still written. */
function writeValibot(write: Write): OpenSchema {
  const open: OpenPlace[] = [];
  const overrideSchema = ({ valibotSchema, errors }: ValibotNode): undefined => {
    if (errors !== undefined) open.push({ path: "", message: leftOpen("Valibot", valibotSchema.type) });
  };
  const schema = write({ errorMode: "ignore", overrideSchema });
  return { schema, open };
}

/** ArkType's names of the parts that it cannot express. For predicates and morphs the value's type is still written. */
const arkTypeCodes: ReadonlySet<unknown> = new Set(["date", "domain", "proto", "symbolKey", "unit"]);

interface ArkTypeNode {
  readonly code: string;
  readonly base: JsonObject;
}

function writeArkType(write: Write): OpenSchema {
  const open: OpenPlace[] = [];
  const fallback = ({ code, base }: ArkTypeNode): JsonObject | undefined => {
    if (arkTypeCodes.has(code)) open.push({ path: "", message: leftOpen("ArkType", code) });
    return code === "defaultValue" ? undefined : base;
  };
  const schema = write({ fallback });
  return { schema, open };
}

function leftOpen(library: string, type: unknown): string {
  return `${library} cannot express its type "${String(type)}" in JSON Schema: the declaration accepts any value there, and only ${library} checks it`;
}
