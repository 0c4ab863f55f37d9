const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(
  `^${token}/${token}(?:\\s*;\\s*${token}=(?:${token}|"[^"\\\\\\x00-\\x1f\\x7f-\\uffff]*"))*$`,
);

/** A media type or range that a header may contain: RFC 9110, sections 8.3.1 and 12.5.1. */
export function isMediaType(text: string): boolean {
  return text.length <= 200 && mediaType.test(text);
}
