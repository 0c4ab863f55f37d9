import type { JsonObject } from "../../../json/object.ts";

const ofNumbers = new Set(["float", "double", "int32", "int64"]);

/** Formats that are checked. */
const checked = new Set(
  (
    "date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 " +
    "regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte int32 int64"
  ).split(" "),
);

/** Whether a format applies to values of a type. */
export function speaksOf(format: unknown, type: string): boolean {
  return ofNumbers.has(String(format)) ? type === "number" || type === "integer" : type === "string";
}

/** Whether a schema's format is checked for any value that it accepts. */
export function isFormatAsked({ format, type }: JsonObject): boolean {
  if (!checked.has(String(format))) return false;
  const types = [type].flat() as string[];
  return type === undefined || types.some((each) => speaksOf(format, each));
}
