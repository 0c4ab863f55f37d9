/**
 * A pattern of JSON Schema as a regular expression: with the `u` flag, which JSON Schema requires, and without it if
 * the pattern is valid only without it, such as `\-`. Each pattern separately: one pattern must not change the meaning
 * of another. @throws SyntaxError if it is valid in neither way
 */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}
