import { isJsonObject } from "../json/object.ts";
import type { Path } from "../yaml/document.ts";
import type { Env } from "./environment.ts";
import type { Tell } from "./place.ts";

/**
 * Replaces `${NAME}` by the value of the environment variable in all strings, but not in keys. A value is not expanded again.
 * `$${` means the characters `${`.
 * @param onSecret called with every string that contains a value of the environment
 */
export function expandVariables(value: unknown, env: Env, tell: Tell, onSecret: (text: string) => void): unknown {
  return expand(value, []);

  function expand(node: unknown, path: Path): unknown {
    if (typeof node === "string") return node.includes("${") ? expandText(node, path) : node;
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map((item, index) => expand(item, [...path, index]));
    if (!isJsonObject(node)) return node;
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, expand(member, [...path, key])]));
  }

  function expandText(text: string, path: Path): string {
    let holdsSecret = false;
    const expanded = text.replace(/\$\$\{|\$\{(?:([A-Za-z_]\w*)\})?/g, (match, name: string | undefined) => {
      if (match === "$${") return "${";
      if (name === undefined) {
        tell(
          path,
          'contains "${" that does not begin a variable such as "${NAME}"; to write the characters "${", use "$${"',
        );
        return "";
      }
      // An empty variable counts as not set, as everywhere: an empty credential would be sent or accepted.
      const found = Object.hasOwn(env, name) ? env[name] || undefined : undefined;
      if (found === undefined) tell(path, `uses the environment variable ${name}, which is not set`);
      holdsSecret = true;
      return found ?? "";
    });
    if (holdsSecret) onSecret(expanded);
    return expanded;
  }
}
