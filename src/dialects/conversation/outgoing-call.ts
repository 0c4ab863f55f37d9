import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { readArgumentsText } from "../reading/arguments.ts";
import { escapeControlCharacters } from "../reading/control-characters.ts";
import { unknownName } from "../reading/found-calls.ts";
import { readRepeatedObject } from "../reading/repeated-object.ts";

/** A call's name as it is sent back, and as its result repeats it. */
export function repairedName(name: unknown): string {
  return typeof name === "string" && name !== "" ? name : unknownName;
}

/** Whether it is a complete JSON text. */
export function isJson(value: unknown): boolean {
  try {
    return typeof value === "string" && JSON.parse(value) !== undefined;
  } catch {
    return false;
  }
}

/** A call's arguments for a provider that accepts only an object; an empty object if they are not one. */
export function argumentsObject(written: unknown): JsonObject {
  const value = typeof written === "string" ? readArgumentsText(written).value : written;
  return isJsonObject(value) ? value : {};
}

/**
 * A call's arguments for a provider that accepts only text. An object that was sent several times goes back once, and
 * control characters go back escaped.
 */
export function argumentsText(written: unknown): string {
  if (typeof written !== "string") return JSON.stringify(written ?? {});
  if (isJson(written)) return written;
  const escaped = escapeControlCharacters(written) ?? written;
  return readRepeatedObject(escaped)?.text ?? (isJson(escaped) ? escaped : written);
}
