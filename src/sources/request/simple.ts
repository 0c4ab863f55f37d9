import type { Encode } from "./encode.ts";
import { isPresent, presentEntries, textOf } from "./value-text.ts";

/** `simple`, of paths and headers (RFC 6570, section 3.2.2): `blue,black`, `R,100,G,200`, and exploded `R=100,G=200`. */
export function joinSimple(value: unknown, explode: boolean, encode: Encode): string {
  if (typeof value !== "object" || value === null) return encode(textOf(value));
  if (Array.isArray(value)) {
    return value
      .filter(isPresent)
      .map((item) => encode(textOf(item)))
      .join(",");
  }
  return presentEntries(value)
    .map(([key, member]) => `${encode(key)}${explode ? "=" : ","}${encode(textOf(member))}`)
    .join(",");
}
