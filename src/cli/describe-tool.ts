import type { Declaration } from "../tool/declaration.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import { align } from "./columns.ts";
import { escapeControls } from "./io.ts";

/** A tool and its arguments, for a person who wants to call it. */
export function describeTool({ name, description, parameters }: Declaration): string {
  const { properties, required } = parameters as JsonObject;
  const named = Object.entries(isJsonObject(properties) ? properties : {});
  const isRequired = (key: string): boolean => Array.isArray(required) && required.includes(key);
  const rows = named.map(([key, schema]) => [
    `  ${key}`,
    typeOf(schema) + (isRequired(key) ? ", required" : ""),
    isJsonObject(schema) && typeof schema["description"] === "string" ? firstLine(schema["description"]) : "",
  ]);
  const sample = Object.fromEntries(
    named.filter(([key]) => isRequired(key)).map(([key, schema]) => [key, valueOf(schema)]),
  );
  const args =
    rows.length === 0
      ? "It takes no named arguments.\n"
      : `Arguments:\n${align(rows.map((row) => row.map(escapeControls)))}`;
  return `${name}: ${escapeControls(firstLine(description))}

${args}
  toolhost call ${name} '${JSON.stringify(sample).replaceAll("'", String.raw`'\''`)}'
`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** The values or the type, in a few words. */
function typeOf(schema: unknown): string {
  if (!isJsonObject(schema)) return "any value";
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema["const"]);
  const types = Array.isArray(type) ? type : [type];
  return types.every((each) => typeof each === "string") ? types.join(" or ") : "any value";
}

/** A placeholder, of the right type if that is simple. */
function valueOf(schema: unknown): unknown {
  if (!isJsonObject(schema)) return null;
  const { type, enum: values, minimum, examples } = schema;
  for (const list of [examples, values]) if (Array.isArray(list) && list.length > 0) return list[0];
  if (type === "string") return "…";
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum : 1;
  if (type === "boolean") return true;
  if (type === "array") return [];
  return type === "object" ? {} : null;
}
