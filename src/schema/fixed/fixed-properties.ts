import { canonicalJson } from "../../json/canonical.ts";
import { isJsonObject, type JsonObject } from "../../json/object.ts";

/**
 * Properties that an object always has and that the caller does not choose, by name: with their value, or undefined if
 * the value differs between objects.
 */
export type FixedProperties = ReadonlyMap<string, { readonly value: unknown } | undefined>;

/** A name of this length is not part of another word by chance. */
const distinctLength = 4;

/** Whether a text, or the JSON of a value, contains one of the names. A short name must be a word of its own. */
export function mentions(fixed: ReadonlyMap<string, unknown>, value: unknown): boolean {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return [...fixed.keys()].some((name) => mentionsName(text, name));
}

function mentionsName(text: string, name: string): boolean {
  // The plain name, its form in JSON, and its form in a JSON Pointer.
  const forms = [name, JSON.stringify(name).slice(1, -1), name.replaceAll("~", "~0").replaceAll("/", "~1")];
  return forms.some((form) => {
    if (form.length >= distinctLength) return text.includes(form);
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      if (!isWordPart(text[at - 1]) && !isWordPart(text[at + form.length])) return true;
    }
    return false;
  });
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[A-Za-z0-9]/.test(character);
}

/** An object without the properties. Other values are returned unchanged. */
export function strip(fixed: FixedProperties, value: unknown): unknown {
  if (!isJsonObject(value) || !Object.keys(value).some((key) => fixed.has(key))) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !fixed.has(key)));
}

/** Whether a value may be the whole object: it has all the properties, with the values that are known. */
export function mayBe(fixed: FixedProperties, value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  return [...fixed].every(
    ([name, known]) =>
      Object.hasOwn(value, name) && (known === undefined || canonicalJson(value[name]) === canonicalJson(known.value)),
  );
}
