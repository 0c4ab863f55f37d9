/** One reference token of a JSON Pointer (RFC 6901), with its slash. */
export function pointerToken(key: string | number): string {
  const text = String(key);
  return "/" + (/[~/]/.test(text) ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text);
}

/** The key that a reference token of a JSON Pointer (RFC 6901) names, without its slash. */
export function decodeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The value at a JSON Pointer (RFC 6901), through own members and array indexes only; undefined if there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let at = root;
  for (const token of pointer.split("/").slice(1)) {
    at = memberAt(at, decodeToken(token));
  }
  return at;
}

/**
 * The target of a JSON Pointer in a URI fragment, `#` or `#/…`, with `%` as the escape. schema/resolve.ts reads the
 * references of a schema.
 * @returns undefined if it has no target, or is not a pointer
 */
export function resolveFragment(root: unknown, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at = root;
  for (const token of reference.slice(2).split("/")) {
    at = memberAt(at, decodeToken(decodePercent(token)));
  }
  return at;
}

/** An own member, of an array only by an index without leading zeros: `length` is a member that no JSON has. */
function memberAt(parent: unknown, key: string): unknown {
  if (typeof parent !== "object" || parent === null || !Object.hasOwn(parent, key)) return undefined;
  if (Array.isArray(parent) && !arrayIndex.test(key)) return undefined;
  return (parent as Record<string, unknown>)[key];
}

const arrayIndex = /^(?:0|[1-9][0-9]*)$/;

/** A part of a URI, percent-decoded; unchanged if it is malformed. */
export function decodePercent(token: string): string {
  if (!token.includes("%")) return token;
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
