import { isJsonObject, type JsonObject, setOwn } from "../../../json/object.ts";
import type { Resolve } from "../document/resolve.ts";

const maxDepth = 16;
/** Keywords that say nothing about which objects are valid, or nothing beside `type: object`. */
const silentKeyword = /^(?:title|description|\$comment|deprecated|examples?|nullable|default|x-.*)$/;

/**
 * A condition on the properties of a body as a condition on arguments.
 * @param nameOf the argument that is a property; null if there is none
 * @returns undefined if it is about more than the named properties, such as `additionalProperties: false` in a branch
 */
export function readBodyRule(
  given: unknown,
  resolve: Resolve,
  nameOf: (property: string) => string | null,
  depth = 0,
): JsonObject | undefined {
  const rule = resolve(given);
  if (rule === undefined || depth > maxDepth) return undefined;
  const written: JsonObject = {};
  for (const [keyword, value] of Object.entries(rule)) {
    if (isSilent(keyword, value)) continue;
    const read = readKeyword(keyword, value);
    if (read === undefined) return undefined;
    written[keyword] = read;
  }
  return written;

  function readKeyword(keyword: string, value: unknown): unknown {
    switch (keyword) {
      case "anyOf":
      case "oneOf":
      case "allOf":
        return Array.isArray(value) ? all(value.map(inner)) : undefined;
      case "not":
      case "if":
      case "then":
      case "else":
        return inner(value);
      case "required":
        return readNames(value);
      case "properties":
        return readMap(value, (schema) => schema);
      case "dependentRequired":
        return readMap(value, readNames);
      default:
        return undefined;
    }
  }

  function inner(value: unknown): JsonObject | undefined {
    return readBodyRule(value, resolve, nameOf, depth + 1);
  }

  function readNames(value: unknown): string[] | undefined {
    return Array.isArray(value)
      ? all(value.map((name) => (typeof name === "string" ? (nameOf(name) ?? undefined) : undefined)))
      : undefined;
  }

  function readMap(map: unknown, read: (value: unknown) => unknown): JsonObject | undefined {
    if (!isJsonObject(map)) return undefined;
    const mapped: JsonObject = {};
    for (const [property, value] of Object.entries(map)) {
      const argument = nameOf(property);
      const member = read(value);
      if (argument === null || member === undefined) return undefined;
      setOwn(mapped, argument, member);
    }
    return mapped;
  }
}

function isSilent(keyword: string, value: unknown): boolean {
  if (keyword === "type") return value === "object";
  return (keyword === "additionalProperties" && value === true) || silentKeyword.test(keyword);
}

function all<T>(values: readonly (T | undefined)[]): T[] | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length === values.length ? given : undefined;
}
