import type { JsonObject } from "../../json/object.ts";

/** Writes all fields into the target: the later value wins. */
export function writeAll(target: JsonObject, fields: JsonObject): void {
  for (const [key, value] of Object.entries(fields)) {
    // Whoever sends it means no good, and no provider does.
    if (key !== "__proto__") target[key] = value;
  }
}

/** As {@link writeAll}, but null and "" say nothing if something is known. */
export function writeKnown(target: JsonObject, fields: JsonObject): void {
  for (const [key, value] of Object.entries(fields)) {
    if (key !== "__proto__" && ((value != null && value !== "") || !Object.hasOwn(target, key))) target[key] = value;
  }
}
