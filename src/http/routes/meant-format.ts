import { dialects } from "../../dialects/dialects.ts";

/**
 * A hint for a caller that sent a reply with another format; empty if the body is not a reply, or is one of the given
 * format.
 */
export function formatHint(body: unknown, given?: string): string {
  const meant = Object.values(dialects).find((dialect) => dialect.recognises?.(body) === true)?.name;
  if (meant === undefined || meant === given) return "";
  return ` This looks like a reply of ${meant}: send it with ?format=${meant}.`;
}
