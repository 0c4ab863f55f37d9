import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../../json/object.ts";
import type { JsonSchema } from "../../../schema/json-schema.ts";
import { version } from "../../../package.ts";

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string }[] | undefined;
  readonly responses: Readonly<Record<string, JsonObject>>;
  readonly [field: string]: unknown;
}

export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** The parts of an OpenAPI 3.1 document that are used here. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: JsonObject;
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly [kind: string]: unknown };
  readonly [field: string]: unknown;
}

let fixed: Promise<OpenApiDocument> | undefined;

/**
 * openapi.yaml, read once. It is beside package.json, to which the package's own name leads from src and from dist
 * alike.
 */
export function readFixedDocument(): Promise<OpenApiDocument> {
  fixed ??= read();
  return fixed;
}

async function read(): Promise<OpenApiDocument> {
  const root = dirname(createRequire(import.meta.url).resolve("toolhost/package.json"));
  const [{ parse }, text] = await Promise.all([import("yaml"), readFile(join(root, "openapi.yaml"), "utf8")]);
  const document = parse(text) as OpenApiDocument;
  return { ...document, info: { ...document.info, version } };
}
