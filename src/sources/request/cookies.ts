import type { JsonObject } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import { encodeCookie, encodeText } from "./encode.ts";
import { writePairs } from "./pairs.ts";
import type { ParameterPlan } from "./plan.ts";
import { refuseArgument } from "./refuse-argument.ts";
import { createNameGuard, isTaken, type TakenNames } from "./taken-names.ts";
import { textOf } from "./value-text.ts";

/**
 * Writes cookie parameters into the value of a `Cookie` header that begins with `start`: `a=1; b=2`. `form` (OpenAPI 3.0) is
 * percent-encoded as in a query, with `&` between the pairs of one parameter; `cookie` (3.2) is not, as far as RFC 6265
 * allows its characters (https://spec.openapis.org/oas/v3.2.0.html#style-values).
 */
export function compileCookies(
  parameters: readonly ParameterPlan[],
  taken: TakenNames,
): (args: JsonObject, start: string) => string {
  const inCookie = parameters.filter((each) => each.in === "cookie");
  const writers = inCookie.map((parameter) => {
    const others = inCookie.filter((each) => each !== parameter).map(({ name }) => name);
    return compileCookie(parameter, [...taken.cookie, ...others], isTaken(taken, "cookie", parameter.name));
  });
  return (args, start) => {
    let cookies = start;
    for (const write of writers) cookies = write(args, cookies);
    return cookies;
  };
}

function compileCookie(parameter: ParameterPlan, names: readonly string[], isRefused: boolean) {
  const { argument, style, mediaType } = parameter;
  const path = pointerToken(argument);
  const isOwnStyle = style === "cookie";
  const encode = isOwnStyle ? encodeCookie : encodeText;
  const separator = isOwnStyle ? "; " : "&";
  const plan = { ...parameter, path, encode, guard: createNameGuard(names) };
  return (args: JsonObject, start: string): string => {
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    if (value === undefined) return start;
    if (isRefused) throw refuseArgument(path, "must be left out, because the service sets this cookie");
    let own = "";
    const write = (key: string, text: string): void => {
      own += `${own === "" ? "" : separator}${key}=${text}`;
    };
    writePairs(plan, mediaType === undefined || value === null ? value : textOf(value), write);
    return start === "" || own === "" ? start + own : `${start}; ${own}`;
  };
}
