import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import type { Resolve } from "../document/resolve.ts";
import { withoutTwins } from "../../request/taken-names.ts";
import type { ParameterPlan, ParameterStyle } from "../../request/plan.ts";

/** One parameter of any version in one form; its schema is still the document's. */
export interface ReadParameter extends Omit<ParameterPlan, "argument"> {
  readonly required: boolean;
  readonly schema: unknown;
  readonly description?: string;
}

const places = new Set(["path", "query", "querystring", "header", "cookie"]);
const styles = new Set("simple label matrix form spaceDelimited pipeDelimited deepObject cookie".split(" "));

/**
 * The parameters of an operation by their places, its own before those of its path with the same name and place; without
 * bodies. Of parameters that servers may take for one, the first or the plain one is left.
 */
export function readParameters(lists: readonly unknown[], resolve: Resolve, isSwagger: boolean): ReadParameter[] {
  const found = new Map<string, ReadParameter>();
  for (const list of lists) {
    for (const given of Array.isArray(list) ? list : []) {
      const parameter = readParameter(resolve(given), isSwagger);
      if (parameter === undefined) continue;
      const { in: place, name } = parameter;
      found.set(`${place} ${place === "header" ? name.toLowerCase() : name}`, parameter);
    }
  }
  const all = [...found.values()];
  const hasCookies = all.some((each) => each.in === "cookie");
  // A header `Cookie` would write what the cookies write.
  const isOwn = (each: ReadParameter): boolean =>
    !hasCookies || each.in !== "header" || each.name.toLowerCase() !== "cookie";
  return [...places].flatMap((place) => {
    const own = all.filter((each) => each.in === place && isOwn(each));
    return place === "path" ? own : withoutTwins(own, ({ name }) => name);
  });
}

function readParameter(given: JsonObject | undefined, isSwagger: boolean): ReadParameter | undefined {
  const { name, in: place, description } = given ?? {};
  if (given === undefined || typeof name !== "string" || typeof place !== "string" || !places.has(place)) return;
  const [mediaType, content] = Object.entries(isJsonObject(given["content"]) ? given["content"] : {})[0] ?? [];
  return {
    name,
    in: place as ParameterPlan["in"],
    required: place === "path" || given["required"] === true,
    schema: isSwagger ? given : isJsonObject(content) ? content["schema"] : given["schema"],
    ...(typeof description === "string" && { description }),
    ...(isSwagger ? collectionStyle(place, given) : styleOf(place, given)),
    ...(given["allowReserved"] === true && { allowReserved: true }),
    ...(mediaType !== undefined && { mediaType }),
  };
}

function styleOf(place: string, { style, explode }: JsonObject): { style: ParameterStyle; explode: boolean } {
  const isInPlace = typeof style === "string" && styles.has(style);
  const standard = place === "path" || place === "header" ? "simple" : "form";
  const written = isInPlace ? (style as ParameterStyle) : standard;
  const explodes = typeof explode === "boolean" ? explode : written === "form" || written === "cookie";
  return { style: written, explode: explodes };
}

/** https://swagger.io/specification/v2/#parameter-object: `collectionFormat`, `csv` if absent. */
function collectionStyle(place: string, { collectionFormat }: JsonObject): { style: ParameterStyle; explode: boolean } {
  const standard = place === "path" || place === "header" ? "simple" : "form";
  if (collectionFormat === "multi" && standard === "form") return { style: "form", explode: true };
  return { style: delimiters.get(collectionFormat) ?? standard, explode: false };
}

/** The styles of Swagger 2.0's `collectionFormat`s that have a delimiter of their own. */
export const delimiters: ReadonlyMap<unknown, ParameterStyle> = new Map<unknown, ParameterStyle>([
  ["ssv", "spaceDelimited"],
  ["tsv", "tabDelimited"],
  ["pipes", "pipeDelimited"],
]);
