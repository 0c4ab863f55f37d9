import type { Ajv } from "ajv";
import addFormats, { type FormatName } from "ajv-formats";

/** UTF-16 code units. No value of these formats is longer, but for a time with a fraction of thousands of digits. */
const maxLength = 2048;

/**
 * The formats that ajv-formats checks in more than one pass, or that are short by nature: 50 kB of `http://:::…`
 * held `url` for 2.9 s. The others, which may be long, are checked in one pass.
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

/** Gives ajv the formats of ajv-formats, where a text that is too long for its format fails without being looked at. */
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
