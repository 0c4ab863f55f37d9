import type { Ajv } from "ajv";
import addFormats, { type FormatName } from "ajv-formats";

/** UTF-16 code units. Only a time with a fraction of thousands of digits could be longer. */
const maxLength = 2048;

/**
 * The formats that ajv-formats checks in more than one pass, or whose values are always short: `url` took 2.9 s
 * for 50 kB of `http://:::…`. The other formats are checked in one pass.
 */
const short: readonly FormatName[] = [
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "iso-date-time",
  "iso-time",
  "regex",
  "time",
  "url",
  "uuid",
];

const long: readonly FormatName[] = ["byte", "json-pointer", "uri", "uri-reference", "uri-template"];

/** Adds the formats of ajv-formats to ajv. A text that is too long for its format fails without a check. */
export function useBoundedFormats(ajv: Ajv): void {
  addFormats.default(ajv);
  for (const [name, matches] of bounded) ajv.addFormat(name, { type: "string", validate: matches });
}

const bounded = short.map(boundedMatcher);
const matchers: ReadonlyMap<string, (text: string) => boolean> = new Map([...bounded, ...long.map(boundedMatcher)]);

/** Whether a value is a text in a format. False for a very long one, and for a format that is not known. */
export function fitsFormat(format: string, value: unknown): boolean {
  return typeof value === "string" && matchers.get(format)?.(value) === true;
}

function boundedMatcher(name: FormatName): readonly [FormatName, (text: string) => boolean] {
  const matches = matcherOf(name);
  return [name, (text) => text.length <= maxLength && matches(text)];
}

function matcherOf(name: FormatName): (text: string) => boolean {
  const format = addFormats.default.get(name);
  const test = typeof format === "object" && "validate" in format ? format.validate : format;
  if (test instanceof RegExp) return (text) => test.test(text);
  if (typeof test !== "function") throw new Error(`ajv-formats checks ${name} in a way that is not known`);
  return test as (text: string) => boolean;
}
