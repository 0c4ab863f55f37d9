import { inQuotes } from "../json/in-quotes.ts";
import { CallError } from "../errors/errors.ts";
import { closest } from "../schema/suggest.ts";

/**
 * The query of a request, each name once and each of them known to the route. Unknown names are refused: a caller that
 * misspells `timeoutMs` must get an error.
 * @throws CallError `bad_request`
 */
export function readQuery<Name extends string>(query: string, names: readonly Name[]): Partial<Record<Name, string>> {
  // Inherits nothing: a property of Object.prototype was not sent.
  const values = Object.create(null) as Partial<Record<Name, string>>;
  if (query === "") return values;
  for (const part of query.split("&")) {
    if (part === "") continue;
    const [rawName = "", ...rest] = part.split("=");
    const name = names.find((known) => known === decode(rawName));
    if (name === undefined) throw unknownParameter(decode(rawName), names);
    if (values[name] !== undefined) throw badQuery(name, "is given twice");
    values[name] = decode(rest.join("="));
  }
  return values;
}

/** Infinity for one that is over every limit. */
export function readWholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw badQuery(name, "must be a whole number of at least 1");
}

export function readBoolean(name: string, value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  if (value === "true" || value === "false") return value === "true";
  throw badQuery(name, "must be true or false");
}

/** The words between commas. */
export function readListQuery(name: string, value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const words = value.split(",").filter((word) => word !== "");
  if (words.length === 0) throw badQuery(name, "must contain at least one word");
  return words;
}

export function badQuery(name: string, problem: string): CallError {
  return new CallError("bad_request", `The query parameter "${name}" ${problem}.`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new CallError("bad_request", "The query is not percent-encoded UTF-8.");
  }
}

function unknownParameter(name: string, names: readonly string[]): CallError {
  const suggestion = closest(name, names);
  const hint = suggestion === undefined ? `It accepts ${inQuotes(names) || "none"}.` : `Did you mean "${suggestion}"?`;
  const what = isQuotable(name) ? `the query parameter ${JSON.stringify(name)}` : "a parameter of the query";
  return new CallError("bad_request", `This route does not know ${what}. ${hint}`);
}

/** The form of parameter names. Any other text may be a secret value, such as a key in the wrong place. */
function isQuotable(name: string): boolean {
  return /^[a-zA-Z][\w.-]{0,31}$/.test(name);
}
