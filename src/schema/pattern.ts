/**
 * A pattern of JSON Schema as a regular expression: with the `u` flag, which JSON Schema asks for, and without it where
 * the pattern is only legal so, such as `\-`. Each pattern by itself: what one needs must not change another's meaning.
 * @throws SyntaxError if it is not legal in either way
 */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}
