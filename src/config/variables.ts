import { isJsonObject } from "../json/object.ts";
import type { Path } from "../yaml/document.ts";
import type { Env } from "./environment.ts";
import type { Tell } from "./place.ts";

/**
 * Puts the environment's values in place of `${NAME}` in all strings, but not in keys; what a value holds is not looked
 * at again. `$${` stands for `${`.
 * @param onSecret gets every string that holds a value of the environment
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
        tell(path, "has a ${ that does not begin ${NAME}; write $${ for the characters themselves");
        return "";
      }
      // An empty one is not set, as everywhere: a credential that is empty would be sent, or taken for one.
      const found = Object.hasOwn(env, name) ? env[name] || undefined : undefined;
      if (found === undefined) tell(path, `takes its value from the environment variable ${name}, which is not set`);
      holdsSecret = true;
      return found ?? "";
    });
    if (holdsSecret) onSecret(expanded);
    return expanded;
  }
}
