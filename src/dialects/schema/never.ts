import { isJsonObject, type JsonObject } from "../../json/object.ts";

/** The schema that accepts nothing. */
export function never(): JsonObject {
  return { not: {} };
}

export function isNever(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema === false;
  const { not } = schema;
  return isJsonObject(not) && Object.keys(not).length === 0;
}
