/** One reference token of a JSON Pointer (RFC 6901), with its slash. */
export function pointerToken(key: string | number): string {
  const text = String(key);
  return "/" + (/[~/]/.test(text) ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text);
}

/** The key that a reference token of a JSON Pointer (RFC 6901) names, without its slash. */
export function decodeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/**
 * What a reference within a document, `#` or `#/…`, points at: a JSON Pointer in a URI fragment, where `%` escapes.
 * @returns undefined where it points at nothing, or is no pointer
 */
export function resolveFragment(root: unknown, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at = root;
  for (const token of reference.slice(2).split("/")) {
    const key = decodeToken(decodePercent(token));
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function decodePercent(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
