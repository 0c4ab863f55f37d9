import { type JsonObject, safeEntries } from "../../json/object.ts";

/** Writes all fields into the target: the later value wins. */
export function writeAll(target: JsonObject, fields: JsonObject): void {
  for (const [key, value] of safeEntries(fields)) target[key] = value;
}

/** Like {@link writeAll}, but null and "" do not replace a known value. */
export function writeKnown(target: JsonObject, fields: JsonObject): void {
  for (const [key, value] of safeEntries(fields)) {
    if ((value != null && value !== "") || !Object.hasOwn(target, key)) target[key] = value;
  }
}
