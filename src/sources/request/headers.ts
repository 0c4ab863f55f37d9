import type { JsonObject } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import { type Delimiter, delimiters, refuseDelimiter } from "./delimiters.ts";
import { isHeaderName } from "./header-names.ts";
import type { ParameterPlan } from "./plan.ts";
import { refuseArgument } from "./refuse-argument.ts";
import { joinSimple } from "./simple.ts";
import { isTaken, type TakenNames } from "./taken-names.ts";
import { isPresent, textOf } from "./value-text.ts";

/** A header's name and value. */
export type HeaderField = readonly [name: string, value: string];

/**
 * Writes header parameters, `simple` as the specification says, and not percent-encoded
 * (https://spec.openapis.org/oas/v3.2.0.html#appendix-d-serializing-headers-and-cookies).
 */
export function compileHeaders(
  parameters: readonly ParameterPlan[],
  taken: TakenNames,
): (args: JsonObject, headers: HeaderField[]) => void {
  const writers = parameters
    .filter((each) => each.in === "header")
    .map((each) => compileHeader(each, isTaken(taken, "header", each.name) || !isHeaderName(each.name)));
  return (args, headers) => {
    for (const write of writers) write(args, headers);
  };
}

/** A header is not percent-encoded. */
const comma: Delimiter = { encoded: ",", plain: ",", called: "a comma" };

/** RFC 9110, section 5.5: a tab, and characters of Latin-1 that are not controls. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

function compileHeader({ argument, name, style, explode, mediaType }: ParameterPlan, isRefused: boolean) {
  const delimiter = delimiters[style] ?? comma;
  const path = pointerToken(argument);
  return (args: JsonObject, headers: HeaderField[]): void => {
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    if (!isPresent(value)) return;
    if (isRefused) throw refuseArgument(path, "must be left out, because the service sets this header");
    if (isEmptyList(value)) return;
    const text = mediaType === undefined ? headerText(value, explode, delimiter, path) : asciiJson(value);
    if (!fieldValue.test(text)) {
      throw refuseArgument(path, "must not contain line breaks, other control characters or characters beyond Latin-1");
    }
    headers.push([name, text]);
  };
}

function headerText(value: unknown, explode: boolean, delimiter: Delimiter, path: string): string {
  if (typeof value !== "object") return textOf(value);
  const encode = (text: string): string => {
    refuseDelimiter(text, delimiter, path);
    return text;
  };
  return joinSimple(value, explode, encode, delimiter.plain);
}

/** JSON can write every character in ASCII. */
function asciiJson(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function isEmptyList(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.values(value).every((member) => !isPresent(member));
}
