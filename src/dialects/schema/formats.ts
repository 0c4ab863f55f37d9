const ofNumbers = new Set(["float", "double", "int32", "int64"]);

/** Formats that values are checked against. */
const checked = new Set(
  (
    "date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 " +
    "regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte int32 int64"
  ).split(" "),
);

/** Whether a format asks anything of values of a type. */
export function speaksOf(format: unknown, type: string): boolean {
  return ofNumbers.has(String(format)) ? type === "number" || type === "integer" : type === "string";
}

export function isFormatChecked(format: unknown): boolean {
  return checked.has(String(format));
}
