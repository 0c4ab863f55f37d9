import { inQuotes } from "../json/in-quotes.ts";
import { closest } from "../schema/suggest.ts";

/**
 * Refuses options that a function does not have: otherwise a misspelt one would be ignored without a message.
 * @param taker what takes the options, such as `createApp`
 * @param synonyms names that other libraries use for an option
 * @throws TypeError
 */
export function refuseUnknownOptions(
  taker: string,
  known: Readonly<Record<string, true>>,
  options: unknown,
  synonyms: Readonly<Record<string, string>> = {},
): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`The options of ${taker} must be an object.`);
  }
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const synonym = Object.hasOwn(synonyms, name) ? synonyms[name]! : undefined;
    const meant = synonym !== undefined && Object.hasOwn(known, synonym) ? synonym : closest(name, Object.keys(known));
    const hint = meant === undefined ? `It has ${inQuotes(Object.keys(known))}.` : `Did you mean "${meant}"?`;
    throw new TypeError(`${JSON.stringify(name)} is not an option of ${taker}. ${hint}`);
  }
}
