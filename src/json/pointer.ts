/** One reference token of a JSON Pointer (RFC 6901), with its slash. */
export function pointerToken(key: string | number): string {
  const text = String(key);
  return "/" + (/[~/]/.test(text) ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text);
}

/** The key that a reference token of a JSON Pointer (RFC 6901) names, without its slash. */
export function decodeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The value at a JSON Pointer (RFC 6901) in a value, over own members alone; undefined if there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let at = root;
  for (const token of pointer.split("/").slice(1)) {
    const key = decodeToken(token);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/**
 * What a JSON Pointer in a URI fragment, `#` or `#/…`, points at, with `%` as the escape. The references of a schema are
 * read in schema/resolve.ts.
 * @returns undefined if it points at nothing, or is not a pointer
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

/** A part of a URI with its percent-encoding undone, or as it is if that is malformed. */
export function decodePercent(token: string): string {
  if (!token.includes("%")) return token;
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
