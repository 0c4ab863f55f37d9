// The characters of JSON's grammar, by their code units.
export const quote = 34;
export const comma = 44;
export const colon = 58;
export const openBracket = 91;
export const backslash = 92;
export const closeBracket = 93;
export const openBrace = 123;
export const closeBrace = 125;

/** Number of characters that are read one by one before a string counts as long. */
const nearby = 64;

/**
 * The index of the quote that ends the string which starts at `start`; the text's length if there is none.
 * @param start the index of its first quote, or of the character before the rest of it
 */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  let next = -1;
  for (;;) {
    const end = Math.min(at + nearby, text.length);
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) return at;
      if (code === backslash) at++;
    }
    if (at >= text.length) return text.length;
    // A long string: the native search finds the next quote many times faster. The result is kept, because many escapes
    // may precede it.
    if (next < at) next = text.indexOf('"', at);
    if (next === -1) return text.length;
    const escape = text.slice(at, next).indexOf("\\");
    if (escape === -1) return next;
    at += escape;
  }
}

const cutEscapePattern = /\\(?:u[0-9a-f]{0,3})?$/i;
const longestCut = 5;

/** The index of an escape that the end of a text cuts; the text's length if there is none. */
export function startOfCutEscape(text: string, start: number): number {
  const from = Math.max(start, text.length - longestCut);
  const match = cutEscapePattern.exec(text.slice(from));
  if (match === null) return text.length;
  const at = from + match.index;
  // A backslash after an odd number of others is escaped itself, and plain text follows.
  let before = at;
  while (before > start && text.charCodeAt(before - 1) === backslash) before--;
  return (at - before) % 2 === 0 ? at : text.length;
}

/** Whether a number or a literal continues with a character: it ends where another token begins. */
export function isTokenCode(code: number): boolean {
  return code > 32 && code !== comma && code !== quote && code !== colon && !isOpening(code) && !isClosing(code);
}

// The characters that isTokenCode rejects. The native search skips a long number several times faster.
const tokenEnd = /[\0-\x20,":[\]{}]/g;

/**
 * The index of the first character from `start` on that does not belong to a number or literal; the text's length if
 * there is none.
 */
export function endOfToken(text: string, start: number): number {
  const near = Math.min(start + nearby, text.length);
  let at = start;
  while (at < near && isTokenCode(text.charCodeAt(at))) at++;
  if (at < near || at === text.length) return at;
  tokenEnd.lastIndex = at;
  return tokenEnd.exec(text)?.index ?? text.length;
}

export function isOpening(code: number): boolean {
  return code === openBracket || code === openBrace;
}

export function isClosing(code: number): boolean {
  return code === closeBracket || code === closeBrace;
}

/** The index of the first character from `start` on that is not white space. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}
