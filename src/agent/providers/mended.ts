import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { readArgumentsText } from "../../dialects/replies/arguments.ts";
import { unknownName } from "../../dialects/replies/found-calls.ts";

/** A call's name as it goes back, and as its result repeats it. */
export function mendedName(name: unknown): string {
  return typeof name === "string" && name !== "" ? name : unknownName;
}

/** A call's arguments, where the provider takes them back as an object alone; an empty one where they are none. */
export function argumentsObject(written: unknown): JsonObject {
  const value = typeof written === "string" ? readArgumentsText(written).value : written;
  return isJsonObject(value) ? value : {};
}

/** A call's arguments, where the provider takes them back as text alone. */
export function argumentsText(written: unknown): string {
  return typeof written === "string" ? written : JSON.stringify(written ?? {});
}
