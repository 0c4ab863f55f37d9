import type { Encode } from "./encode.ts";
import { isPresent, presentEntries, textOf } from "./value-text.ts";

/**
 * `simple`, of paths and headers (RFC 6570, section 3.2.2): `blue,black`, `R,100,G,200`, and exploded `R=100,G=200`.
 * @param delimiter of the items of a list; Swagger 2.0 has others than the comma
 */
export function joinSimple(value: unknown, explode: boolean, encode: Encode, delimiter = ","): string {
  if (typeof value !== "object" || value === null) return encode(textOf(value));
  if (Array.isArray(value)) {
    return value
      .filter(isPresent)
      .map((item) => encode(textOf(item)))
      .join(delimiter);
  }
  return presentEntries(value)
    .map(([key, member]) => `${encode(key)}${explode ? "=" : ","}${encode(textOf(member))}`)
    .join(",");
}
