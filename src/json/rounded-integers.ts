import { refusedNumber } from "./refusals.ts";

/** Shorter integers that were rounded are visible in the value: they are not safe, and less than 1e21. */
const longInteger = /(?<=^|[\s:,[])-?\d{22,}(?=[\s,\]}]|$)/g;
const textOrLongInteger = new RegExp(`"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|${longInteger.source}`, "gs");

/**
 * JSON text in which each integer of 22 or more digits that would be rounded is a number that is read as infinite. After it is
 * read, a rounded one cannot be distinguished from a number that was written with an exponent.
 */
export function markRoundedIntegers(json: string): string {
  // Few messages have such a number, so most are not read text by text.
  if (json.search(longInteger) < 0) return json;
  return json.replace(textOrLongInteger, (token) =>
    token.startsWith('"') || refusedNumber(token) === undefined ? token : "1e999",
  );
}
