/**
 * A name, or several, as they appear in a message: each in double quotes, because a name such as `required` or `if`
 * would be read as a word of the sentence.
 */
export function inQuotes(names: string | Iterable<string>, between = ", "): string {
  return Array.from(typeof names === "string" ? [names] : names, (name) => JSON.stringify(name)).join(between);
}
