import { isJsonObject, type JsonObject } from "../../../src/json/object.ts";

/** What Gemini's Schema form says, in JSON Schema. */
export function toJsonSchema(form: JsonObject): JsonObject {
  const { type, nullable, propertyOrdering: _, properties, items, anyOf, enum: values, ...rest } = form;
  const schema: JsonObject = { ...rest };
  if (typeof type === "string") schema["type"] = nullable === true ? [type.toLowerCase(), "null"] : type.toLowerCase();
  if (Array.isArray(values)) schema["enum"] = nullable === true ? [...(values as unknown[]), null] : values;
  if (isJsonObject(properties)) {
    schema["properties"] = Object.fromEntries(
      Object.entries(properties).map(([key, member]) => [key, toJsonSchema(member as JsonObject)]),
    );
  }
  if (isJsonObject(items)) schema["items"] = toJsonSchema(items);
  if (Array.isArray(anyOf)) schema["anyOf"] = anyOf.map((member) => toJsonSchema(member as JsonObject));
  return schema;
}
