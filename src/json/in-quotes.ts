/**
 * Names as they appear in a message: in double quotes, because a name such as `required` or `if` would be read as a word
 * of the sentence.
 */
export function inQuotes(names: Iterable<string>, between = ", "): string {
  return Array.from(names, (name) => JSON.stringify(name)).join(between);
}
