/** A shorter text is part of many words. */
const shortestSecret = 8;

/** Puts `***` in place of secrets, also as JSON writes them (`/` is `\/` in that of some servers). */
export function mask(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret === "") continue;
    const json = JSON.stringify(secret).slice(1, -1);
    for (const form of new Set([secret, json, json.replaceAll("/", "\\/")])) masked = masked.replaceAll(form, "***");
  }
  return masked;
}

/** What to mask of the values of headers: each, and what follows a scheme, as in `Token abc`. */
export function secretsOfHeaders(values: readonly string[]): string[] {
  return values
    .flatMap((value) => [value, value.slice(value.lastIndexOf(" ") + 1)])
    .filter((text) => text.length >= shortestSecret);
}

/** What to mask of the environment of a server: each value, and its lines, because a log has them one by one. */
export function secretsOfEnvironment(env: Readonly<Record<string, string>> = {}): string[] {
  return Object.values(env)
    .flatMap((value) => [value, ...value.split(/\r?\n/)])
    .filter((text) => text.length >= shortestSecret);
}
