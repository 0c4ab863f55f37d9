import { isJsonObject } from "../../json/parse.ts";
import type { JsonObject } from "../../schema/json-schema.ts";

/** The schema that accepts nothing. */
export function never(): JsonObject {
  return { not: {} };
}

export function isNever(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema === false;
  const { not } = schema;
  return isJsonObject(not) && Object.keys(not).length === 0;
}
