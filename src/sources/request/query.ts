import type { JsonObject } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import { encodeReserved, encodeReservedItem, encodeText } from "./encode.ts";
import { writePairs } from "./pairs.ts";
import type { ParameterPlan } from "./plan.ts";
import { refuseArgument } from "./refuse-argument.ts";
import { createNameGuard, isTaken, type NameGuard, type TakenNames } from "./taken-names.ts";
import { isPresent, textOf } from "./value-text.ts";

/** Writes the parameters into a query that begins with `start`: `a=1&b=2`. */
export function compileQuery(
  parameters: readonly ParameterPlan[],
  taken: TakenNames,
  fixedNames: readonly string[],
): (args: JsonObject, start: string) => string {
  const inQuery = parameters.filter((each) => each.in === "query" || each.in === "querystring");
  const writers = inQuery.map((parameter) => {
    const others = inQuery.filter((each) => each !== parameter && each.in === "query").map(({ name }) => name);
    const guard = createNameGuard([...taken.query, ...fixedNames, ...others]);
    return compileParameter(parameter, guard, isTaken(taken, "query", parameter.name));
  });
  return (args, start) => {
    let query = start;
    for (const write of writers) query = write(args, query);
    return query;
  };
}

function compileParameter(parameter: ParameterPlan, guard: NameGuard, isRefused: boolean) {
  const { argument, name, mediaType, allowReserved = false } = parameter;
  const path = pointerToken(argument);
  const encode = allowReserved ? encodeReserved : encodeText;
  const plan = { ...parameter, path, guard, encode, ...(allowReserved && { encodeItem: encodeReservedItem }) };
  const encodedName = encodeText(name);
  return (args: JsonObject, start: string): string => {
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    if (value === undefined) return start;
    if (parameter.in === "querystring") return joinQuery(start, wholeQuery(mediaType, value, path, guard));
    if (isRefused) throw refuseArgument(path, "must be left out, because the service sets it");
    if (mediaType !== undefined) return joinQuery(start, `${encodedName}=${encodeText(textOf(value))}`);
    let query = start;
    writePairs(plan, value, (key, text) => {
      query = joinQuery(query, `${key}=${text}`);
    });
    return query;
  };
}

export function joinQuery(start: string, more: string): string {
  return start === "" || more === "" ? start + more : `${start}&${more}`;
}

/** `in: querystring` (OpenAPI 3.2): the query is one value of its media type, mostly a form. */
function wholeQuery(mediaType: string | undefined, value: unknown, path: string, guard: NameGuard): string {
  if (!isPresent(value)) return "";
  if (typeof value !== "object" || value === null || /[+/]json\b/i.test(mediaType ?? ""))
    return encodeText(textOf(value));
  let query = "";
  const plan = { name: "", style: "form", explode: true, path, encode: encodeText, guard } as const;
  for (const [key, member] of Object.entries(value)) {
    guard.key(key, path + pointerToken(key));
    const isList = Array.isArray(member);
    writePairs({ ...plan, name: key }, isList || !isPresent(member) ? member : textOf(member), (name, text) => {
      query = joinQuery(query, `${name}=${text}`);
    });
  }
  return query;
}
