/** Writes a text so that it keeps its meaning in one place of a request. */
export type Encode = (text: string) => string;

/**
 * Everything but RFC 3986's `unreserved` is percent-encoded, as simple expansion does (RFC 6570, section 3.2.2). Half a
 * surrogate pair, which UTF-8 does not have, is U+FFFD.
 */
export function encodeText(text: string): string {
  if (plain.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, percent);
}

/**
 * `allowReserved`: RFC 3986's `reserved` and escapes stay (RFC 6570, section 3.2.3). Not so the characters that would
 * end the value, or that a query cannot contain (https://spec.openapis.org/oas/v3.2.0.html#parameter-allow-reserved).
 */
export function encodeReserved(text: string): string {
  return text.toWellFormed().replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?@!$'()*,=%]+/g, encodeText);
}

/** Between delimiters a comma is a part of the value. */
export function encodeReservedItem(text: string): string {
  return encodeReserved(text).replaceAll(",", "%2C");
}

/** Characters that RFC 6265 does not allow in the value of a cookie are percent-encoded; the rest stays. */
export function encodeCookie(text: string): string {
  return text.toWellFormed().replace(/[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+/g, encodeText);
}

/** A literal text of a path: what a path cannot contain is percent-encoded, escapes stay. */
export function encodeLiteral(text: string): string {
  return text.toWellFormed().replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+/g, encodeText);
}

const plain = /^[A-Za-z0-9\-._~]*$/;

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
