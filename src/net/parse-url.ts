/**
 * Reads a URL (WHATWG). In place of `URL.canParse`: on Node 20 that refuses texts with letters beyond ASCII, such as
 * `https://bücher.example`, once V8 has optimised its caller.
 * @returns undefined if the text is not a URL
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
