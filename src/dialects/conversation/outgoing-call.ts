import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { readArgumentsText } from "../reading/arguments.ts";
import { unknownName } from "../reading/found-calls.ts";
import { readRepeatedObject } from "../reading/repeated-object.ts";

/** A call's name as it goes back, and as its result repeats it. */
export function mendedName(name: unknown): string {
  return typeof name === "string" && name !== "" ? name : unknownName;
}

/** Whether it is a whole JSON text. */
export function isJson(value: unknown): boolean {
  try {
    return typeof value === "string" && JSON.parse(value) !== undefined;
  } catch {
    return false;
  }
}

/** A call's arguments, where the provider takes them back as an object alone; an empty one where they are none. */
export function argumentsObject(written: unknown): JsonObject {
  const value = typeof written === "string" ? readArgumentsText(written).value : written;
  return isJsonObject(value) ? value : {};
}

/** A call's arguments, where the provider takes them back as text alone. An object that came several times goes back once. */
export function argumentsText(written: unknown): string {
  if (typeof written !== "string") return JSON.stringify(written ?? {});
  return isJson(written) ? written : (readRepeatedObject(written)?.text ?? written);
}
